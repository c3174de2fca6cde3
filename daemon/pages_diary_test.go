package daemon

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// evil is a text with markup.
const evil = `<script>alert("x")</script>'"&`

// form returns the values of the form on a page with this action.
func (l *pageTest) form(body, action string) url.Values {
	l.Helper()
	for _, f := range regexp.MustCompile(`(?s)<form method="post" action="([^"]*)".*?</form>`).FindAllStringSubmatch(body, -1) {
		if f[1] != action {
			continue
		}
		values := url.Values{}
		for _, input := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(f[0], -1) {
			values.Add(input[1], html.UnescapeString(input[2]))
		}
		return values
	}
	l.Fatalf("no form goes to %s:\n%s", action, body)
	return nil
}

// with returns a form with one more field.
func with(form url.Values, name, value string) url.Values {
	form.Set(name, value)
	return form
}

// acts opens the page of an entry and submits one of its forms.
func (l *pageTest) acts(id int64, act string, fields ...string) {
	l.Helper()
	page := fmt.Sprintf("/diary/%d", id)
	form := l.form(l.sees(page), page+"/"+act)
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	l.does(page+"/"+act, form)
}

// The export contains the entries of the filter, or everything including the watchlist.
func TestExportOnTheDiary(t *testing.T) {
	l := looking(t)
	l.commits(viewing.SourceCLI, movie("a", 603, "Alpha", time.Hour), movie("b", 604, evil, time.Hour), viewing.Event{
		Kind: viewing.KindWatchlist, EventID: "w", Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 605}}},
	})
	l.sees("/diary", `action="/export"`, `value="letterboxd"`)
	for query, want := range map[string]int{"form=csv": 4, "form=csv&words=alpha&state=": 2, "form=letterboxd": 3, "": 3} {
		answer := l.ask(http.MethodGet, "/export?"+query, nil)
		if got := strings.Count(answer.Body.String(), "\n"); answer.Code != http.StatusOK || got != want || !strings.HasPrefix(answer.Header().Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d, %d lines, want %d: %s", query, answer.Code, got, want, answer.Body)
		}
	}
	for query, want := range map[string]string{"form=excel": "/diary?form=excel", "form=csv&from=never": "/diary?form=csv&from=never"} {
		if answer := l.ask(http.MethodGet, "/export?"+query, nil); answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != want {
			t.Errorf("%s: %d to %s", query, answer.Code, answer.Header().Get("Location"))
		}
	}
}

// held adds a held film with markup in its title.
func (l *pageTest) held(id string) int64 {
	l.Helper()
	v := movie(id, 603+int64(id[0]-'a'), evil, time.Minute)
	v.Unsure = true
	v.Origin = viewing.Origin{Site: evil, URL: "javascript:alert(1)", Note: viewing.Verbatim(evil)}
	made := l.commits("kodi:"+evil+id, v)[0]
	if e := l.entry(made); e.State != viewing.StateHeld {
		l.Fatalf("it is %s", e.State)
	}
	return made
}

// unnamed adds a film with a title but no identifier.
func (l *pageTest) unnamed(id, title string) int64 {
	l.Helper()
	made := l.commits("browser:x", movie(id, 0, title, time.Minute))[0]
	if e := l.entry(made); e.Reason != viewing.ReasonUnresolved {
		l.Fatalf("it is %s", stateOf(e))
	}
	return made
}

// doubtful adds a film that is in doubt.
func (l *pageTest) doubtful(id string, tmdb int64) int64 {
	l.Helper()
	for _, fault := range []sandbox.Fault{{Match: "POST /history", Fault: "drop-before", Times: 1}, {Match: "GET /history", Fault: "status:503", Times: 100}} {
		must(l, l.box.Arm(fault))
	}
	made := l.commits("browser:x", movie(id, tmdb, "Alpha One", time.Minute))[0]
	l.becomes(made, viewing.StateInDoubt)
	return made
}

// Titles, sites, sources and addresses are escaped.
func TestTitlesAreEscaped(t *testing.T) {
	l := looking(t)
	id := l.held("a")
	for _, page := range []string{"/", "/diary", fmt.Sprintf("/diary/%d", id), "/review", "/diary?" + url.Values{"words": {"script"}, "reason": {evil}, "source": {evil}}.Encode()} {
		body := l.sees(page)
		if strings.Contains(body, "<script>") || strings.Contains(body, `"javascript:`) || strings.Contains(body, "ZgotmplZ") || strings.Contains(body, `'"&`) {
			t.Errorf("%s has markup from a title:\n%s", page, body)
		}
	}
	l.sees("/diary", html.EscapeString("<script>alert"))
}

