package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestSubjectAsksOneQuestionAfterTheOther(t *testing.T) {
	alpha := film("tt1", "Alpha One", 1999)
	byID := Question{IMDB: "tt1"}
	byTitle := func(year int) Question { return Question{Title: "Alpha One", Type: viewing.Movie, Year: year} }
	it := Answer{603, "movie", "Alpha One", 1999, "high"}
	namesake := Answer{604, "movie", "Alpha One", 2000, "high"}
	series := Answer{7, "tv", "Alpha One", 1999, "high"}
	episode := Answer{8, "episode", "Alpha One", 1999, "high"}
	for name, c := range map[string]struct {
		answers   []Answer
		questions []Question
		taken     bool
		suggested []Answer
	}{
		"known by its identifier": {[]Answer{it}, []Question{byID}, true, []Answer{it}},
		"known by its title": {
			[]Answer{{}, it, {}, it}, []Question{byID, byTitle(1999), byTitle(1998), byTitle(2000)}, true, []Answer{it},
		},
		"one of two": {
			[]Answer{{}, it, series, namesake}, []Question{byID, byTitle(1999), byTitle(1998), byTitle(2000)}, false, []Answer{it, namesake},
		},
		"not sure":      {[]Answer{{}, series}, []Question{byID, byTitle(1999)}, false, []Answer{series}},
		"an episode":    {[]Answer{{}, episode}, []Question{byID, byTitle(1999)}, false, nil},
		"known to none": {[]Answer{{}, {}}, []Question{byID, byTitle(1999)}, false, nil},
		"no number":     {[]Answer{{}, {0, "movie", "Alpha One", 1999, "high"}}, []Question{byID, byTitle(1999)}, false, nil},
	} {
		s := NewSubject(alpha)
		for i, q := range c.questions {
			if s.Next() != q {
				t.Fatalf("%s: asks %+v, want %+v", name, s.Next(), q)
			}
			if more := s.Hear(c.answers[i]); more != (i+1 < len(c.questions)) {
				t.Fatalf("%s: more %v after %d answers", name, more, i+1)
			}
		}
		var suggested []identity.Candidate
		for _, a := range c.suggested {
			suggested = append(suggested, identity.Candidate{Type: viewing.MediaType(a.Type), TMDB: a.TMDB, Title: a.Title, Year: a.Year})
		}
		if diff := cmp.Diff(suggested, s.Suggestions()); diff != "" || (s.Judge().Media != nil) != c.taken {
			t.Errorf("%s: judged %+v, suggests (-want +got)\n%s", name, s.Judge(), diff)
		}
	}
	if s := NewSubject(film("", "", 1999)); s != nil {
		t.Errorf("asks %+v about nothing", s.Next())
	}
}
