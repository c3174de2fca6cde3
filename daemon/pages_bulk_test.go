package daemon

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// titles returns the titles of the rows on a page of the diary, in order.
func titles(body string) (all []string) {
	for _, m := range regexp.MustCompile(`(?s)<a class="row" href="/diary/\d+">.*?<b>([^<]*)</b>`).FindAllStringSubmatch(body, -1) {
		all = append(all, html.UnescapeString(m[1]))
	}
	return all
}

// link returns the address of a link on a page, or "".
func link(body, text string) string {
	if m := regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>` + text + `</a>`).FindStringSubmatch(body); m != nil {
		return html.UnescapeString(m[1])
	}
	return ""
}

func TestSearchOnTheDiary(t *testing.T) {
	l := looking(t)
	l.pause()
	l.commits("kodi:/x", movie("a", 601, "Über den Wolken", time.Minute), movie("b", 602, "Alpha One", 50*time.Hour))
	l.commits("browser:x", movie("c", 603, "Alpha Two", time.Minute))
	l.unnamed("d", "Alpha Three")
	l.acts(l.commits("browser:x", movie("e", 606, "Gone", 90*time.Minute))[0], "drop")
	day := func(ago time.Duration) string { return time.Now().Add(-ago).Format(time.DateOnly) }
	for _, c := range []struct {
		question url.Values
		want     string
	}{
		{url.Values{}, "Alpha Three, Alpha Two, Über den Wolken, Alpha One"},
		{url.Values{"state": {"dropped"}}, "Gone"},
		{url.Values{"words": {"über"}}, "Über den Wolken"},
		{url.Values{"words": {"two ALPHA"}}, "Alpha Two"},
		{url.Values{"words": {"kodi alpha"}}, "Alpha One"},
		{url.Values{"state": {"held"}}, "Alpha Three"},
		{url.Values{"source": {"kodi"}}, "Über den Wolken, Alpha One"},
		{url.Values{"from": {day(50 * time.Hour)}, "to": {day(50 * time.Hour)}}, "Alpha One"},
		{url.Values{"from": {day(24 * time.Hour)}, "words": {"alpha"}}, "Alpha Three, Alpha Two"},
	} {
		if got := strings.Join(titles(l.sees("/diary?"+c.question.Encode())), ", "); got != c.want {
			t.Errorf("%v: %s; want %s", c.question, got, c.want)
		}
	}
}

// preview submits the form of the diary's list and returns the page of the preview.
func (l *pageTest) preview(page, verb, scope string, ids ...int64) string {
	l.Helper()
	form := l.form(l.sees(page), "/diary/preview")
	form.Set("verb", verb)
	form.Set("scope", scope)
	for _, id := range ids {
		form.Add("entry", fmt.Sprint(id))
	}
	answer := l.ask(http.MethodPost, "/diary/preview", form)
	if answer.Code != http.StatusOK {
		l.Fatalf("%d\n%s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// A bulk action changes the selected entries; the preview and the result name those that it
// cannot change.
func TestBulkAction(t *testing.T) {
	l := looking(t)
	l.pause()
	waiting := l.commits("browser:x", movie("w", 601, "One", time.Minute), movie("v", 602, "Two", time.Minute), movie("u", 603, "Three", time.Minute))
	nameless := l.unnamed("n", "Nobody Knows")
	body := l.preview("/diary", "hold", "ticked", waiting[0], waiting[1], nameless)
	for _, want := range []string{"2 entries would be held back", "<li>2: waiting</li>", "<li>1: not identified yet</li>"} {
		if !strings.Contains(body, want) {
			t.Errorf("the preview lacks %q:\n%s", want, body)
		}
	}
	if e := l.entry(waiting[0]); e.State != viewing.StatePending {
		t.Fatalf("a preview did it: %s", stateOf(e))
	}
	l.does("/diary/do", l.form(body, "/diary/do"))
	for i, want := range []viewing.State{viewing.StateHeld, viewing.StateHeld, viewing.StatePending} {
		if e := l.entry(waiting[i]); e.State != want {
			t.Errorf("entry %d is %s, want %s", e.ID, stateOf(e), want)
		}
	}
	l.sees("/diary", "2 entries are held back.")
	if body := l.preview("/diary", "release", "ticked", nameless); strings.Contains(body, `action="/diary/do"`) || !strings.Contains(body, "0 entries would be sent") {
		t.Errorf("nothing can be done, and it is offered:\n%s", body)
	}
}

// "All" means all entries of the filter on every page, but none that were added later.
func TestBulkActionOnAllFilteredEntries(t *testing.T) {
	l := looking(t)
	l.pause()
	var films []viewing.Event
	for i := range 60 {
		films = append(films, movie(fmt.Sprint("f", i), int64(1000+i), "Red Film", time.Duration(200-i)*time.Minute))
	}
	red := l.commits("kodi:/x", films...)
	blue := l.commits("kodi:/x", movie("b", 5000, "Blue Film", time.Minute))[0]
	body := l.preview("/diary?words=red+film", "drop", "all")
	if !strings.Contains(body, "60 entries would be discarded") {
		t.Fatalf("the preview says\n%s", body)
	}
	later := l.commits("kodi:/x", movie("later", 5001, "Red Film", time.Minute))[0]
	l.does("/diary/do", l.form(body, "/diary/do"))
	for _, id := range red {
		if e := l.entry(id); e.State != viewing.StateDropped {
			t.Fatalf("entry %d is %s", id, stateOf(e))
		}
	}
	for _, id := range []int64{blue, later} {
		if e := l.entry(id); e.State != viewing.StatePending {
			t.Errorf("entry %d is %s", id, stateOf(e))
		}
	}
}

// An outdated preview does not change entries that were dropped in another tab.
func TestOutdatedPreviewChangesNothing(t *testing.T) {
	l := looking(t)
	l.pause()
	one, two := l.held("a"), l.held("b")
	form := l.form(l.preview("/diary", "release", "ticked", one, two), "/diary/do")
	l.acts(one, "drop")
	answer := l.ask(http.MethodPost, "/diary/do", form)
	if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "Something has changed meanwhile") {
		t.Fatalf("%d\n%s", answer.Code, answer.Body)
	}
	if a, b := l.entry(one), l.entry(two); a.State != viewing.StateDropped || b.State != viewing.StateHeld {
		t.Errorf("%s, %s", stateOf(a), stateOf(b))
	}
}

func TestInvalidBulkForms(t *testing.T) {
	l := looking(t)
	l.pause()
	id := l.held("a")
	ticked := func(verb string, ids ...string) url.Values { return url.Values{"verb": {verb}, "entry": ids} }
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprint(id)
	}
	for _, c := range []struct {
		form url.Values
		want string
	}{
		{url.Values{}, "Choose what to do."},
		{ticked("settle", fmt.Sprint(id)), "Choose what to do."},
		{ticked("drop"), "Tick 1 to 50"},
		{ticked("drop", many...), "Tick 1 to 50"},
		{ticked("drop", "-1"), "There is no such entry."},
		{ticked("drop", "7", fmt.Sprint(id)), "There is no entry 7."},
		{url.Values{"verb": {"drop"}, "scope": {"all"}, "upTo": {"x"}}, "The filter is broken."},
		{url.Values{"verb": {"drop"}, "scope": {"all"}, "upTo": {"9"}, "state": {"lost"}}, "The filter is broken."},
		{url.Values{"verb": {"drop"}, "scope": {"all"}, "upTo": {"9"}, "state": {"delivered"}}, "cannot be done with entries"},
	} {
		for _, path := range []string{"/diary/preview", "/diary/do"} {
			l.refused(path, c.form, c.want)
		}
	}
	if e := l.entry(id); e.State != viewing.StateHeld {
		t.Errorf("it is %s", stateOf(e))
	}
}

// cards returns the number of decisions on a page.
func cards(body string) int { return strings.Count(body, `<li class="card"`) }

// Review shows a card with the possible actions for each entry that needs the user.
func TestReviewShowsActions(t *testing.T) {
	l := looking(t)
	doubt := l.doubtful("d", 604)
	nameless, held := l.unnamed("n", "The Dune Film"), l.held("h")
	body := l.sees("/review", "The Dune Film", "It’s there", "It waits for your decision.")
	if n := cards(body); n != 3 {
		t.Fatalf("%d cards", n)
	}
	l.refused("/review/drop", url.Values{"id": {fmt.Sprint(held)}, "version": {""}}, "has changed meanwhile")
	for _, id := range []string{"", "x", "7000", "99999999999999999999"} {
		l.refused("/review/drop", url.Values{"id": {id}}, " entry")
	}
	on := func(id int64, fields ...string) url.Values {
		form := url.Values{"id": {fmt.Sprint(id)}, "back": {"/review"}}
		version := regexp.MustCompile(`name="id" value="` + fmt.Sprint(id) + `"><input type="hidden" name="version" value="([^"]*)"`).FindStringSubmatch(l.sees("/review"))
		if version == nil {
			l.Fatalf("entry %d is not on the page", id)
		}
		form.Set("version", version[1])
		for i := 0; i+1 < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		return form
	}
	answer := l.ask(http.MethodPost, "/review/search", on(nameless, "what", "Dune"))
	if answer.Code != http.StatusOK || cards(answer.Body.String()) != 1 || !strings.Contains(answer.Body.String(), `value="841 1984 Dune"`) {
		t.Fatalf("%d\n%s", answer.Code, answer.Body)
	}
	l.does("/review/choose", with(l.form(answer.Body.String(), "/review/choose"), "choice", "841 1984 Dune"))
	l.does("/review/settle", on(doubt, "as", "delivered"))
	l.does("/review/release", on(held))
	for _, id := range []int64{nameless, doubt, held} {
		l.becomes(id, viewing.StateDelivered)
	}
	if l.recorded() != 2 {
		t.Errorf("the service has %d", l.recorded())
	}
	l.sees("/review", "Nothing needs your attention.")
}

