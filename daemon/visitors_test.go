package daemon

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// visitor is a browser on a socket of its own that is paired.
type visitor struct {
	*besieged
	box    *sandbox.Service
	id     string
	socket *websocket.Conn
}

// visited is a daemon with a service and one browser called Chrome. change may be
// nil.
func visited(t *testing.T, change func(*Options)) *visitor {
	t.Helper()
	box, base := openSandbox(t)
	b := besiege(t, func(o *Options) {
		o.Config.Accounts["default"] = config.Account{BaseURL: base, KeyHeader: "x-api-key"}
		if change != nil {
			change(o)
		}
		keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
		if err := keys.Save(config.Credential{Account: "default", BaseURL: base, Key: config.NewSecret(box.SecretKey())}); err != nil {
			t.Fatal(err)
		}
	})
	v := &visitor{besieged: b, box: box}
	v.socket, _ = b.knock(theExtension, "")
	if v.socket == nil {
		t.Fatal("no socket")
	}
	t.Cleanup(func() { _ = v.socket.Close() })
	_ = v.socket.SetReadDeadline(time.Now().Add(time.Minute))
	v.say(`{"type":"hello","v":1,"client":{"name":"Filmspool","version":"1","browser":"chromium"},"language":"de-AT"}`)
	v.hear("welcome")
	v.say(`{"type":"pair","id":"p","code":"` + b.d.pairing.NewCode().Text + `","label":"Chrome"}`)
	v.id, _ = v.hear("paired")["clientId"].(string)
	return v
}

// paused pauses the account, and waits until it is.
func (v *visitor) paused() {
	v.Helper()
	mood, stop := v.d.accounts[0].loop.Subscribe()
	defer stop()
	if _, err := v.d.Control().Pause(v.Context(), control.Pause{Account: "default"}); err != nil {
		v.Fatal(err)
	}
	for v.status().Accounts[0].State != account.Paused {
		<-mood
	}
}

func (v *visitor) say(frame string) {
	v.Helper()
	if err := v.socket.WriteMessage(websocket.TextMessage, []byte(frame)); err != nil {
		v.Fatal(err)
	}
}

// hear is the next message that is no pushed status; it must be of a type.
func (v *visitor) hear(kind string) map[string]any {
	v.Helper()
	for {
		var m map[string]any
		if err := v.socket.ReadJSON(&m); err != nil {
			v.Fatal(err)
		}
		if m["type"] == kind {
			return m
		}
		if m["type"] != "status" {
			v.Fatalf("heard %v, want %s", m, kind)
		}
	}
}

func (v *visitor) status() control.Status {
	v.Helper()
	s, err := v.d.Control().Status(v.Context())
	if err != nil {
		v.Fatal(err)
	}
	return s
}

// watched reports a film and waits until it is at the service.
func (v *visitor) watched(id string, tmdb int, at string) {
	v.Helper()
	before := v.status().Counts.Delivered
	frame, err := json.Marshal(map[string]any{
		"type": "viewing", "id": id, "media": map[string]any{"type": "movie", "ids": map[string]any{"tmdb": tmdb}}, "watchedAt": at,
	})
	if err != nil {
		v.Fatal(err)
	}
	changed, stop := v.d.store.Subscribe()
	defer stop()
	v.say(string(frame))
	v.hear("ack")
	for v.status().Counts.Delivered == before {
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			v.Fatalf("not delivered: %+v", v.status())
		}
	}
}

func (v *visitor) recorded() int {
	v.Helper()
	r, err := v.box.Records(v.Context())
	if err != nil {
		v.Fatal(err)
	}
	return len(r.History)
}

const (
	one = "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d01"
	two = "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d02"
)

