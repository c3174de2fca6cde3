package page

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

// has reports each text that a page lacks.
func has(t *testing.T, body string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %s:\n%s", want, body)
		}
	}
}

// waiting is an API with one entry that waits for a service that is away.
func waiting() control.API {
	api := fakeAPI()
	api.Status = func(context.Context) (control.Status, error) {
		return control.Status{Accounts: []control.Account{{Name: "a", State: account.Offline}}}, nil
	}
	api.Explain = func(context.Context, int64) (x control.Explanation, err error) {
		x.Entry = entry.Entry{ID: 7, State: viewing.StatePending, Account: "a", Kind: viewing.KindViewing, Media: &viewing.Media{Type: viewing.Movie, Title: "Alpha"}}
		x.Why = "The service cannot be reached: there is no way to it; is this machine online? It is tried again at 2026-03-01 20:15:00."
		x.Events = []entry.Witness{{Source: "kodi:/k", Seen: viewing.Event{Origin: viewing.Origin{Path: "/a.mkv", Note: "The count went from 0 to 1 this minute: seen live."}}}}
		x.Steps = []entry.Step{
			{What: "user", Detail: "By the user: released; it was held (review)."}, {What: "rule", Detail: "The <dog> ate it."},
		}
		x.Requests = []entry.Attempt{{Number: 1, Error: "not begun: sending stopped"}, {Number: 2, Status: 400, Answer: "held"}}
		return x, nil
	}
	return api
}

// TestAnEntryIsToldInTheLanguageOfThePage: why it waits, and what befell it. What has no
// other words, and the service's own words, are marked as English.
func TestAnEntryIsToldInTheLanguageOfThePage(t *testing.T) {
	s, server := newSite(t, waiting())
	cookie := signIn(t, s, server)
	_, body := do(t, "GET", server.URL+"/diary/7", "", "Cookie", cookie, "Accept-Language", "de")
	has(t, body,
		`<span lang="de">Der Dienst ist nicht zu erreichen: es führt kein Weg zu ihm; ist dieser Rechner online? Um 2026-03-01 20:15:00 wird es wieder versucht.</span>`,
		`<span lang="de">/a.mkv. Der Zähler ging in dieser Minute von 0 auf 1: gerade gesehen.</span>`,
		`<span lang="de">Von dir: freigegeben; vorher zurückgehalten (nicht bewiesen).</span>`,
		`<span lang="en">The &lt;dog&gt; ate it.</span>`,
		`<span lang="de">nicht begonnen: es wurde nicht mehr gesendet</span>`, `<span lang="en">HTTP 400. held</span>`)
	_, body = do(t, "GET", server.URL+"/diary/7", "", "Cookie", cookie, "Accept-Language", "en")
	has(t, body, `<span lang="en">By the user: released; it was held (review).</span>`)
}

// TestACardOfTheReviewIsInTheLanguageOfThePage: it says why it waits.
func TestACardOfTheReviewIsInTheLanguageOfThePage(t *testing.T) {
	api := fakeAPI()
	api.List = func(_ context.Context, f entry.Filter) (list []entry.Entry, err error) {
		if f.State == viewing.StateHeld {
			list = append(list, entry.Entry{ID: 7, State: f.State, Reason: viewing.ReasonFuture, Media: &viewing.Media{Type: viewing.Movie, Title: "Alpha"}})
		}
		return list, nil
	}
	s, server := newSite(t, api)
	_, body := do(t, "GET", server.URL+"/review", "", "Cookie", signIn(t, s, server), "Accept-Language", "de")
	has(t, body, `<span lang="de">Seine Zeit liegt in der Zukunft.</span>`)
}

// TestAnEntryWithoutATitleIsNamedInTheLanguageOfThePage. A title stays as it is.
func TestAnEntryWithoutATitleIsNamedInTheLanguageOfThePage(t *testing.T) {
	one := 1
	for want, m := range map[string]viewing.Media{
		"Film 603":                {Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}},
		"Serie 1396":              {Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}},
		"Serie 1396 S01E01":       {Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: &one, Episode: &one},
		"unbekannter Film":        {Type: viewing.Movie},
		"unbekannte Folge":        {Type: viewing.Episode},
		"unbekannter Film (1999)": {Type: viewing.Movie, Year: 1999},
		"movie 603":               {Type: viewing.Movie, Title: "movie 603"},
	} {
		api := fakeAPI()
		api.List = func(_ context.Context, f entry.Filter) (list []entry.Entry, err error) {
			if f.State == viewing.StateHeld {
				list = append(list, entry.Entry{ID: 7, State: f.State, Reason: viewing.ReasonFuture, Media: &m})
			}
			return list, nil
		}
		s, server := newSite(t, api)
		_, body := do(t, "GET", server.URL+"/review", "", "Cookie", signIn(t, s, server), "Accept-Language", "de")
		has(t, body, `<a href="/diary/7">`+want+"</a>")
	}
}

