package daemon

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// pageTest calls the pages of a running daemon with a tracking service.
type pageTest struct {
	*pairedBrowser
	pages   http.Handler
	cookies map[string]*http.Cookie
}

func looking(t *testing.T) *pageTest {
	t.Helper()
	return startPaired(t, nil).looks()
}

func (v *pairedBrowser) looks() *pageTest {
	l := &pageTest{pairedBrowser: v, cookies: map[string]*http.Cookie{}}
	l.pages = l.d.site.Handler()
	l.ask(http.MethodPost, "/in", url.Values{"ticket": {l.d.site.Ticket()}})
	return l
}

// ask sends a request, with a form if it is a POST.
func (l *pageTest) ask(method, path string, form url.Values) *httptest.ResponseRecorder {
	l.Helper()
	r := httptest.NewRequestWithContext(l.Context(), method, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range l.cookies {
		r.AddCookie(c)
	}
	answer := httptest.NewRecorder()
	l.pages.ServeHTTP(answer, r)
	for _, c := range answer.Result().Cookies() {
		if l.cookies[c.Name] = c; c.MaxAge < 0 {
			delete(l.cookies, c.Name)
		}
	}
	return answer
}

// sees requests a page that must contain the texts.
func (l *pageTest) sees(path string, texts ...string) string {
	l.Helper()
	answer := l.ask(http.MethodGet, path, nil)
	body := answer.Body.String()
	if answer.Code != http.StatusOK {
		l.Fatalf("%s: %d\n%s", path, answer.Code, body)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			l.Errorf("%s does not say %q:\n%s", path, text, body)
		}
	}
	return body
}

// does submits a form that must be accepted.
func (l *pageTest) does(path string, form url.Values) {
	l.Helper()
	if answer := l.ask(http.MethodPost, path, form); answer.Code != http.StatusSeeOther {
		l.Fatalf("%s %v: %d\n%s", path, form, answer.Code, answer.Body)
	}
}

// refused submits a form that must be refused with a text.
func (l *pageTest) refused(path string, form url.Values, text string) {
	l.Helper()
	answer := l.ask(http.MethodPost, path, form)
	if answer.Code != http.StatusUnprocessableEntity && answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), text) {
		l.Errorf("%s %v: %d, want %q:\n%s", path, form, answer.Code, text, answer.Body)
	}
}

// commits commits events of a source and returns the ids of their entries.
func (l *pageTest) commits(source string, events ...viewing.Event) (ids []int64) {
	l.Helper()
	outcomes, err := l.d.store.Commit(l.Context(), viewing.Batch{Source: source, Events: events})
	must(l, err)
	for _, o := range outcomes {
		ids = append(ids, o.Entries...)
	}
	return ids
}

// movie returns the viewing of a film that ended some time ago.
func movie(id string, tmdb int64, title string, ago time.Duration) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindViewing, EventID: id, Count: 1, WatchedAt: viewing.At(time.Now().Add(-ago).Truncate(time.Second)),
		Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: tmdb}, Title: title}},
	}
}

// entry returns the current entry.
func (l *pageTest) entry(id int64) entry.Entry {
	l.Helper()
	x, err := l.d.store.Explain(l.Context(), id)
	must(l, err)
	return x.Entry
}

// becomes waits until an entry is in a state.
func (l *pageTest) becomes(id int64, state viewing.State) {
	l.Helper()
	changed, stop := l.d.store.Subscribe()
	defer stop()
	for l.entry(id).State != state {
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			l.Fatalf("entry %d is %s, want %s", id, l.entry(id).State, state)
		}
	}
}

// rejected adds a film that the service rejects.
func (l *pageTest) rejected(id string, tmdb int64) int64 {
	l.Helper()
	must(l, l.box.Arm(sandbox.Fault{Match: "POST /history", Fault: "status:422", Times: 1}))
	made := l.commits("browser:x", movie(id, tmdb, "Alpha <One>", time.Minute))[0]
	l.becomes(made, viewing.StateRejected)
	return made
}

func TestStatusPage(t *testing.T) {
	l := looking(t)
	l.commits("kodi:/x", movie("k", 603, "Alpha One", time.Second))
	l.becomes(1, viewing.StateDelivered)
	l.rejected("r", 604)
	body := l.sees("/status", "1 was delivered", `<a href="/review">1 was rejected</a>`, "default <span", "Chrome", "Pause sending for")
	if strings.Contains(body, "style=") || strings.Contains(body, "<script>") {
		t.Error("the page has what its policy forbids")
	}
}

