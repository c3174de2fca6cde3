package daemon

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// pairedBrowser is a running daemon with the socket of a paired browser.
type pairedBrowser struct {
	*runningDaemon
	box    *sandbox.Service
	id     string
	socket *websocket.Conn
}

// startPaired runs a daemon with a tracking service and a paired browser called Chrome. change
// may be nil.
func startPaired(t *testing.T, change func(*Options)) *pairedBrowser {
	t.Helper()
	box, base := openSandbox(t)
	b := runDaemon(t, func(o *Options) {
		o.Config.Accounts["default"] = config.Account{BaseURL: base, KeyHeader: "x-api-key"}
		if change != nil {
			change(o)
		}
		keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
		must(t, keys.Save(config.Credential{Account: "default", BaseURL: base, Key: config.NewSecret(box.SecretKey())}))
	})
	v := &pairedBrowser{runningDaemon: b, box: box}
	v.socket, _ = b.openSocket(theExtension, "")
	if v.socket == nil {
		t.Fatal("no socket")
	}
	t.Cleanup(func() { _ = v.socket.Close() })
	_ = v.socket.SetReadDeadline(time.Now().Add(time.Minute))
	v.say(`{"type":"hello","v":1,"client":{"name":"Filmspool","version":"1","browser":"chromium"},"language":"de-AT"}`)
	v.receive("welcome")
	v.say(`{"type":"pair","id":"p","code":"` + b.d.pairing.NewCode().Text + `","label":"Chrome"}`)
	v.id, _ = v.receive("paired")["clientId"].(string)
	return v
}

// pause pauses the account and waits until the status shows it.
func (v *pairedBrowser) pause() {
	v.Helper()
	mood, stop := v.d.accounts[viewing.DefaultAccount].loop.Subscribe()
	defer stop()
	if _, err := v.d.Control().Pause(v.Context(), control.Pause{Account: "default"}); err != nil {
		v.Fatal(err)
	}
	for v.status().Accounts[0].State != account.Paused {
		<-mood
	}
}

func (v *pairedBrowser) say(frame string) {
	v.Helper()
	must(v, v.socket.WriteMessage(websocket.TextMessage, []byte(frame)))
}

// receive returns the next message that is not a pushed status, and fails if it has another type.
func (v *pairedBrowser) receive(kind string) map[string]any {
	v.Helper()
	for {
		var m map[string]any
		must(v, v.socket.ReadJSON(&m))
		if m["type"] == kind {
			return m
		}
		if m["type"] != "status" {
			v.Fatalf("heard %v, want %s", m, kind)
		}
	}
}

func (v *pairedBrowser) status() control.Status {
	v.Helper()
	s, err := v.d.Control().Status(v.Context())
	must(v, err)
	return s
}

func (v *pairedBrowser) recorded() int {
	v.Helper()
	r, err := v.box.Records(v.Context())
	must(v, err)
	return len(r.History)
}

// The status for a browser contains problems in its language, at most protocol.MaxProblems.
func TestBrowserStatusHasProblemsInItsLanguage(t *testing.T) {
	v := startPaired(t, func(o *Options) { o.Config.Hold = "all" })
	e, err := v.d.Control().Add(t.Context(), viewing.Event{
		Kind: viewing.KindViewing, EventID: "e", Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}}, Count: 1, WatchedAt: viewing.At(time.Now()),
	})
	must(t, err)
	v.say(`{"type":"status","id":"s"}`)
	v.say(`{"type":"ping"}`)
	want := []any{map[string]any{
		"code": "entries-held", "severity": "needs you",
		"text": "1 Eintrag braucht dein OK.", "act": "Behalte, was du gesehen hast, und verwirf den Rest.",
	}}
	if diff := cmp.Diff(want, v.answer("s")["problems"]); diff != "" {
		t.Error(diff)
	}
	if _, err := v.d.Control().Operate(t.Context(), entry.Order{Verb: "drop", Selection: entry.Selection{IDs: []int64{e.ID}}}); err != nil {
		t.Fatal(err)
	}
	v.say(`{"type":"status","id":"t"}`)
	if got := v.answer("t"); got["problems"] != nil || got["page"] != v.d.pagesURL() {
		t.Errorf("after the decision: %v", got)
	}
}

// answer requests the status with an id.
func (v *pairedBrowser) answer(id string) (m map[string]any) {
	v.Helper()
	for m["id"] != id || m["type"] != "status" {
		m = nil
		must(v, v.socket.ReadJSON(&m))
	}
	return m
}