func TestBrowserAsksWhatAFilmIs(t *testing.T) {
	v := visited(t, nil)
	v.say(`{"type":"resolve","id":"a","media":{"type":"movie","title":"The Matrix","year":1999}}`)
	got := v.hear("resolved")
	media, _ := got["media"].(map[string]any)
	ids, _ := media["ids"].(map[string]any)
	if got["outcome"] != protocol.Certain || ids["tmdb"] != 603.0 || media["title"] != "The Matrix" {
		t.Errorf("heard %v", got)
	}
	v.say(`{"type":"resolve","id":"b","media":{"type":"movie","title":"Dune"}}`)
	got = v.hear("resolved")
	if list, _ := got["candidates"].([]any); got["outcome"] != protocol.Open || len(list) != 1 {
		t.Errorf("heard %v", got)
	}
	v.paused()
	v.say(`{"type":"resolve","id":"c","media":{"type":"movie","title":"Dune","year":2021}}`)
	if got = v.hear("resolved"); got["outcome"] != protocol.Later {
		t.Errorf("heard %v", got)
	}
	dune := viewing.Media{Type: viewing.Movie, Title: "Dune", Year: 2021}
	_, err := v.d.store.Correct(t.Context(), queue.Correcting{Told: dune, Is: identity.Candidate{Type: viewing.Movie, TMDB: 438631}})
	if err != nil {
		t.Fatal(err)
	}
	v.say(`{"type":"resolve","id":"d","media":{"type":"movie","title":"DUNE","year":2021}}`)
	got = v.hear("resolved")
	media, _ = got["media"].(map[string]any)
	if ids, _ = media["ids"].(map[string]any); got["outcome"] != protocol.Certain || ids["tmdb"] != 438631.0 {
		t.Errorf("by a correction: heard %v", got)
	}
	if v.recorded() != 0 || v.status().Counts.Held != 0 {
		t.Errorf("something was recorded: %+v", v.status().Counts)
	}
}

// Where the person approves what was looked up, a browser hears of candidates alone.
// What the person has said is certain.
func TestABrowserIsNotCertainOfWhatThePersonApproves(t *testing.T) {
	v := visited(t, func(o *Options) { o.Config.Hold = "uncertain" })
	const ask = `{"type":"resolve","id":"a","media":{"type":"movie","title":"The Matrix","year":1999}}`
	v.say(ask)
	if got := heard(v.hear("resolved")); got != "open movie603" {
		t.Errorf("heard %s", got)
	}
	v.say(`{"type":"resolve","id":"b","media":{"type":"episode","show":{"title":"Breaking Bad","year":2008},"season":2,"episode":6}}`)
	if got := heard(v.hear("resolved")); got != "open tv1396" {
		t.Errorf("of an episode: heard %s", got)
	}
	told := viewing.Media{Type: viewing.Movie, Title: "The Matrix", Year: 1999}
	if _, err := v.d.store.Correct(t.Context(), queue.Correcting{Told: told, Is: identity.Candidate{Type: viewing.Movie, TMDB: 604}}); err != nil {
		t.Fatal(err)
	}
	v.say(ask)
	if got := heard(v.hear("resolved")); got != "certain 604" {
		t.Errorf("by a correction: heard %s", got)
	}
}

func TestBrowserAsksByWords(t *testing.T) {
	v := visited(t, nil)
	for kind, want := range map[string]string{"": "[movie 275 tv 60622]", `,"kind":"tv"`: "[tv 60622]", `,"kind":"movie"`: "[movie 275]"} {
		v.say(`{"type":"candidates","id":"c","words":"fargo"` + kind + `}`)
		got := v.hear("resolved")
		names := []string{}
		list, _ := got["candidates"].([]any)
		for _, one := range list {
			c, _ := one.(map[string]any)
			names = append(names, fmt.Sprint(c["type"], " ", c["tmdb"]))
			if c["title"] != "Fargo" || c["year"] == nil {
				t.Errorf("without its name: %v", c)
			}
		}
		if got["outcome"] != protocol.Open || got["media"] != nil || fmt.Sprint(names) != want {
			t.Errorf("%s: heard %v", kind, got)
		}
	}
	v.say(`{"type":"candidates","id":"c","words":"nobody knows this"}`)
	if got := v.hear("resolved"); got["outcome"] != protocol.Open || got["candidates"] != nil {
		t.Errorf("heard %v", got)
	}
	if v.recorded() != 0 || v.status().Counts.Held != 0 {
		t.Errorf("something was recorded: %+v", v.status().Counts)
	}
}

// That films could not be asked for counts, even though series could.
func TestBrowserAsksByWordsAgainWhereHalfCouldNotBeAsked(t *testing.T) {
	v := visited(t, nil)
	if err := v.box.Arm(sandbox.Fault{Match: "POST /media/resolve/batch", Fault: "retry-after:7", Times: 1}); err != nil {
		t.Fatal(err)
	}
	v.say(`{"type":"candidates","id":"c","words":"nobody knows this"}`)
	if got := v.hear("resolved"); got["outcome"] != protocol.Later || got["retryAfterMs"] != 7000.0 {
		t.Errorf("heard %v", got)
	}
}

