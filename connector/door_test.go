package connector_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
)

// helloWith is a hello with more fields.
func helloWith(fields string) string { return strings.TrimSuffix(hello, "}") + "," + fields + "}" }

// Only an extension opens a socket, and only an extension may read who answers.
func TestOnlyExtensionsAreLetIn(t *testing.T) {
	r := start(t, nil)
	for _, tc := range []struct {
		name, origin, host string
		in                 bool
	}{
		{"extension", chromium, "", true},
		{"another extension", firefox, "", true},
		{"page", "https://evil.example", "", false},
		{"local page", "http://127.0.0.1:3000", "", false},
		{"same origin", "http://" + r.address, "", false},
		{"sandboxed frame", "null", "", false},
		{"no origin", "", "", false},
		{"rebound name", chromium, "rebind.example:43456", false},
		{"rebound name as page", "http://rebind.example:43456", "rebind.example:43456", false},
	} {
		_, answer, err := r.try(tc.origin, tc.host, []string{protocol.Subprotocol})
		if tc.in != (err == nil) {
			t.Errorf("%s: %v, %v", tc.name, answer, err)
		}
		if !tc.in && (answer == nil || answer.StatusCode != http.StatusForbidden || !strings.Contains(bodyOf(t, answer), "ORIGIN_NOT_ALLOWED")) {
			t.Errorf("%s: %v", tc.name, answer)
		}
		request, err := http.NewRequest("GET", "http://"+r.address+"/v1/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		if request.Host = tc.host; tc.origin != "" {
			request.Header.Set("Origin", tc.origin)
		}
		health, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(bodyOf(t, health)); got != `{"protocol":[1],"service":"filmspool","version":"1.2.3"}` {
			t.Errorf("%s: body %s", tc.name, got)
		}
		readable := health.Header.Get("Access-Control-Allow-Origin")
		if readable != map[bool]string{true: tc.origin}[tc.in] || health.Header.Get("Vary") != "Origin" {
			t.Errorf("%s: headers %v", tc.name, health.Header)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// A socket ends when its first message is no hello of our version in our subprotocol.
func TestFirstMessage(t *testing.T) {
	r := start(t, nil)
	for _, tc := range []struct {
		frame string
		code  protocol.Code
		close int
	}{
		{"hello?", protocol.BadJSON, protocol.CloseProtocol},
		{`{"type":"ping"}`, protocol.BadMessage, protocol.CloseProtocol},
		{`{"type":"pair","id":"1","code":"AAAAAAAA"}`, protocol.BadMessage, protocol.CloseProtocol},
		{`{"type":"hello","v":1,"client":"x"}`, protocol.BadMessage, protocol.CloseProtocol},
		{`{"type":"hello","v":2}`, protocol.UnsupportedVersion, protocol.CloseVersion},
	} {
		s := r.open(chromium)
		s.say(tc.frame)
		s.refused(tc.code)
		s.closed(tc.close)
	}
	for _, asked := range [][]string{nil, {"filmspool.v2"}} {
		s, _, err := r.try(chromium, "", asked)
		if err != nil {
			t.Fatal(err)
		}
		s.refused(protocol.UnsupportedVersion)
		s.closed(protocol.CloseVersion)
	}
}

// An unpaired client gets nothing but a welcome and pongs, and nothing of it is kept.
func TestUnpairedClientsMayOnlyPairAndPing(t *testing.T) {
	r := start(t, nil)
	s := r.open(chromium)
	s.say(hello)
	if welcome := s.hear(); welcome["paired"] != false || welcome["proof"] != nil {
		t.Errorf("welcome tells too much: %v", welcome)
	}
	for _, m := range []protocol.Message{film(1), protocol.List{ID: uuid(2), Name: "x"}, protocol.StatusRequest{ID: "s"}} {
		s.say(frameOf(t, m))
		if got := s.refused(protocol.PairingRequired); got["id"] == nil || got["retryable"] != false {
			t.Errorf("refusal %v", got)
		}
	}
	s.alive()
	if kept := r.sink.kept(); len(kept) != 0 {
		t.Errorf("kept %v", kept)
	}
}

// A token counts from the Origin that it was given to, and a program's not at all.
func TestTokens(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	_, programs := r.add("p")
	s := r.open(chromium)
	s.say(helloWith(`"token":"` + token + `"`))
	if welcome := s.hear(); welcome["paired"] != true {
		t.Errorf("welcome %v", welcome)
	}
	s.say(`{"type":"status","id":"s"}`)
	if got := s.hear(); got["type"] != "status" || got["id"] != "s" || got["pending"] != 7.0 || got["attention"] != 2.0 {
		t.Errorf("status %v", got)
	}
	for name, tc := range map[string]struct{ origin, token string }{
		"wrong":             {chromium, token + "x"},
		"of another origin": {firefox, token},
		"of a program":      {chromium, programs},
	} {
		t.Run(name, func(t *testing.T) {
			inHello, inAuth := r.open(tc.origin), r.greeted(tc.origin, "")
			inHello.say(helloWith(`"token":"` + tc.token + `"`))
			inAuth.say(`{"type":"auth","token":"` + tc.token + `"}`)
			for _, s := range []*socket{inHello, inAuth} {
				s.refused(protocol.PairingRequired)
				s.closed(protocol.CloseToken)
			}
		})
	}
}

// The daemon proves itself to the client itself, when that asks.
func TestProof(t *testing.T) {
	r := start(t, nil)
	id, token := r.pair(chromium)
	program, _ := r.add("p")
	for _, tc := range []struct {
		name, origin, fields, want string
	}{
		{"asked", chromium, `"clientId":"` + id + `","nonce":"n"`, pairing.ProofFor(token, "n")},
		{"no nonce", chromium, `"clientId":"` + id + `"`, ""},
		{"no client", chromium, `"nonce":"n"`, ""},
		{"unknown client", chromium, `"clientId":"0000000000000000","nonce":"n"`, ""},
		{"another origin", firefox, `"clientId":"` + id + `","nonce":"n"`, ""},
		{"a program", chromium, `"clientId":"` + program + `","nonce":"n"`, ""},
	} {
		s := r.open(tc.origin)
		s.say(helloWith(tc.fields))
		if got, _ := s.hear()["proof"].(string); got != tc.want {
			t.Errorf("%s: proof %q, want %q", tc.name, got, tc.want)
		}
	}
}

// A code pairs a socket, which may report from then on, until it is revoked.
func TestPairingOnASocket(t *testing.T) {
	r := start(t, nil)
	code := r.registry.NewCode().Text
	s := r.greeted(chromium, "")
	s.say(`{"type":"pair","id":"p1","code":"` + strings.ToLower(code[:4]+"-"+code[4:]) + `","label":"desk"}`)
	paired := s.hear()
	token, _ := paired["token"].(string)
	if paired["type"] != "paired" || paired["id"] != "p1" || len(token) != 43 {
		t.Fatalf("heard %v", paired)
	}
	s.say(frameOf(t, film(1)))
	if got := s.hear(); got["type"] != "ack" {
		t.Errorf("heard %v", got)
	}
	for _, again := range []string{`{"type":"pair","id":"p2","code":"` + r.registry.NewCode().Text + `"}`, `{"type":"auth","token":"` + token + `"}`} {
		s.say(again)
		s.refused(protocol.BadMessage)
	}
	list := r.registry.List()
	if len(list) != 1 || list[0].Label != "desk" || list[0].Browser != "chromium" || list[0].Origin != chromium || list[0].ID != paired["clientId"] {
		t.Fatalf("clients %+v", list)
	}
	if err := r.registry.Revoke(t.Context(), list[0].ID); err != nil {
		t.Fatal(err)
	}
	s.closed(protocol.CloseRevoked)
}

// Five wrong codes close the code to their Origin. Another extension is paired all the same.
func TestWrongCodes(t *testing.T) {
	r := start(t, nil)
	code := r.registry.NewCode().Text
	one, two := r.greeted(chromium, ""), r.greeted(firefox, "")
	for range 5 {
		one.say(`{"type":"pair","id":"p","code":"WRONG222"}`)
		one.refused(protocol.PairingCodeInvalid)
	}
	for _, s := range []*socket{one, r.greeted(chromium, "")} {
		s.say(`{"type":"pair","id":"p","code":"` + code + `"}`) // the sixth, and right
		s.refused(protocol.PairingCodeInvalid)
	}
	two.say(`{"type":"pair","id":"p","code":"` + code + `"}`)
	if got := two.hear(); got["type"] != "paired" {
		t.Errorf("got %v", got)
	}
	if all := r.registry.List(); len(all) != 1 || all[0].Origin != firefox {
		t.Errorf("paired: %v", all)
	}
}

func TestPairingThatCannotBeKept(t *testing.T) {
	r := start(t, nil)
	code := r.registry.NewCode().Text
	s := r.greeted(chromium, "")
	r.shelf.mu.Lock()
	r.shelf.fail = errors.New("disk full at /secret/place")
	r.shelf.mu.Unlock()
	s.say(`{"type":"pair","id":"p","code":"` + code + `"}`)
	if got := s.refused(protocol.Storage); got["retryable"] != true {
		t.Errorf("refusal %v", got)
	}
}

// Bad messages after hello are refused one by one; a second hello and a binary frame
// end the socket.
func TestAfterHello(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	s.say("{")
	s.refused(protocol.BadJSON)
	s.say(`{"type":"history","id":"h"}`)
	if got := s.refused(protocol.UnknownType); got["id"] != "h" {
		t.Errorf("refusal %v", got)
	}
	bad := film(1)
	bad.WatchedAt = "2026-03-01T20:15:00"
	s.say(frameOf(t, bad))
	if got := s.refused(protocol.BadMessage); got["field"] != "watchedAt" || got["id"] != bad.ID {
		t.Errorf("refusal %v", got)
	}
	s.say(hello)
	binary := r.greeted(chromium, token)
	if err := binary.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*socket{s, binary} {
		s.refused(protocol.BadMessage)
		s.closed(protocol.CloseProtocol)
	}
}

// After a close frame the client has a second to hang up: what it still sends does not take
// the frame from it.
func TestCloseFramesArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		s := r.greeted(chromium, "")
		s.say(hello)
		s.refused(protocol.BadMessage)
		s.closed(protocol.CloseProtocol)
		if _, err := s.NetConn().Write([]byte("late")); err != nil {
			t.Error(err)
		}
		<-time.After(2 * time.Second)
		if _, err := s.NetConn().Write([]byte("too late")); err == nil {
			t.Error("the socket is still open")
		}
	})
}

// However many wrong codes come, and from however many Origins, the log grows by a
// few lines in ten minutes.
func TestStrangersDoNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := startInBubble(t, func(o *connector.Options) {
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		for n := range 100 {
			s := r.greeted(fmt.Sprintf("chrome-extension://%032d", n), "")
			for range 5 {
				s.say(`{"type":"pair","id":"p","code":"WRONG222"}`)
				s.refused(protocol.PairingCodeInvalid)
			}
			_ = s.Close()
			<-time.After(time.Second)
		}
		if lines := strings.Count(log.String(), "\n"); lines == 0 || lines > 20 {
			t.Errorf("%d lines:\n%s", lines, log.String())
		}
	})
}
