package connector_test

import (
	"bytes"
	"context"
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

func TestNewRefuses(t *testing.T) {
	registry, err := pairing.New(t.Context(), &shelf{})
	if err != nil {
		t.Fatal(err)
	}
	whole := connector.Options{
		Allow: allow, Program: program, Sink: &sink{}, Pairing: registry,
		Status: func(context.Context) connector.Status { return connector.Status{} },
	}
	if _, err := connector.New(whole); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*connector.Options){
		"without Allow":       func(o *connector.Options) { o.Allow = nil },
		"without Program":     func(o *connector.Options) { o.Program = nil },
		"without a sink":      func(o *connector.Options) { o.Sink = nil },
		"without pairing":     func(o *connector.Options) { o.Pairing = nil },
		"without status":      func(o *connector.Options) { o.Status = nil },
		"with a limit of -1":  func(o *connector.Options) { o.Limits.Sockets = -1 },
		"with a negative age": func(o *connector.Options) { o.Limits.Hello = -1 },
	} {
		o := whole
		spoil(&o)
		if _, err := connector.New(o); err == nil {
			t.Errorf("%s: was built", name)
		}
	}
}

func TestHealth(t *testing.T) {
	r := start(t, nil)
	for origin, cors := range map[string]string{
		"": "", chromium: chromium, firefox: firefox, "https://evil.example": "", "null": "", "http://" + r.address: "",
	} {
		request, err := http.NewRequest("GET", "http://"+r.address+"/v1/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		if origin != "" {
			request.Header.Set("Origin", origin)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := bodyOf(t, answer), `{"service":"filmspool","version":"1.2.3","protocol":[1]}`; got != want {
			t.Errorf("body %s, want %s", got, want)
		}
		if got := answer.Header.Get("Access-Control-Allow-Origin"); got != cors {
			t.Errorf("Origin %q: CORS for %q, want %q", origin, got, cors)
		}
		if answer.Header.Get("Vary") != "Origin" || answer.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("headers %v", answer.Header)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestStrangersAreRefusedBeforeTheUpgrade(t *testing.T) {
	r := start(t, nil)
	for _, tc := range []struct{ name, origin, host string }{
		{"page", "https://evil.example", ""},
		{"local page", "http://127.0.0.1:3000", ""},
		{"same origin", "http://" + r.address, ""},
		{"sandboxed frame", "null", ""},
		{"no origin", "", ""},
		{"rebound name", chromium, "rebind.example:43456"},
		{"rebound name as page", "http://rebind.example:43456", "rebind.example:43456"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, answer, err := r.try(tc.origin, tc.host, []string{protocol.Subprotocol})
			if !errors.Is(err, websocket.ErrBadHandshake) || answer.StatusCode != http.StatusForbidden {
				t.Fatalf("got %v, %v", answer, err)
			}
			if body := bodyOf(t, answer); !strings.Contains(body, `"error":"ORIGIN_NOT_ALLOWED"`) {
				t.Errorf("body %s", body)
			}
		})
	}
}

func TestNotAWebsocket(t *testing.T) {
	r := start(t, nil)
	request, err := http.NewRequest("POST", "http://"+r.address+"/v1/connector", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", chromium)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if body := bodyOf(t, answer); answer.StatusCode != 400 || !strings.Contains(body, "NOT_A_WEBSOCKET") {
		t.Errorf("got %d %s", answer.StatusCode, body)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestSubprotocolIsEchoedAndCompressionIsNot(t *testing.T) {
	r := start(t, nil)
	s, answer, err := r.try(chromium, "", []string{"other.v1", protocol.Subprotocol}) // offers permessage-deflate
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Subprotocol(); got != protocol.Subprotocol {
		t.Errorf("subprotocol %q", got)
	}
	if got := answer.Header.Get("Sec-WebSocket-Extensions"); got != "" {
		t.Errorf("accepted extension %q", got)
	}
}

func TestSubprotocolIsRequired(t *testing.T) {
	r := start(t, nil)
	for _, asked := range [][]string{nil, {"filmspool.v2"}} {
		s, _, err := r.try(chromium, "", asked)
		if err != nil {
			t.Fatal(err)
		}
		s.refused(protocol.UnsupportedVersion)
		s.closed(protocol.CloseVersion)
	}
}

func TestFirstMessage(t *testing.T) {
	r := start(t, nil)
	for _, tc := range []struct {
		name, frame string
		code        protocol.Code
		close       int
	}{
		{"garbage", "hello?", protocol.BadJSON, protocol.CloseProtocol},
		{"ping", `{"type":"ping"}`, protocol.BadMessage, protocol.CloseProtocol},
		{"pair", `{"type":"pair","id":"1","code":"AAAAAAAA"}`, protocol.BadMessage, protocol.CloseProtocol},
		{"unknown", `{"type":"hallo"}`, protocol.UnknownType, protocol.CloseProtocol},
		{"unknown and long", `{"type":"` + strings.Repeat("\\u0001", 150) + `"}`, protocol.UnknownType, protocol.CloseProtocol},
		{"bad hello", `{"type":"hello","v":1,"client":"x"}`, protocol.BadMessage, protocol.CloseProtocol},
		{"newer version", `{"type":"hello","v":2}`, protocol.UnsupportedVersion, protocol.CloseVersion},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := r.open(chromium)
			s.say(tc.frame)
			s.refused(tc.code)
			s.closed(tc.close)
		})
	}
}

func TestHelloWithoutTokenMayOnlyPairAndPing(t *testing.T) {
	r := start(t, nil)
	s := r.open(chromium)
	s.say(hello)
	welcome := s.hear()
	if welcome["paired"] != false || welcome["queue"] != nil || welcome["proof"] != nil {
		t.Errorf("welcome tells a stranger too much: %v", welcome)
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

func TestTokens(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	s := r.open(chromium)
	s.say(strings.TrimSuffix(hello, "}") + `,"token":"` + token + `"}`)
	welcome := s.hear()
	queue, _ := welcome["queue"].(map[string]any)
	if welcome["paired"] != true || queue["pending"] != 7.0 || queue["attention"] != 2.0 {
		t.Errorf("welcome %v", welcome)
	}
	for name, tc := range map[string]struct{ origin, token string }{
		"wrong":             {chromium, token + "x"},
		"of another origin": {firefox, token},
	} {
		t.Run(name, func(t *testing.T) {
			s := r.open(tc.origin)
			s.say(strings.TrimSuffix(hello, "}") + `,"token":"` + tc.token + `"}`)
			s.refused(protocol.PairingRequired)
			s.closed(protocol.CloseToken)
		})
		t.Run(name+" in auth", func(t *testing.T) {
			s := r.greeted(tc.origin, "")
			s.say(`{"type":"auth","token":"` + tc.token + `"}`)
			s.refused(protocol.PairingRequired)
			s.closed(protocol.CloseToken)
		})
	}
}

func TestProofIsGivenOnlyWhenAskedForByTheClientItself(t *testing.T) {
	r := start(t, nil)
	id, token := r.pair(chromium)
	for _, tc := range []struct {
		name, origin, fields, want string
	}{
		{"asked", chromium, `"clientId":"` + id + `","nonce":"n"`, pairing.ProofFor(token, "n")},
		{"asked with the token", chromium, `"token":"` + token + `","nonce":"n"`, pairing.ProofFor(token, "n")},
		{"no nonce", chromium, `"clientId":"` + id + `"`, ""},
		{"no client", chromium, `"nonce":"n"`, ""},
		{"unknown client", chromium, `"clientId":"0000000000000000","nonce":"n"`, ""},
		{"another origin", firefox, `"clientId":"` + id + `","nonce":"n"`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := r.open(tc.origin)
			s.say(strings.TrimSuffix(hello, "}") + "," + tc.fields + "}")
			if got, _ := s.hear()["proof"].(string); got != tc.want {
				t.Errorf("proof %q, want %q", got, tc.want)
			}
		})
	}
}

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
	s.say(frameOf(t, film(1))) // paired from then on
	if got := s.hear(); got["type"] != "ack" || got["status"] != "queued" {
		t.Errorf("heard %v", got)
	}
	s.say(`{"type":"pair","id":"p2","code":"AAAAAAAA"}`)
	s.refused(protocol.BadMessage)
	s.say(`{"type":"auth","token":"` + token + `"}`)
	s.refused(protocol.BadMessage)
	s.alive()
	r.greeted(chromium, token)
	if list := r.registry.List(); len(list) != 1 || list[0].Label != "desk" || list[0].Browser != "chromium" || list[0].Origin != chromium {
		t.Errorf("clients %+v", list)
	}
	if got := r.sink.batches[0].Source; got != "browser:"+paired["clientId"].(string) {
		t.Errorf("source %q", got)
	}
}

// Five wrong codes end a socket, and its Origin is heard no more; another
// extension is paired all the same, and told who else has tried.
func TestWrongCodesEndTheSocketAndAreTheOriginsOwn(t *testing.T) {
	r := start(t, nil)
	code := r.registry.NewCode().Text
	wrong := func(s *socket) string {
		s.say(`{"type":"pair","id":"p","code":"WRONG222"}`)
		got := s.refused(protocol.PairingCodeInvalid)
		if got["id"] != "p" {
			t.Errorf("got %v", got)
		}
		return fmt.Sprint(got["message"])
	}
	one, two := r.greeted(chromium, ""), r.greeted(firefox, "")
	for range 5 {
		if said := wrong(one); strings.Contains(said, "Another") {
			t.Errorf("there was no other: %s", said)
		}
	}
	one.closed(protocol.CloseRate)
	again := r.greeted(chromium, "")
	again.say(`{"type":"pair","id":"p","code":"` + code + `"}`) // the sixth, and right
	if said := fmt.Sprint(again.refused(protocol.PairingCodeInvalid)["message"]); !strings.Contains(said, "run filmspool pair") {
		t.Errorf("said %s", said)
	}
	if said := wrong(two); !strings.Contains(said, "Another extension has sent 6 wrong codes: "+chromium) {
		t.Errorf("said %s", said)
	}
	two.say(`{"type":"pair","id":"p","code":"` + code + `"}`)
	if got := two.hear(); got["type"] != "paired" {
		t.Errorf("got %v", got)
	}
	if all := r.registry.List(); len(all) != 1 || all[0].Origin != firefox {
		t.Errorf("paired: %v", all)
	}
}

// However many wrong codes and tokens come, and from however many Origins, the
// log grows by a few lines in ten minutes.
func TestStrangersDoNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := startInBubble(t, func(o *connector.Options) {
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			o.Limits = connector.Limits{UnpairedHellos: 100_000}
		})
		flood := func(origins, sockets int) {
			for n := range sockets {
				s := r.greeted(fmt.Sprintf("chrome-extension://%032d", n%origins), "")
				for range 5 {
					s.say(`{"type":"pair","id":"p","code":"WRONG222"}`)
					s.refused(protocol.PairingCodeInvalid)
				}
				s.closed(protocol.CloseRate)
				synctest.Wait()
			}
		}
		flood(1, 20)
		if lines := strings.Count(log.String(), "\n"); lines != 1 {
			t.Errorf("one Origin made %d lines:\n%s", lines, log.String())
		}
		<-time.After(11 * time.Minute)
		flood(1, 1)
		if lines := strings.Count(log.String(), "\n"); lines != 2 || !strings.Contains(log.String(), "times=100") {
			t.Errorf("after ten minutes there are %d lines:\n%s", lines, log.String())
		}
		flood(300, 300)
		if lines := strings.Count(log.String(), "\n"); lines > 70 {
			t.Errorf("300 Origins made %d lines", lines)
		}
	})
}