// What a person says in one browser holds for all sources.
func TestWhatAPersonSaysInABrowserIsRemembered(t *testing.T) {
	v := visited(t, nil)
	const show = `"type":"episode","show":{"title":"The Long Night"}`
	tell := func(is string) {
		t.Helper()
		v.say(`{"type":"correct","id":"t","media":{` + show + `}` + is + `}`)
	}
	asked := func(media string) map[string]any {
		t.Helper()
		v.say(`{"type":"resolve","id":"r","media":{` + media + `}}`)
		return v.hear("resolved")
	}
	if got := asked(show + `,"season":2,"episode":5`); got["outcome"] != protocol.Open {
		t.Fatalf("heard %v", got)
	}
	if _, err := v.d.store.Commit(t.Context(), viewing.Batch{Source: "kodi:/k", Events: []viewing.Event{{
		Kind: viewing.KindViewing, EventID: "k", Count: 1, WatchedAt: viewing.At(time.Date(2026, 3, 7, 20, 15, 30, 0, time.UTC)),
		Media: []viewing.Media{{Type: viewing.Episode, Show: &viewing.Show{Title: "the long night"}, Season: new(2), Episode: new(4)}},
	}}}); err != nil {
		t.Fatal(err)
	}
	tell(`,"is":{"type":"tv","tmdb":1396,"title":"Breaking Bad"}`)
	if got := v.hear("corrected"); got["changed"] != 1.0 {
		t.Errorf("heard %v", got)
	}
	got := asked(show + `,"season":2,"episode":6`)
	media, _ := got["media"].(map[string]any)
	if is, _ := media["show"].(map[string]any); got["outcome"] != protocol.Certain || fmt.Sprint(is["ids"]) != "map[tmdb:1396]" || media["season"] != 2.0 || media["episode"] != 6.0 {
		t.Errorf("heard %v", got)
	}
	const was = `,"was":{"type":"tv","tmdb":1396}`
	tell(was)
	if got := v.hear("corrected"); got["changed"] != 0.0 {
		t.Errorf("heard %v", got)
	}
	if got := asked(show + `,"season":2,"episode":7`); got["outcome"] != protocol.Open {
		t.Errorf("forgotten, and yet %v", got)
	}
	tell(was) // of what is forgotten
	v.hear("corrected")
	v.say(`{"type":"correct","id":"t","media":{"type":"movie"},"is":{"type":"movie","tmdb":603}}`)
	if got := v.hear("error"); got["code"] != string(protocol.Refused) {
		t.Errorf("heard %v", got)
	}
}

// A later answer, of another browser or of the command line, is not this one's to
// take back.
func TestABrowserForgetsOnlyTheAnswerItTakesBack(t *testing.T) {
	v := visited(t, nil)
	left := func() (are []int64) {
		t.Helper()
		all, err := v.d.store.Corrections(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			are = append(are, c.Is.TMDB)
		}
		return are
	}
	correct := func(title string, is int64) {
		t.Helper()
		said := queue.Correcting{Told: viewing.Media{Type: viewing.Movie, Title: title}, Is: identity.Candidate{Type: viewing.Movie, TMDB: is}}
		if _, err := v.d.store.Correct(t.Context(), said); err != nil {
			t.Fatal(err)
		}
	}
	correct("Another", 600)
	correct("Our Film", 604)
	for _, c := range []struct {
		was  int
		left []int64
	}{{603, []int64{600, 604}}, {600, []int64{600, 604}}, {604, []int64{600}}} {
		v.say(fmt.Sprintf(`{"type":"correct","id":"t","media":{"type":"movie","title":"OUR film"},"was":{"type":"movie","tmdb":%d}}`, c.was))
		v.hear("corrected")
		if are := left(); !slices.Equal(are, c.left) {
			t.Errorf("%d taken back: %v are left, want %v", c.was, are, c.left)
		}
	}
}

func TestBrowserTakesBackItsOwnEvents(t *testing.T) {
	v := visited(t, nil)
	undo := func(event string) { v.say(`{"type":"undo","id":"u","event":"` + event + `"}`) }
	v.watched(one, 603, "2026-03-01T20:15:00+01:00")
	undo(strings.ToUpper(one))
	if got := v.hear("undone"); got["removed"] != true || v.recorded() != 0 {
		t.Errorf("heard %v, and %d are recorded", got, v.recorded())
	}
	undo(one) // the answer may have been lost
	if got := v.hear("undone"); got["removed"] != false {
		t.Errorf("again: heard %v", got)
	}
	undo(two)
	if got := v.hear("error"); got["code"] != string(protocol.NotFound) {
		t.Errorf("of an unknown event: heard %v", got)
	}
	// What has not left is dropped, and never sent.
	if _, err := v.d.Control().Pause(t.Context(), control.Pause{Account: "default"}); err != nil {
		t.Fatal(err)
	}
	v.say(`{"type":"viewing","id":"` + two + `","media":{"type":"movie","ids":{"tmdb":604}},"watchedAt":"2026-03-02T20:15:00Z"}`)
	v.hear("ack")
	undo(two)
	if got := v.hear("undone"); got["removed"] != false || v.status().Counts.Pending != 0 {
		t.Errorf("heard %v, counts %+v", got, v.status().Counts)
	}
}

