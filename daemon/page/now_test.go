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
	api.Status = func(context.Context) (s control.Status, err error) {
		command := "filmspool login <b>"
		for _, act := range []control.Act{{Verb: control.ActRetry}, {Verb: control.ActSeen, Target: "7"}, {Verb: "login", Command: &command, Page: "javascript:alert(1)"}} {
			s.Problems = append(s.Problems, control.Problem{Code: "<script>alert(1)</script>", Severity: control.NeedsYou, About: "default", Act: act})
		}
		s.Sources = []control.Source{{Name: "kodi:/userdata", State: "ok"}}
		return s, nil
	}
	var forgotten []int64
	api.Acknowledge = func(_ context.Context, id int64) error { forgotten = append(forgotten, id); return nil }
	s, server := newSite(t, api)
	cookie := signIn(t, s, server)
	_, body := do(t, "GET", server.URL+"/", "", "Cookie", cookie)
	for _, want := range []string{
		`action="/retry"`, `action="/seen"`, `name="id" value="7"`, "&lt;script&gt;", "login &lt;b&gt;",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("it lacks %s:\n%s", want, body)
		}
	}
	for _, bad := range []string{"<script>a", `"javascript:`} {
		if strings.Contains(body, bad) {
			t.Errorf("it has %s", bad)
		}
	}
	if n := strings.Count(body, `<section class="problem"`); n != 3 {
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

// TestReasonsAreToldInTheLanguageOfThePage: what the system says stays as it is.
func TestReasonsAreToldInTheLanguageOfThePage(t *testing.T) {
	api := fakeAPI()
	api.Status = func(context.Context) (control.Status, error) {
		return control.Status{
			Accounts: []control.Account{
				{Name: "a", State: "offline", Reason: viewing.Say("unreachable").Because(viewing.Say("timeUp"))},
				{Name: "b", State: "offline", Reason: viewing.Said("The <dog> ate it."), Note: viewing.Say("noItems")},
			},
			Sources: []control.Source{{Name: "kodi:/userdata", State: "ok", Details: []viewing.Message{viewing.Say("holds", "films", "5", "episodes", "7", "watched", "3"), viewing.Say("announced")}}},
		}, nil
	}
	s, server := newSite(t, api)
	for language, wanted := range map[string][]string{
		"de": {
			`<p>Der Dienst ist nicht zu erreichen: die Zeit war um.</p>`, `<p>The &lt;dog&gt; ate it.</p>`,
			`<p>Der Dienst nimmt keine Einträge von Listen an`, `<td>5 Filme und 7 Episoden, 3 gesehen; Kodi sagt, was es spielt.</td>`,
		},
		"en": {`<p>The service cannot be reached: the time was up.</p>`, `<td>5 films and 7 episodes, 3 watched; Kodi says what it plays.</td>`},
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
