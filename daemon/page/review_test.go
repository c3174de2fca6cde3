package page

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestReviewOffersWhatWasSuggested: who reads the page of an entry that has a candidate
// needs one click. An episode without its place needs that first.
func TestReviewOffersWhatWasSuggested(t *testing.T) {
	one := 1
	api := fakeAPI()
	held := []entry.Entry{
		{ID: 1, Media: &viewing.Media{Type: viewing.Movie, Title: "The Long Take"}},
		{ID: 2, Media: &viewing.Media{Type: viewing.Episode, Show: &viewing.Show{Title: "The Spool Keepers"}, Season: &one}},
		{ID: 3, Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 9}}},
	}
	api.List = func(_ context.Context, f entry.Filter) (list []entry.Entry, err error) {
		for _, e := range held {
			e.State, e.Kind = viewing.StateHeld, viewing.KindViewing
			if f.State == e.State {
				list = append(list, e)
			}
		}
		return list, nil
	}
	api.Explain = func(_ context.Context, id int64) (x control.Explanation, err error) {
		x.Entry = held[id-1]
		x.State, x.Kind = viewing.StateHeld, viewing.KindViewing
		x.Candidates = []resolve.Candidate{{Type: viewing.Movie, TMDB: 7, Title: "The <Longest> Take", Year: 1999}, {Type: viewing.Movie, TMDB: 8}, {Type: viewing.Movie, TMDB: 9, Title: strings.Repeat("a", 100)}}
		return x, nil
	}
	var fixed []control.Fix
	api.Fix = func(_ context.Context, f control.Fix) (control.Fixed, error) {
		fixed = append(fixed, f)
		return control.Fixed{}, nil
	}
	s, server := newSite(t, api)
	session := signIn(t, s, server)
	_, body := do(t, "GET", server.URL+"/review", "", "Cookie", session)
	for _, want := range []string{`name="choice" value="7 1999 The &lt;Longest&gt; Take">The &lt;Longest&gt; Take (1999)<`, `name="choice" value="8 0 ">8<`, `>` + strings.Repeat("a", 60) + "…<"} {
		if strings.Count(body, want) != 1 {
			t.Errorf("%d times %q in\n%s", strings.Count(body, want), want, body)
		}
	}
	x, _ := api.Explain(t.Context(), 1)
	form := url.Values{"id": {"1"}, "stand": {stands(x.Entry)}, "back": {"/review"}, "season": {""}, "episode": {""}, "remember": {"yes"}, "choice": {"7 1999 The <Longest> Take"}}
	answer, body := do(t, "POST", server.URL+"/review/choose", form.Encode(), "Cookie", session, "Origin", server.URL)
	if answer.StatusCode != http.StatusSeeOther || len(fixed) != 1 || *fixed[0].Is != x.Candidates[0] {
		t.Errorf("%s, fixed %+v\n%s", answer.Status, fixed, body)
	}
}