// TestRefusalsAreToldInTheLanguageOfThePage: of a time, of an entry that stands otherwise,
// and of settings, with what to do instead.
func TestRefusalsAreToldInTheLanguageOfThePage(t *testing.T) {
	api := waiting()
	api.Operate = func(context.Context, control.Order) (did entry.Changed, err error) {
		return did, control.Refused("release entry 7: it is in doubt", "filmspool queue settle 7 --as delivered, if you find it at the service")
	}
	api.Settings = func(context.Context) (control.Settings, error) {
		return control.Settings{Problem: "bad configuration: wave: -1 is not from 0 (no bound) to 1000 (line 3)\nbad configuration: hold: \"x\" is not one of none, all (line 4)\n4| hold = \"x\""}, nil
	}
	api.Set = func(context.Context, control.Set) (did control.SetDone, err error) {
		return did, control.Invalid("bad configuration: replay.rate: \"x\" is not a number\nbad configuration: wave: -1 is not from 0 (no bound) to 1000", "did you mean: wave")
	}
	s, server := newSite(t, api)
	cookie := signIn(t, s, server)
	x, _ := api.Explain(t.Context(), 7)
	form := url.Values{"id": {"7"}, "stand": {stands(x.Entry)}, "at": {"25:99"}}.Encode()
	for address, wanted := range map[string][]string{
		"/diary/7/time":    {`<span lang="de">&#34;25:99&#34;: &#34;25:99&#34; ist keine Uhrzeit von 00:00 bis 23:59</span>`, `<code><span lang="de">schreib es als 2026-03-01, `},
		"/diary/7/release": {`<span lang="de">„Senden“ passt nicht zu Eintrag 7: unklar</span>`, `<code><span lang="de">filmspool queue settle 7 --as delivered, wenn du es beim Dienst findest</span></code>`},
		"/settings/set": {
			`<p><span lang="de">das passt nicht zu replay.rate: &#34;x&#34; ist keine Zahl</span></p>`,
			`<p><span lang="de">das passt nicht zu wave: -1 liegt nicht zwischen 0 (keine Grenze) und 1000</span></p>`,
			`<code><span lang="de">meintest du: wave</span></code>`,
		},
	} {
		_, body := do(t, "POST", server.URL+address, form, "Cookie", cookie, "Accept-Language", "de")
		has(t, body, wanted...)
	}
	_, body := do(t, "GET", server.URL+"/settings", "", "Cookie", cookie, "Accept-Language", "de")
	has(t, body,
		`<p><span lang="de">das passt nicht zu wave: -1 liegt nicht zwischen 0 (keine Grenze) und 1000 (Zeile 3)</span></p>`,
		`<p><span lang="de">das passt nicht zu hold: &#34;x&#34; ist keines von none, all (Zeile 4)</span></p>`, `<p><span lang="en">4| hold = &#34;x&#34;</span></p>`)
}

// TestWhatIsComposedIsInTheLanguageOfThePage: what words may mean, a list, and what a verb
// leaves as it is.
func TestWhatIsComposedIsInTheLanguageOfThePage(t *testing.T) {
	api := waiting()
	list := entry.Entry{ID: 8, State: viewing.StateHeld, Reason: viewing.ReasonReview, Kind: viewing.KindList, List: &viewing.List{Name: "Noir"}}
	api.List = func(_ context.Context, f entry.Filter) ([]entry.Entry, error) {
		if f.Kind == viewing.KindWatchlist {
			return nil, nil
		}
		return []entry.Entry{list}, nil
	}
	api.Resolve = func(context.Context, control.Wanted) (r control.Resolution, err error) {
		r.Candidates = []identity.Candidate{{Type: viewing.Movie, TMDB: 5, Title: "Alpha", Year: 1999}, {Type: viewing.TV, TMDB: 6}}
		return r, nil
	}
	api.Operate = func(context.Context, control.Order) (entry.Changed, error) {
		return entry.Changed{From: map[viewing.State]int64{}, Left: map[string]int64{viewing.ReasonReview: 1}}, nil
	}
	s, server := newSite(t, api)
	cookie := signIn(t, s, server)
	for language, wanted := range map[string][3]string{
		"de": {`&#34;Alpha&#34; (1999; Film, TMDB 5)`, `<a href="/diary/8">Liste „Noir“</a>`, `1: zurückgehalten: nicht bewiesen`},
		"en": {`&#34;Alpha&#34; (1999; film tmdb 5)`, `<a href="/diary/8">list “Noir”</a>`, `1: held: not proven`},
	} {
		_, body := do(t, "POST", server.URL+"/lists/add", url.Values{"what": {"Alpha"}, "type": {"movie"}}.Encode(), "Cookie", cookie, "Accept-Language", language)
		has(t, body, wanted[0], wanted[1])
		_, body = do(t, "GET", server.URL+"/review", "", "Cookie", cookie, "Accept-Language", language)
		has(t, body, wanted[1])
		_, body = do(t, "POST", server.URL+"/diary/preview", url.Values{"verb": {"hold"}, "scope": {"all"}, "upTo": {"9"}}.Encode(), "Cookie", cookie, "Accept-Language", language)
		has(t, body, wanted[1], wanted[2])
	}
}