// Each action on the page of an entry works.
func TestActsOnOneEntry(t *testing.T) {
	l := looking(t)
	l.pause()
	waiting := l.commits("browser:x", movie("w", 550, "Beta", time.Minute))[0]
	l.acts(waiting, "hold")
	if e := l.entry(waiting); e.State != viewing.StateHeld || e.Reason != viewing.ReasonUser {
		t.Errorf("hold: %s", stateOf(e))
	}
	l.acts(waiting, "release")
	if e := l.entry(waiting); e.State != viewing.StatePending {
		t.Errorf("release: %s", stateOf(e))
	}
	at := time.Now().Add(-3 * time.Hour).Truncate(time.Second)
	l.acts(waiting, "time", "day", at.Local().Format(time.DateOnly), "clock", at.Local().Format(time.TimeOnly))
	if e := l.entry(waiting); !e.WatchedAt.Time().Equal(at) {
		t.Errorf("time: %s, want %s", e.WatchedAt.Time(), at)
	}
	l.acts(waiting, "drop")
	if e := l.entry(waiting); e.State != viewing.StateDropped {
		t.Errorf("drop: %s", stateOf(e))
	}
	l.sees("/diary", "“Beta” was discarded.")
	l.acts(waiting, "release")
	if e := l.entry(waiting); e.State != viewing.StatePending {
		t.Errorf("release of what was dropped: %s", stateOf(e))
	}
}

// An undo on the page shows what it deletes before it does so.
func TestUndoOnThePage(t *testing.T) {
	l := looking(t)
	id := l.commits("browser:x", movie("a", 603, "Alpha One", time.Minute))[0]
	l.becomes(id, viewing.StateDelivered)
	page := fmt.Sprintf("/diary/%d", id)
	form := l.form(l.sees(page), page+"/undo")
	answer := l.ask(http.MethodPost, page+"/undo", form)
	if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "The service has it, and nothing else would go with it.") || strings.Count(answer.Body.String(), page+"/undo\"") != 1 || l.recorded() != 1 {
		t.Fatalf("%d, the service has %d\n%s", answer.Code, l.recorded(), answer.Body)
	}
	l.does(page+"/undo", l.form(answer.Body.String(), page+"/undo"))
	if e := l.entry(id); e.State != viewing.StateDropped || l.recorded() != 0 {
		t.Errorf("%s, the service has %d", stateOf(e), l.recorded())
	}
}

func TestSettleOnThePage(t *testing.T) {
	l := looking(t)
	for i, as := range []viewing.State{viewing.StateDelivered, viewing.StateRejected} {
		id := l.doubtful(string(as), int64(603+i))
		page := fmt.Sprintf("/diary/%d", id)
		form := l.form(l.sees(page, "It’s there", "It’s missing"), page+"/settle")
		l.refused(page+"/settle", with(form, "as", "sending"), "not delivered, rejected or dropped")
		l.does(page+"/settle", with(form, "as", string(as)))
		if e := l.entry(id); e.State != as {
			t.Errorf("%s, want %s", stateOf(e), as)
		}
	}
}

// input returns the value of a field on a page.
func input(body, name string) string {
	field := regexp.MustCompile(`<input [^>]*name="` + name + `" value="([^"]*)"`).FindStringSubmatch(body)
	return append(field, "", "no such field")[1]
}

// An entry with only a date shows no time of day, and stays so if its form is saved unchanged.
func TestEntryWithoutTimeOfDay(t *testing.T) {
	l := looking(t)
	l.pause()
	v := movie("a", 603, "Alpha One", 0)
	at := time.Now().AddDate(0, 0, -1)
	noon := time.Date(at.Year(), at.Month(), at.Day(), 12, 0, 0, 0, time.Local)
	v.WatchedAt = viewing.At(noon)
	v.WatchedAt.Precision = viewing.Day
	id := l.commits("browser:x", v)[0]
	day := noon.Format(time.DateOnly)
	when := `<time datetime="` + day + `">yesterday</time>`
	l.sees("/", when)
	page := fmt.Sprintf("/diary/%d", id)
	l.sees("/diary", `<time class="clock" datetime="`+day+`"></time>`)
	body := l.sees(page, when)
	day, clock := input(body, "day"), input(body, "clock")
	l.acts(id, "time", "day", day, "clock", clock) // saved unchanged
	if e := l.entry(id); !e.DayOnly || !e.WatchedAt.Time().Equal(noon) || clock != "" {
		t.Errorf("saved unchanged, %q %q became %v, a day alone %v", day, clock, e.WatchedAt.Time(), e.DayOnly)
	}
	l.acts(id, "time", "day", day, "clock", "20:15")
	if e := l.entry(id); e.DayOnly || e.WatchedAt.Time().Local().Format("15:04") != "20:15" {
		t.Errorf("with a time of day: %v, a day alone %v", e.WatchedAt.Time(), e.DayOnly)
	}
}