// Review groups entries by reason, in order. The rest of a large group is in the diary.
func TestReviewIsGrouped(t *testing.T) {
	l := looking(t)
	l.rejected("r", 605)
	l.doubtful("d", 604)
	l.held("h")
	var films []viewing.Event
	for i := range 12 {
		films = append(films, movie(fmt.Sprint("f", i), 0, fmt.Sprint("Film ", i), time.Minute))
	}
	for i := range 300 { // of one series
		v := movie(fmt.Sprint("e", i), 0, fmt.Sprint("Part ", i), time.Minute)
		v.Media[0] = viewing.Media{Type: viewing.Episode, Title: fmt.Sprint("Part ", i), Show: &viewing.Show{Title: "The Invented House"}, Season: intPointer(1), Episode: intPointer(i + 1)}
		films = append(films, v)
	}
	l.commits("browser:x", films...)
	body := l.sees("/review", "299 more viewings of this title wait")
	at := -1
	for _, heading := range []string{"13 titles couldn’t be identified", "1 viewing needs your OK", "1 unconfirmed", "1 was refused by the service"} {
		next := strings.Index(body, heading)
		if next <= at {
			t.Errorf("%q is not in its place:\n%s", heading, body)
		}
		at = next
	}
	if n, more := cards(body), link(body, "Show all of them"); n != 13 || more != "/diary?state=held" {
		t.Errorf("%d cards, the rest is at %q", n, more)
	}
}