func TestPairingThatCannotBeKept(t *testing.T) {
	r := start(t, nil)
	code := r.registry.NewCode().Text
	s := r.greeted(chromium, "")
	r.shelf.mu.Lock()
	r.shelf.fail = errors.New("disk full at /secret/place")
	r.shelf.mu.Unlock()
	s.say(`{"type":"pair","id":"p","code":"` + code + `"}`)
	if got := s.refused(protocol.Storage); got["retryable"] != true || strings.Contains(got["message"].(string), "secret") {
		t.Errorf("refusal %v", got)
	}
}

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
	s.say(`{"type":"pong"}`)
	s.alive()
	s.say(hello)
	s.refused(protocol.BadMessage)
	s.closed(protocol.CloseProtocol)
}

func TestBinaryFrames(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	for name, s := range map[string]*socket{"before hello": r.open(chromium), "after hello": r.greeted(chromium, token)} {
		t.Run(name, func(t *testing.T) {
			if err := s.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"ping"}`)); err != nil {
				t.Fatal(err)
			}
			s.refused(protocol.BadMessage)
			s.closed(protocol.CloseProtocol)
		})
	}
}

// padded is a ping of n bytes.
func padded(n int) string {
	const head, tail = `{"type":"ping","x":"`, `"}`
	return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
}

func TestMessageSize(t *testing.T) {
	r := start(t, nil)
	s := r.greeted(chromium, "")
	s.say(padded(64 << 10))
	if got := s.hear(); got["type"] != "pong" {
		t.Fatalf("64 KiB: %v", got)
	}
	s.say(padded(64<<10 + 1))
	s.refused(protocol.TooLarge)
	s.closed(protocol.CloseTooBig)
}

func TestMessageSizeInFragmentsAndWithoutEnd(t *testing.T) {
	r := start(t, nil)
	s := r.greeted(chromium, "")
	writer, err := s.NextWriter(websocket.TextMessage)
	if err != nil {
		t.Fatal(err)
	}
	chunk := []byte(strings.Repeat("x", 1<<10))
	for range 128 { // never finished; the server must not wait for the end
		if _, err := writer.Write(chunk); err != nil {
			break // it has hung up already
		}
	}
	s.refused(protocol.TooLarge)
	s.closed(protocol.CloseTooBig)
}