func TestPauseAndResumeOnThePage(t *testing.T) {
	l := looking(t)
	for _, bad := range []string{"", "x", "-1", "99999999999999999999", "8785"} {
		l.refused("/status/pause", url.Values{"hours": {bad}}, "Choose how long")
	}
	paused := func() (account.State, *time.Time) {
		l.Helper()
		row, err := l.d.store.Account(t.Context(), "default")
		must(t, err)
		return row.Pause.State(), control.OptionalTime(row.Pause.Until)
	}
	if state, _ := paused(); state == account.Paused {
		t.Fatal("a refused pause began")
	}
	l.does("/status/pause", url.Values{"hours": {"3"}})
	if state, until := paused(); state != account.Paused || until == nil || time.Until(*until) < 2*time.Hour || time.Until(*until) > 3*time.Hour {
		t.Errorf("%s until %v", state, until)
	}
	l.sees("/status", "Sending is paused until")
	l.does("/status/resume", url.Values{"account": {"default"}})
	if state, _ := paused(); state == account.Paused {
		t.Error("the pause goes on")
	}
	l.does("/status/pause", url.Values{"hours": {"0"}})
	if state, until := paused(); state != account.Paused || until != nil {
		t.Errorf("%s until %v", state, until)
	}
	l.refused("/status/resume", url.Values{"account": {"<b>"}}, "There is no account &lt;b&gt;.")
}

// The home page does not count dropped entries and those held because they may not have been
// watched. It counts pending ones and those held for an unknown title.
func TestHomeCountsWhatWasWatched(t *testing.T) {
	l := looking(t)
	l.pause()
	l.commits("kodi:/x", movie("w", 550, "Waits", time.Minute))
	l.unnamed("u", "Unknown")
	l.held("d")
	l.acts(l.commits("browser:x", movie("g", 606, "Gone", time.Minute))[0], "drop")
	body := l.sees("/", "<b>2</b> films", "<b>0</b> episodes", ">Waits<", ">Unknown<", ": 2</span>")
	if n := strings.Count(body, `class="poster"`); n != 2 {
		t.Errorf("%d were watched last:\n%s", n, body)
	}
}

// A form redirects to our own pages only. Browsers ignore control characters in an address.
func TestFormsRedirectOnlyToOurPages(t *testing.T) {
	l := looking(t)
	for _, back := range []string{"//evil.example", "/\t/evil.example", "/\n/evil.example", `/\evil.example`, "https://evil.example", "evil"} {
		answer := l.ask(http.MethodPost, "/status/resume", url.Values{"back": {back}})
		if to := answer.Header().Get("Location"); answer.Code != http.StatusSeeOther || to != "/status" {
			t.Errorf("%q: %d to %q", back, answer.Code, to)
		}
	}
}

// A key that was typed into the field for the address is not shown again.
func TestKeyInTheAddressFieldIsNotShown(t *testing.T) {
	l := looking(t)
	for _, path := range []string{"/settings/login", "/setup/login"} {
		for _, address := range []string{"https://anna:secret1@tracker.example/api/v1", "sk_secret1", "https://tracker.example/?secret1"} {
			answer := l.ask(http.MethodPost, path, url.Values{"account": {"default"}, "address": {address}, "key": {"sk_secret1"}})
			if answer.Code != http.StatusUnprocessableEntity || strings.Contains(answer.Body.String(), "secret1") {
				t.Errorf("%s %s: %d\n%s", path, address, answer.Code, answer.Body)
			}
		}
	}
}

func TestAddByHandWithoutAccount(t *testing.T) {
	l := (&pairedBrowser{runningDaemon: runDaemon(t, nil)}).looks()
	form := l.form(l.sees("/log?what=Heat+1995+2026-03-01", `value="0 1995 Heat"`, "as you typed it"), "/log/add")
	form.Set("choice", "0 1995 Heat")
	l.does("/log/add", with(form, "to", "diary"))
	if e := l.entry(1); e.Label() != "Heat (1995)" || e.Reason != viewing.ReasonUnresolved {
		t.Errorf("%s is %s, %s", e.Label(), e.State, e.Reason)
	}
	l.sees("/log?what=tt0113277", "only numbers and addresses of themoviedb.org work: there is no key")
	l.sees("/log?what=949", `value="949 `)
}

