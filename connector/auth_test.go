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

// Only an extension may open a socket and read the health answer.
func TestOnlyExtensionsMayConnect(t *testing.T) {
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

// The server closes a socket whose first message is not a hello of our version and subprotocol.
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
		s.send(tc.frame)
		s.wantError(tc.code)
		s.wantClose(tc.close)
	}
	for _, asked := range [][]string{nil, {"filmspool.v2"}} {
		s, _, err := r.try(chromium, "", asked)
		if err != nil {
			t.Fatal(err)
		}
		s.wantError(protocol.UnsupportedVersion)
		s.wantClose(protocol.CloseVersion)
	}
}

// An unpaired client gets only a welcome and pongs, and no event of it is stored.
func TestUnpairedClientsMayOnlyPairAndPing(t *testing.T) {
	r := start(t, nil)
	s := r.open(chromium)
	s.send(hello)
	if welcome := s.receive(); welcome["paired"] != false || welcome["proof"] != nil {
		t.Errorf("welcome reveals more than needed: %v", welcome)
	}
	for _, m := range []protocol.Message{film(1), protocol.List{ID: uuid(2), Name: "x"}, protocol.StatusRequest{ID: "s"}} {
		s.send(frameOf(t, m))
		if got := s.wantError(protocol.PairingRequired); got["id"] == nil || got["retryable"] != false {
			t.Errorf("refusal %v", got)
		}
	}
	s.ping()
	if kept := r.sink.kept(); len(kept) != 0 {
		t.Errorf("kept %v", kept)
	}
}

// A token is valid only from the Origin that paired, and a program's token not on a socket.
func TestTokens(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	_, programs := r.add("p")
	s := r.open(chromium)
	s.send(helloWith(`"token":"` + token + `"`))
	if welcome := s.receive(); welcome["paired"] != true {
		t.Errorf("welcome %v", welcome)
	}
	s.send(`{"type":"status","id":"s"}`)
	if got := s.receive(); got["type"] != "status" || got["id"] != "s" || got["pending"] != 7.0 || got["attention"] != 2.0 {
		t.Errorf("status %v", got)
	}
	for name, tc := range map[string]struct{ origin, token string }{
		"wrong":             {chromium, token + "x"},
		"of another origin": {firefox, token},
		"of a program":      {chromium, programs},
	} {
		t.Run(name, func(t *testing.T) {
			inHello, inAuth := r.open(tc.origin), r.connect(tc.origin, "")
			inHello.send(helloWith(`"token":"` + tc.token + `"`))
			inAuth.send(`{"type":"auth","token":"` + tc.token + `"}`)
			for _, s := range []*socket{inHello, inAuth} {
				s.wantError(protocol.PairingRequired)
				s.wantClose(protocol.CloseToken)
			}
		})
	}
}

// The daemon proves that it knows the token, to the client of that token only.
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
		s.send(helloWith(tc.fields))
		if got, _ := s.receive()["proof"].(string); got != tc.want {
			t.Errorf("%s: proof %q, want %q", tc.name, got, tc.want)
		}
	}
}

// A code pairs a socket, which may then report events until it is revoked.
func TestPairingOnASocket(t *testing.T) {
	r := start(t, nil)
	code := r.registry.NewCode().Text
	s := r.connect(chromium, "")
	s.send(`{"type":"pair","id":"p1","code":"` + strings.ToLower(code[:4]+"-"+code[4:]) + `","label":"desk"}`)
	paired := s.receive()
	token, _ := paired["token"].(string)
	if paired["type"] != "paired" || paired["id"] != "p1" || len(token) != 43 {
		t.Fatalf("received %v", paired)
	}
	s.send(frameOf(t, film(1)))
	if got := s.receive(); got["type"] != "ack" {
		t.Errorf("received %v", got)
	}
	for _, again := range []string{`{"type":"pair","id":"p2","code":"` + r.registry.NewCode().Text + `"}`, `{"type":"auth","token":"` + token + `"}`} {
		s.send(again)
		s.wantError(protocol.BadMessage)
	}
	list := r.registry.List()
	if len(list) != 1 || list[0].Label != "desk" || list[0].Browser != "chromium" || list[0].Origin != chromium || list[0].ID != paired["clientId"] {
		t.Fatalf("clients %+v", list)
	}
	if err := r.registry.Revoke(t.Context(), list[0].ID); err != nil {
		t.Fatal(err)
	}
	s.wantClose(protocol.CloseRevoked)
}