// TestBrowserTakesBackOfSeveralAccounts: each account for itself. What one of them
// refuses keeps no other from it. An account that nobody uses is no trouble of the
// browser's.
func TestBrowserTakesBackOfSeveralAccounts(t *testing.T) {
	box, base := openSandbox(t)
	v := visited(t, func(o *Options) {
		o.Config.Accounts["second"] = config.Account{BaseURL: base, KeyHeader: "x-api-key"}
		o.Config.Accounts["third"] = config.Account{KeyHeader: "x-api-key"}
		o.Config.Routes = map[string]any{"browser": []any{"default", "second"}}
		keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
		if err := keys.Save(config.Credential{Account: "second", BaseURL: base, Key: config.NewSecret(box.SecretKey())}); err != nil {
			t.Fatal(err)
		}
	})
	his := func() int {
		r, err := box.Records(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(r.History)
	}
	see := func(id, at string) {
		changed, stop := v.d.store.Subscribe()
		defer stop()
		before := v.status().Counts.Delivered
		v.say(`{"type":"viewing","id":"` + id + `","media":{"type":"movie","ids":{"tmdb":603}},"watchedAt":"` + at + `"}`)
		v.hear("ack")
		for v.status().Counts.Delivered < before+2 {
			<-changed
		}
	}
	see(one, "2026-03-01T20:15:00Z")
	if s := v.d.connectorStatus(t.Context()); !s.Online || s.Attention != 0 {
		t.Errorf("a browser is told %+v", s)
	}
	if s := v.status(); s.State != account.OK || s.Accounts[0].Counts.Delivered != 1 || s.Accounts[1].Counts.Delivered != 1 || s.Accounts[2].State != account.Attention {
		t.Errorf("%s: %+v", s.Summary, s.Accounts)
	}
	v.say(`{"type":"undo","id":"u","event":"` + one + `"}`)
	if got := v.hear("undone"); got["removed"] != true || v.recorded() != 0 || his() != 0 {
		t.Errorf("heard %v, and %d and %d are recorded", got, v.recorded(), his())
	}
	see(two, "2026-03-02T20:15:00Z")
	_, err := v.d.store.Commit(t.Context(), viewing.Batch{Source: "kodi:/k", Events: []viewing.Event{{ // the default account's
		Kind: viewing.KindViewing, EventID: "k", Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}}, Count: 1,
		WatchedAt: viewing.At(time.Date(2026, 3, 2, 20, 15, 30, 0, time.UTC)),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	v.say(`{"type":"undo","id":"u","event":"` + two + `"}`)
	const gone = "it is gone from the account second; elsewhere: "
	if got := v.hear("error"); got["message"] != gone+"another source saw the same playback, so it stays" || v.recorded() != 1 || his() != 0 {
		t.Errorf("heard %v, and %d and %d are recorded", got, v.recorded(), his())
	}
	const three = "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d03"
	see(three, "2026-03-09T20:15:00Z")
	v.say(`{"type":"undo","id":"u","event":"` + three + `"}`)
	got := v.hear("error")
	words, _ := got["message"].(string)
	if !strings.HasPrefix(words, gone+"the service would take away all 2") || !strings.HasSuffix(words, " (you can take it away at the service itself)") ||
		v.recorded() != 2 || his() != 0 {
		t.Errorf("heard %v, and %d and %d are recorded", got, v.recorded(), his())
	}
}

func TestWhatCannotBeTakenBackIsToldPlainly(t *testing.T) {
	v := visited(t, nil)
	v.watched(one, 603, "2026-03-01T20:15:00Z")
	v.watched(two, 603, "2026-03-05T20:15:00Z")
	v.say(`{"type":"undo","id":"u","event":"` + one + `"}`)
	got := v.hear("error")
	words, _ := got["message"].(string)
	if got["code"] != string(protocol.Refused) || !strings.HasPrefix(words, "the service would take away all 2 viewings of it") {
		t.Errorf("heard %v", got)
	}
	if v.recorded() != 2 {
		t.Errorf("%d are recorded", v.recorded())
	}
	// What another source has seen too is not this browser's alone.
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 605}}
	const three = "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d03"
	v.watched(three, 605, "2026-03-07T20:15:00Z")
	_, err := v.d.store.Commit(t.Context(), viewing.Batch{Source: "kodi:/k", Events: []viewing.Event{{
		Kind: viewing.KindViewing, EventID: "k", Media: []viewing.Media{film}, Count: 1,
		WatchedAt: viewing.At(time.Date(2026, 3, 7, 20, 15, 30, 0, time.UTC)),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	v.say(`{"type":"undo","id":"u","event":"` + three + `"}`)
	if got := v.hear("error"); got["message"] != "another source saw the same playback, so it stays" {
		t.Errorf("heard %v", got)
	}
}

func TestViewingsThatWaitInABrowserNeedThePerson(t *testing.T) {
	v := visited(t, nil)
	v.say(`{"type":"waiting","viewings":13}`)
	v.say(`{"type":"ping"}`)
	v.hear("pong")
	const words = "13 viewings wait in the browser Chrome for your answer"
	s := v.status()
	if s.State != account.Attention || s.Summary != words+"." || !strings.Contains(s.Hint, "answer there") {
		t.Errorf("%s: %s (%s)", s.State, s.Summary, s.Hint)
	}
	if src := s.Sources[0]; src.State != account.Attention || src.Waiting != 13 || src.Detail != "Chrome" || src.LastSeen == nil {
		t.Errorf("source %+v", src)
	}
	if err := v.d.Control().Revoke(t.Context(), v.id); err != nil {
		t.Fatal(err)
	}
	if s := v.status(); s.State != account.OK || len(s.Sources) != 0 {
		t.Errorf("after it was revoked: %s %+v", s.Summary, s.Sources)
	}
}

// TestABrowserIsToldOfProblemsInItsLanguage, and no more of them than fit. What waits in
// the browser itself it shows without being told.
func TestABrowserIsToldOfProblemsInItsLanguage(t *testing.T) {
	v := visited(t, func(o *Options) { o.Config.Hold = "all" })
	v.say(`{"type":"waiting","viewings":13}`)
	e, err := v.d.Control().Add(t.Context(), viewing.Event{
		Kind: viewing.KindViewing, EventID: "e", Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}}, Count: 1, WatchedAt: viewing.At(time.Now()),
	})
	if err != nil {
		t.Fatal(err)
	}
	v.say(`{"type":"status","id":"s"}`)
	v.say(`{"type":"ping"}`)
	want := []any{map[string]any{
		"code": "entries-held", "severity": "needs you",
		"text": "1 Eintrag ist angehalten, bis du entscheidest.", "act": "Gib frei, was du gesehen hast, und verwirf den Rest.",
	}}
	if diff := cmp.Diff(want, v.answer("s")["problems"]); diff != "" {
		t.Error(diff)
	}
	if _, err := v.d.Control().Operate(t.Context(), control.Order{Verb: "drop", Selection: entry.Selection{IDs: []int64{e.ID}}}); err != nil {
		t.Fatal(err)
	}
	v.say(`{"type":"status","id":"t"}`)
	if got := v.answer("t"); got["problems"] != nil {
		t.Errorf("after the decision: %v", got)
	}
}

// answer is the status with an id.
func (v *visitor) answer(id string) (m map[string]any) {
	v.Helper()
	for m["id"] != id || m["type"] != "status" {
		m = nil
		if err := v.socket.ReadJSON(&m); err != nil {
			v.Fatal(err)
		}
	}
	return m
}

// A site that the browser cannot read any more is told, and needs nobody.
func TestASiteThatABrowserCannotReadIsTold(t *testing.T) {
	v := visited(t, nil)
	for _, c := range []struct {
		frame  string
		unread []string
	}{
		{`{"type":"waiting","viewings":0,"unread":["Nordlicht"]}`, []string{"Nordlicht"}},
		{`{"type":"waiting","viewings":0}`, nil},
	} {
		v.say(c.frame)
		v.say(`{"type":"ping"}`)
		v.hear("pong")
		if s := v.status(); s.State != account.OK || s.Sources[0].State != account.OK || !slices.Equal(s.Sources[0].Unread, c.unread) {
			t.Errorf("after %s: %s, %+v", c.frame, s.State, s.Sources[0])
		}
	}
}
