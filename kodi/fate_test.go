package kodi

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// told is a film in a library that says much of it.
func told(n int64, count int, last string) library.File {
	return but(film(n, count, last), func(f *library.File) {
		f.Folder, f.Duration = "/films/", 95*time.Minute
		f.Items[0].Genres, f.Items[0].Tags = []string{"Family", "Animation"}, []string{"kids"}
		f.Items = append(f.Items, library.Item{KodiID: 900, Media: f.Items[0].Media, Extra: true, Genres: []string{"Trailer"}})
	})
}

func TestOriginIsWhatTheLibrarySays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newSink(), &shelfReader{files: list(told(1, 0, ""))}
		i := newImporter(t, s, r)
		i.pass(t.Context())
		time.Sleep(time.Minute)
		r.files = list(told(1, 1, local()))
		i.pass(t.Context())
		got := s.viewings()
		if len(got) != 1 {
			t.Fatalf("%d viewings", len(got))
		}
		want := viewing.Origin{
			Site: "kodi", Path: r.files[0].Path, Folder: "/films/", Runtime: 5700,
			Genres: []string{"Family", "Animation"}, Tags: []string{"kids"}, Note: got[0].Origin.Note,
		}
		if diff := cmp.Diff(want, got[0].Origin); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestIdentityComesWithItsOrigin shows that a file that is scanned after it
// was played tells then what the library says of it.
func TestIdentityComesWithItsOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bare := func(count int, last string) library.File {
			return but(told(1, count, last), func(f *library.File) { f.Items, f.Duration = nil, 0 })
		}
		s, r := newSink(), &shelfReader{files: list(bare(0, ""))}
		i := newImporter(t, s, r)
		i.pass(t.Context())
		time.Sleep(time.Minute)
		last := local()
		r.files = list(bare(1, last))
		i.pass(t.Context())
		time.Sleep(time.Minute)
		r.files = list(told(1, 1, last))
		i.pass(t.Context())
		a := s.batches[len(s.batches)-1].Amendments
		if len(a) != 1 || a[0].Media == nil || a[0].Origin.Runtime != 5700 || !slices.Equal(a[0].Origin.Tags, []string{"kids"}) {
			t.Errorf("amendments %+v", a)
		}
	})
}

// TestUnsure lists what must never be sent by itself, whatever its class.
func TestUnsure(t *testing.T) {
	past := "1999-05-05 21:00:00" // the test's clock begins in 2000
	tests := []struct {
		name        string
		first, then library.File
		want        string // class, and whether it is unsure
	}{
		{"played", film(1, 0, ""), film(1, 1, "now"), "live false"},
		{"older than the reading before", film(1, 0, ""), film(1, 1, past), "backdated false"},
		{"no time", film(1, 0, ""), film(1, 1, ""), "review true"},
		{"a time that cannot be read", film(1, 0, ""), film(1, 1, "then"), "review true"},
		{"the time stayed", film(1, 1, past), film(1, 2, past), "review true"},
		{"no clock", film(1, 0, ""), film(1, 1, "1970-01-01 00:30:00"), "backdated true"},
		{"not later than one before", film(1, 1, past), film(1, 2, "1999-01-01 10:00:00"), "review false"},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			s, r := newSink(), &shelfReader{files: list(tt.first)}
			i := newImporter(t, s, r)
			i.pass(t.Context())
			time.Sleep(time.Minute)
			if tt.then.LastPlayed == "now" {
				tt.then.LastPlayed = local()
			}
			r.files = list(tt.then)
			i.pass(t.Context())
			if got := s.viewings(); len(got) != 1 || fmt.Sprint(got[0].Class, " ", got[0].Unsure) != tt.want {
				t.Errorf("%s: %+v, want %s", tt.name, got, tt.want)
			}
		})
	}
}

// picky ignores what is tagged "kids", and holds what is a family's.
type picky struct{ account }

func (p picky) Predict(source string, v viewing.Event, m viewing.Media, now time.Time) Outcome {
	switch {
	case slices.Contains(v.Origin.Tags, "kids"):
		return Outcome{State: viewing.StateDropped, Reason: "filter", Steps: []viewing.Message{viewing.Say("ignored")}}
	case slices.Contains(v.Origin.Genres, "Family"):
		return Outcome{State: viewing.StateHeld, Reason: "filter", Steps: []viewing.Message{viewing.Say("held")}}
	default:
		return p.account.Predict(source, v, m, now)
	}
}

func TestPreviewShowsWhatIsIgnored(t *testing.T) {
	i, s, _ := librarian(t, told(1, 1, "2019-05-05 21:00:00"), film(2, 1, "2019-06-05 21:00:00"),
		but(told(3, 1, "2019-07-05 21:00:00"), func(f *library.File) { f.Items[0].Tags = nil }))
	i.o.Account = picky{}
	p, err := i.Preview(t.Context(), rule.PlanOptions{})
	if err != nil || p.Films != 1 || p.Held["filter"] != 1 || p.Ignored["filter"] != 1 || p.Sends() != 1 || p.Plays() != 3 {
		t.Fatalf("%+v, %v", p, err)
	}
	if len(p.HeldSample) != 2 || p.HeldSample[1].Steps[0].Code != "ignored" || p.HeldSample[0].Steps[0].Code != "held" {
		t.Errorf("%+v", p.HeldSample)
	}
	if _, err = i.Import(t.Context(), rule.PlanOptions{}); err != nil || len(s.viewings()) != 3 {
		t.Errorf("%d handed over, %v", len(s.viewings()), err)
	}
}