// "Check again" asks the service again, from the entry and from Review.
func TestCheckAgainOnThePage(t *testing.T) {
	l := looking(t)
	for match, fault := range map[string]string{"POST /history": "drop-before", "GET /history": "bare:404"} {
		must(t, l.box.Arm(sandbox.Fault{Match: match, Fault: fault, Times: 1}))
	}
	changed, stop := l.d.store.Subscribe()
	defer stop()
	id := l.commits("browser:x", movie("a", 603, "Alpha One", time.Minute))[0]
	for l.entry(id).Reason != "doubt.waits" { // the service shows no history
		<-changed
	}
	page := fmt.Sprintf("/diary/%d", id)
	l.sees("/review", "Look again at all")
	asked := func() int {
		x, err := l.d.Control().Explain(t.Context(), id)
		must(t, err)
		n := 0
		for _, s := range x.Steps {
			if s.Code == "user.rechecked" {
				n++
			}
		}
		return n
	}
	l.does(page+"/recheck", l.form(l.sees(page, "Look again"), page+"/recheck"))
	l.sees(page, "The service is asked again whether it has", "You had the service asked again.")
	if n := asked(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	l.does("/diary/do", url.Values{"verb": {"recheck"}, "scope": {"all"}, "state": {"in_doubt"}, "upTo": {"99"}, "back": {"/review"}})
	l.sees("/review", "The service is asked again about 1 entry.")
	if e := l.entry(id); e.State != viewing.StateInDoubt || l.recorded() != 0 {
		t.Errorf("it is %s, the service has %d", stateOf(e), l.recorded())
	}
}

// A title is searched, a candidate is chosen and the entry is sent. Entries with the same clue
// follow only if the correction is remembered.
func TestCorrectionOnThePage(t *testing.T) {
	for _, remember := range []bool{true, false} {
		l := looking(t)
		first, second := l.unnamed("a", "The Dune Film"), l.unnamed("b", "The Dune Film")
		page := fmt.Sprintf("/diary/%d", first)
		form := l.form(l.sees(page, `value="The Dune Film"`), page+"/search")
		answer := l.ask(http.MethodPost, page+"/search", with(form, "what", "Dune"))
		found := html.UnescapeString(answer.Body.String())
		if answer.Code != http.StatusOK || !strings.Contains(found, `value="841 1984 Dune"`) {
			t.Fatalf("%d\n%s", answer.Code, found)
		}
		choice := with(l.form(answer.Body.String(), page+"/choose"), "choice", "841 1984 Dune")
		if remember {
			choice.Set("remember", "yes")
		}
		l.does(page+"/choose", choice)
		said := l.sees(page, "It is “Dune (1984)” now.", "<h1>Dune</h1>")
		if strings.Contains(said, "1 other entry followed.") != remember || strings.Contains(l.sees(page), `class="flash"`) {
			t.Errorf("remembered %v: it is not said once what followed:\n%s", remember, said)
		}
		l.becomes(first, viewing.StateDelivered)
		if e := l.entry(first); e.Media.IDs.TMDB != 841 {
			t.Errorf("it is %s", e.Media.Key())
		}
		if e := l.entry(second); (e.Media.IDs.TMDB == 841) != remember {
			t.Errorf("remembered %v: the other one is %s", remember, e.Media.Key())
		}
	}
}

// The user can enter an unknown season and episode.
func TestCorrectEpisodeOnThePage(t *testing.T) {
	for _, remember := range []string{"yes", ""} {
		l := looking(t)
		v := movie("e", 0, "", time.Minute)
		v.Media[0] = viewing.Media{Type: viewing.Episode, Show: &viewing.Show{Title: "Fargo the Series"}}
		id := l.commits("browser:x", v)[0]
		page := fmt.Sprintf("/diary/%d", id)
		form := with(l.form(l.sees(page), page+"/search"), "what", "Fargo")
		for _, bad := range []string{"x", "-1", "99999999999999999999"} {
			l.refused(page+"/search", with(with(form, "season", bad), "episode", "1"), "are numbers")
		}
		answer := l.ask(http.MethodPost, page+"/search", with(with(form, "season", "2"), "episode", "5"))
		if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `value="60622 2014 Fargo"`) {
			t.Fatalf("%d\n%s", answer.Code, answer.Body)
		}
		l.does(page+"/choose", with(with(l.form(answer.Body.String(), page+"/choose"), "choice", "60622 2014 Fargo"), "remember", remember))
		l.becomes(id, viewing.StateDelivered)
		if e := l.entry(id); e.Media.Key() != "episode:60622:2:5" {
			t.Errorf("it is %s", e.Media.Key())
		}
	}
}

