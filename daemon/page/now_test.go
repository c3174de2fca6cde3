package page

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestButtonsOfProblems: the page offers what a problem's command does, and only what
// it can do. What a problem says is told as text.
func TestButtonsOfProblems(t *testing.T) {
	api := fakeAPI()
	api.Health = func(context.Context, control.HealthAsked) (h control.Health, err error) {
		for _, command := range []string{"filmspool queue retry --all", "filmspool resume", "filmspool status --seen 7", "filmspool login <b>"} {
			h.Problems = append(h.Problems, control.Problem{
				Severity: control.NeedsYou, Text: "<script>alert(1)</script>", Why: "<i>", About: "default",
				Act: control.Act{Text: "<u>", Command: &command, Page: "javascript:alert(1)"},
			})
		}
		return h, nil
	}
	var forgotten []int64
	api.Acknowledge = func(_ context.Context, id int64) error { forgotten = append(forgotten, id); return nil }
	s, server := newSite(t, api)
	cookie := signIn(t, s, server)
	_, body := do(t, "GET", server.URL+"/", "", "Cookie", cookie)
	for _, want := range []string{
		`action="/retry"`, `action="/resume"`, `action="/seen"`, `name="id" value="7"`, `name="account" value="default"`, "&lt;script&gt;", "login &lt;b&gt;",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("it lacks %s:\n%s", want, body)
		}
	}
	for _, bad := range []string{"<script>a", "<i>", "<u>", `"javascript:`} {
		if strings.Contains(body, bad) {
			t.Errorf("it has %s", bad)
		}
	}
	if n := strings.Count(body, `<section class="problem"`); n != 4 {
		t.Errorf("%d problems", n)
	}
	for id, want := range map[string]int{"7": 303, "": 422, "x": 422, "999999999999999999999999": 422, "7 ": 422} {
		if answer, body := do(t, "POST", server.URL+"/seen", url.Values{"id": {id}}.Encode(), "Cookie", cookie); answer.StatusCode != want {
			t.Errorf("%q: %s\n%s", id, answer.Status, body)
		}
	}
	if len(forgotten) != 1 || forgotten[0] != 7 {
		t.Errorf("forgotten %v", forgotten)
	}
}

// TestReasonsAreToldInTheLanguageOfThePage: and what has no other words is marked as
// English.
func TestReasonsAreToldInTheLanguageOfThePage(t *testing.T) {
	api := fakeAPI()
	api.Status = func(context.Context) (control.Status, error) {
		return control.Status{
			Accounts: []control.Account{
				{Name: "a", State: "offline", Reason: "The service cannot be reached: the time was up."},
				{Name: "b", State: "offline", Reason: "The <dog> ate it.", Note: "The service takes no items of lists: lists are created empty."},
			},
			Sources: []control.Source{{Name: "kodi:/userdata", State: "ok", Detail: "5 films and 7 episodes, 3 watched; Kodi says what it plays"}},
		}, nil
	}
	s, server := newSite(t, api)
	for language, wanted := range map[string][]string{
		"de": {
			`<span lang="de">Der Dienst ist nicht zu erreichen: die Zeit war um.</span>`, `<span lang="en">The &lt;dog&gt; ate it.</span>`,
			`<span lang="de">Der Dienst nimmt keine Einträge von Listen an`, `<span lang="de">5 Filme und 7 Episoden, 3 gesehen; Kodi sagt, was es spielt</span>`,
		},
		"en": {`<span lang="en">The service cannot be reached: the time was up.</span>`, `<span lang="en">5 films and 7 episodes, 3 watched; Kodi says what it plays</span>`},
	} {
		_, body := do(t, "GET", server.URL+"/", "", "Cookie", signIn(t, s, server), "Accept-Language", language)
		for _, want := range wanted {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s:\n%s", language, want, body)
			}
		}
	}
}

// TestToOpenAPageAsksNobody: the API has no other questions here than those that ask the
// queue alone, and one that is not there would end the test.
func TestToOpenAPageAsksNobody(t *testing.T) {
	api := fakeAPI()
	nameless := entry.Entry{ID: 7, State: viewing.StateHeld, Reason: viewing.ReasonUnresolved, Media: &viewing.Media{Type: viewing.Movie, Title: "Alpha"}}
	api.List = func(context.Context, entry.Filter) ([]entry.Entry, error) { return []entry.Entry{nameless}, nil }
	api.Explain = func(context.Context, int64) (control.Explanation, error) {
		return control.Explanation{Explanation: entry.Explanation{Entry: nameless}}, nil
	}
	s, server := newSite(t, api)
	cookie := signIn(t, s, server)
	for _, page := range []string{"/diary", "/diary/7", "/review"} {
		if answer, body := do(t, "GET", server.URL+page, "", "Cookie", cookie); answer.StatusCode != 200 || !strings.Contains(body, "Alpha") {
			t.Errorf("%s: %s\n%s", page, answer.Status, body)
		}
	}
}