// A burst is decided as a whole, without other entries.
func TestBurstIsDecidedAsAWhole(t *testing.T) {
	l := looking(t)
	l.pause()
	other := l.held("o")
	var films []viewing.Event
	for i := range 80 {
		films = append(films, movie(fmt.Sprint("f", i), int64(1000+i), "Film", time.Minute))
	}
	l.commits("program:p", films...)
	held := l.status().Counts.Held - 1
	if held < 1 {
		t.Fatal("no burst")
	}
	page := l.sees("/review", fmt.Sprintf("%d viewings arrived at once from Program", held))
	form := with(l.form(page, "/diary/preview"), "verb", "drop")
	answer := l.ask(http.MethodPost, "/diary/preview", form)
	if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), fmt.Sprintf("%d entries would be discarded", held)) {
		t.Fatalf("%d\n%s", answer.Code, answer.Body)
	}
	l.does("/diary/do", l.form(answer.Body.String(), "/diary/do"))
	if c := l.status().Counts; c.Held != 1 || c.Dropped != held || l.entry(other).State != viewing.StateHeld {
		t.Errorf("%+v", c)
	}
}

// stateOf returns the state of an entry with its reason.
func stateOf(e entry.Entry) string {
	text := strings.ReplaceAll(string(e.State), "_", " ")
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	return text
}