// An action on an outdated page does not repeat or revert the change of another tab.
func TestOutdatedPageRepeatsNothing(t *testing.T) {
	l := looking(t)
	l.pause()
	id := l.held("a")
	page := fmt.Sprintf("/diary/%d", id)
	older := l.sees(page)
	l.acts(id, "drop")
	for act, fields := range map[string][]string{"release": nil, "drop": nil, "time": {"day", "2026-03-01"}, "search": {"what", "Dune"}} {
		form := l.form(older, page+"/"+act)
		if fields != nil {
			form.Set(fields[0], fields[1])
		}
		l.refused(page+"/"+act, form, "This entry has changed meanwhile")
	}
	for _, act := range []string{"retry", "hold", "settle", "undo", "choose"} {
		l.refused(page+"/"+act, url.Values{"version": {"held review 0 0"}, "id": {fmt.Sprint(id)}}, "This entry has changed meanwhile")
	}
	if e := l.entry(id); e.State != viewing.StateDropped {
		t.Errorf("it is %s", stateOf(e))
	}
}

// Invalid forms change nothing and return an explanation.
func TestInvalidForms(t *testing.T) {
	l := looking(t)
	l.pause()
	id := l.held("a")
	page := fmt.Sprintf("/diary/%d", id)
	body := l.sees(page)
	for _, c := range []struct{ act, name, value, want string }{
		{"time", "day", "when?", "is not a time"},
		{"time", "day", "", "Type a date and a time"},
		{"time", "day", "9999-12-31T23:59:59", "lies ahead"},
		{"time", "day", "1700-01-01T00:00", "That didn’t work."},
		{"search", "what", "  ", "Type 1 to 20"},
		{"search", "what", strings.Repeat("x", 301), "Type 1 to 20"},
		{"search", "what", "\xff\xfe", "Type 1 to 20"},
	} {
		l.refused(page+"/"+c.act, with(l.form(body, page+"/"+c.act), c.name, c.value), c.want)
	}
	version := l.form(body, page+"/drop").Get("version")
	for _, choice := range []string{"", "x", "0 0 x", "-1 2021 Dune", "1", "99999999999999999999 1 x", "9007199254740993 1 x"} {
		l.refused(page+"/choose", url.Values{"version": {version}, "choice": {choice}}, "")
	}
	for _, path := range []string{"/diary/0", "/diary/-1", "/diary/x", "/diary/99999999999999999999", "/diary/7", "/diary/%00", "/diary/%ff"} {
		if answer := l.ask(http.MethodGet, path, nil); answer.Code != http.StatusNotFound && answer.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", path, answer.Code)
		}
		l.refused(path+"/drop", url.Values{"version": {version}}, "")
	}
	for _, question := range []string{"state=lost", "from=1", "to=x", "words=" + strings.Repeat("a+", 21), "words=" + strings.Repeat("x", 301), "words=%ff%zz", "past=-1", "past=99999999999999999999.1", "past=-9223372036854775808.-1", "past=9223372036854775807.9", "kind=%00"} {
		l.sees("/diary?" + question)
	}
	if e := l.entry(id); e.State != viewing.StateHeld || e.Media.IDs.TMDB != 603 {
		t.Errorf("it is %s, %s", stateOf(e), e.Media.Key())
	}
}

// The diary is ordered by the time of watching across pages, also for imported entries of earlier
// years.
func TestDiaryIsOrderedByWatchTime(t *testing.T) {
	l := looking(t)
	l.pause()
	const films = 120
	var want []string
	for i := range films {
		ago := time.Duration(films-i) * time.Hour
		if i < 60 {
			ago += 20 * 365 * 24 * time.Hour
		}
		if i%4 == 0 {
			ago = time.Duration(films-i/8*8) * time.Hour // some at the same time
		}
		l.commits("kodi:x", movie(fmt.Sprint("v", i), int64(1000+i), fmt.Sprint("Film ", i), ago))
	}
	all, err := l.d.Control().List(t.Context(), entry.Filter{Limit: films})
	must(t, err)
	slices.SortStableFunc(all, func(a, b entry.Entry) int {
		return cmp.Or(cmp.Compare(b.WatchedAt.Millis, a.WatchedAt.Millis), cmp.Compare(b.ID, a.ID))
	})
	for _, e := range all {
		want = append(want, fmt.Sprint(e.ID))
	}
	var got []string
	rows := regexp.MustCompile(`name="entry" value="(\d+)"`)
	for page := "/diary"; page != ""; {
		body := l.sees(page)
		for _, row := range rows.FindAllStringSubmatch(body, -1) {
			got = append(got, row[1])
		}
		page = link(body, "Older")
	}
	if !slices.Equal(got, want) {
		t.Errorf("the diary goes\n%v, want\n%v", got, want)
	}
}
