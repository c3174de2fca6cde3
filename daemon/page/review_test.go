package page

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestButtonsNameTheirEntry: who hears one button of many hears what it is about.
func TestButtonsNameTheirEntry(t *testing.T) {
	titles := []string{"The Long Take", "A <Short> Take"}
	api := fakeAPI()
	api.Status = func(context.Context) (control.Status, error) {
		return control.Status{Waves: []entry.Wave{{Source: "browser", Held: 12}}}, nil
	}
	api.List = func(_ context.Context, f entry.Filter) (list []entry.Entry, err error) {
		for i, title := range titles {
			if state := []viewing.State{viewing.StateHeld, viewing.StateInDoubt}[i]; state == f.State {
				list = append(list, entry.Entry{ID: int64(i + 1), State: state, Kind: viewing.KindViewing, Media: &viewing.Media{Type: viewing.Movie, Title: title}})
			}
		}
		return list, nil
	}
	api.Explain = func(_ context.Context, id int64) (x control.Explanation, err error) {
		x.Candidates = []identity.Candidate{{Type: viewing.Movie, TMDB: 7, Title: "The Longest Take", Year: 1999}}
		return x, err
	}
	s, server := newSite(t, api)
	named := regexp.MustCompile(`(?s)<(?:button|summary|label)\b[^>]*>(?:<input[^>]*>)?(.*?)</(?:button|summary|label)>`)
	for _, language := range []string{"en", "de"} {
		_, body := do(t, "GET", server.URL+"/review", "", "Cookie", signIn(t, s, server), "Accept-Language", language)
		_, main, _ := strings.Cut(body, "<main")
		found := 0
		for _, card := range strings.Split(main, `class="card"`)[1:] {
			_, heading, _ := strings.Cut(card, "<h2>")
			heading, _, _ = strings.Cut(heading, "</h2>")
			heading = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(heading, "")
			for _, c := range named.FindAllStringSubmatch(card, -1) {
				found++
				if !strings.HasSuffix(c[1], `<span class="unseen"> – `+heading+`</span>`) || strings.HasPrefix(c[1], "<") {
					t.Errorf("%s: of %q a button says %q", language, heading, c[1])
				}
			}
		}
		if found != 14 {
			t.Errorf("%s: %d buttons and fields:\n%s", language, found, main)
		}
	}
}

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
		x.Candidates = []identity.Candidate{{Type: viewing.Movie, TMDB: 7, Title: "The <Longest> Take", Year: 1999}, {Type: viewing.Movie, TMDB: 8}, {Type: viewing.Movie, TMDB: 9, Title: strings.Repeat("a", 100)}}
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