// Items can be added by number, by title, as an episode and to a list; a duplicate is not added.
func TestAddByHand(t *testing.T) {
	l := looking(t)
	add := func(fields ...string) url.Values {
		form := url.Values{}
		for i := 0; i+1 < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		return form
	}
	last := func() entry.Entry {
		t.Helper()
		list, err := l.d.Control().List(t.Context(), entry.Filter{Limit: 1})
		if err != nil || len(list) != 1 {
			t.Fatalf("%d entries, %v", len(list), err)
		}
		return list[0]
	}
	body := l.sees("/log?what=Dune+2026-03-01+20:15", `value="841 1984 Dune"`, "20:15</time>")
	form := l.form(body, "/log/add")
	if at := l.form(l.sees("/log?what=dune+1984+last+night"), "/log/add").Get("at"); at == "" {
		t.Error("the time is not read")
	}
	l.does("/log/add", with(form, "to", "diary"))
	want := time.Date(2026, 3, 1, 20, 15, 0, 0, time.Local)
	if e := last(); e.Kind != viewing.KindViewing || e.Media.Key() != "movie:841" || !e.WatchedAt.Time().Equal(want) {
		t.Errorf("%s %s at %s", e.Kind, e.Media.Key(), e.WatchedAt.Time())
	}
	l.sees("/log?what=Nobody+knows+this+one", "Nothing found for")
	fix := control.Fix{ID: l.unnamed("u", "The Pet"), Is: &resolve.Candidate{Type: viewing.Movie, TMDB: 777}}
	if _, err := l.d.Control().Fix(t.Context(), fix); err != nil {
		t.Fatal(err)
	}
	l.sees("/log?what=The+Pet", `value="777 0 The Pet"`)
	l.sees("/log?what="+strings.Repeat("x", 400), "Type 1 to 20")
	l.pause()
	film := func(number, to string) url.Values {
		return add("type", "movie", "choice", number+" 1999 The Matrix", "to", to)
	}
	for _, number := range []string{"603", "604"} {
		l.does("/log/add", film(number, "watchlist"))
		if e := last(); e.Kind != viewing.KindWatchlist || e.Media.Key() != "movie:"+number || e.Label() != "The Matrix (1999)" {
			t.Errorf("%s: %s %s", number, e.Kind, e.Media.Key())
		}
	}
	l.refused("/log/add", film("603", "watchlist"), "there already")
	l.acts(last().ID, "drop")
	l.does("/log/add", film("604", "watchlist"))
	l.refused("/log/add", film("x", "diary"), "Choose one of the candidates")
	l.refused("/log/add", with(film("603", "diary"), "at", "soon"), "is not a time")
	series := func(fields ...string) url.Values {
		return add(append(fields, "type", "tv", "choice", "1396 2008 Breaking Bad", "to", "diary")...)
	}
	l.refused("/log/add", series(), "Type the season and the number")
	l.refused("/log/add", series("episode", "3"), "Type the season and the number")
	l.refused("/log/add", series("season", "x", "episode", "3"), "are numbers")
	l.does("/log/add", series("season", "2", "episode", "3"))
	if e := last(); e.Media.Key() != "episode:1396:2:3" || time.Since(e.WatchedAt.Time()) > time.Minute || e.Label() != "Breaking Bad S02E03" {
		t.Errorf("%s at %s", e.Label(), e.WatchedAt.Time())
	}
	l.does("/watchlist/create", add("name", "Noir", "visibility", "PRIVATE"))
	l.refused("/watchlist/create", add("name", " Noir ", "visibility", "PRIVATE"), "there already")
	l.does("/watchlist/create", add("name", "Noir 2", "visibility", "PUBLIC"))
	if e := last(); e.List == nil || e.List.Name != "Noir 2" || e.List.Visibility != "PUBLIC" {
		t.Errorf("%+v", e.List)
	}
	l.does("/log/add", with(film("603", "list"), "list", last().EventID))
	if e := last(); e.Kind != viewing.KindListItem || e.Media.Key() != "movie:603" {
		t.Errorf("%s %s", e.Kind, e.Media.Key())
	}
	if body := l.sees("/watchlist", "Noir 2", ">Watched<"); strings.Count(body, `class="poster"`) != 3 {
		t.Errorf("the watchlist has not two wishes and a list with one film:\n%s", body)
	}
}