// After five wrong codes an Origin can no longer use the code. Another extension still can.
func TestWrongCodes(t *testing.T) {
	r := start(t, nil)
	code := r.registry.NewCode().Text
	one, two := r.connect(chromium, ""), r.connect(firefox, "")
	for range 5 {
		one.send(`{"type":"pair","id":"p","code":"WRONG222"}`)
		one.wantError(protocol.PairingCodeInvalid)
	}
	for _, s := range []*socket{one, r.connect(chromium, "")} {
		s.send(`{"type":"pair","id":"p","code":"` + code + `"}`) // the sixth, and right
		s.wantError(protocol.PairingCodeInvalid)
	}
	two.send(`{"type":"pair","id":"p","code":"` + code + `"}`)
	if got := two.receive(); got["type"] != "paired" {
		t.Errorf("got %v", got)
	}
	if all := r.registry.List(); len(all) != 1 || all[0].Origin != firefox {
		t.Errorf("paired: %v", all)
	}
}

func TestPairingOnAFullDisk(t *testing.T) {
	r := start(t, nil)
	code := r.registry.NewCode().Text
	s := r.connect(chromium, "")
	r.store.mu.Lock()
	r.store.fail = errors.New("disk full at /secret/place")
	r.store.mu.Unlock()
	s.send(`{"type":"pair","id":"p","code":"` + code + `"}`)
	if got := s.wantError(protocol.Storage); got["retryable"] != true {
		t.Errorf("refusal %v", got)
	}
}

// Bad messages after hello are refused one by one; a second hello and a binary frame
// close the socket.
func TestAfterHello(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	s := r.connect(chromium, token)
	s.send("{")
	s.wantError(protocol.BadJSON)
	s.send(`{"type":"history","id":"h"}`)
	if got := s.wantError(protocol.UnknownType); got["id"] != "h" {
		t.Errorf("refusal %v", got)
	}
	bad := film(1)
	bad.WatchedAt = "2026-03-01T20:15:00"
	s.send(frameOf(t, bad))
	if got := s.wantError(protocol.BadMessage); got["field"] != "watchedAt" || got["id"] != bad.ID {
		t.Errorf("refusal %v", got)
	}
	s.send(hello)
	binary := r.connect(chromium, token)
	if err := binary.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*socket{s, binary} {
		s.wantError(protocol.BadMessage)
		s.wantClose(protocol.CloseProtocol)
	}
}

// After a close frame the client has a second to hang up: what it still sends does not reset the
// connection before it has read the frame.
func TestCloseFramesArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		s := r.connect(chromium, "")
		s.send(hello)
		s.wantError(protocol.BadMessage)
		s.wantClose(protocol.CloseProtocol)
		if _, err := s.NetConn().Write([]byte("late")); err != nil {
			t.Error(err)
		}
		<-time.After(2 * time.Second)
		if _, err := s.NetConn().Write([]byte("too late")); err == nil {
			t.Error("the socket is still open")
		}
	})
}

// Any number of wrong codes, from any number of Origins, adds only a few lines to the log.
func TestWrongCodesDoNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := startInBubble(t, func(o *connector.Options) {
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		for n := range 100 {
			s := r.connect(fmt.Sprintf("chrome-extension://%032d", n), "")
			for range 5 {
				s.send(`{"type":"pair","id":"p","code":"WRONG222"}`)
				s.wantError(protocol.PairingCodeInvalid)
			}
			_ = s.Close()
			<-time.After(time.Second)
		}
		if lines := strings.Count(log.String(), "\n"); lines == 0 || lines > 20 {
			t.Errorf("%d lines:\n%s", lines, log.String())
		}
	})
}
