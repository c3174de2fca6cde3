package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	token   = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
	welcome = `{"type":"welcome","v":1,"server":{"version":"1"},"paired":true,"limits":{"maxMessageBytes":65536,"maxInFlight":32},"features":[]}`
)

// connect dials a server that answers each message with frames, and hangs up when it
// has none. said is what the client has said to it by then.
func connect(t *testing.T, token string, answer func(m map[string]any) []string) (c *client.Client, said func() string, err error) {
	t.Helper()
	var heard strings.Builder
	ended := make(chan struct{})
	upgrader := websocket.Upgrader{Subprotocols: []string{protocol.Subprotocol}, CheckOrigin: func(*http.Request) bool { return true }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for {
			_, frame, err := conn.ReadMessage()
			var m map[string]any
			if err != nil || json.Unmarshal(frame, &m) != nil {
				return
			}
			heard.Write(frame)
			frames := answer(m)
			if len(frames) == 0 {
				return
			}
			for _, say := range frames {
				_ = conn.WriteMessage(websocket.TextMessage, []byte(say))
			}
		}
	}))
	t.Cleanup(server.Close)
	o := client.Options{
		URL: "ws" + strings.TrimPrefix(server.URL, "http"), Origin: "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		Info: protocol.ClientInfo{Name: "test"}, Token: token,
	}
	if token != "" {
		o.ClientID = "3f2a9c0d11e4b7a6"
	}
	if c, err = client.Dial(t.Context(), o); err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, func() string { <-ended; return heard.String() }, err
}

// A program that has taken the port does not learn the token: it leaves after the right
// proof alone.
func TestTheTokenFollowsTheProof(t *testing.T) {
	for name, proof := range map[string]func(nonce string) string{
		"right":            func(nonce string) string { return pairing.ProofFor(token, nonce) },
		"none":             func(string) string { return "" },
		"wrong":            func(string) string { return strings.Repeat("0", 64) },
		"of another nonce": func(string) string { return pairing.ProofFor(token, "old") },
	} {
		c, said, err := connect(t, token, func(m map[string]any) []string {
			nonce, _ := m["nonce"].(string)
			return []string{strings.Replace(welcome, `"paired":true`, `"paired":true,"proof":"`+proof(nonce)+`"`, 1)}
		})
		if name == "right" {
			if err != nil || !c.Welcome().Paired {
				t.Fatalf("%s: %v", name, err)
			}
			_ = c.Close()
		} else if !errors.Is(err, client.ErrProof) {
			t.Errorf("%s: %v, want ErrProof", name, err)
		}
		if text := said(); strings.Contains(text, token) != (name == "right") || !strings.Contains(text, "hello") {
			t.Errorf("%s: said %s", name, text)
		}
	}
}

// The example that the extension's tests use holds here, too.
func TestProofExample(t *testing.T) {
	text, err := os.ReadFile("../protocol/testdata/proof.json")
	if err != nil {
		t.Fatal(err)
	}
	var example struct{ Token, Nonce, Proof string }
	if err := json.Unmarshal(text, &example); err != nil {
		t.Fatal(err)
	}
	if got := pairing.ProofFor(example.Token, example.Nonce); got != example.Proof {
		t.Errorf("got %s, want %s", got, example.Proof)
	}
}

// Nothing but an ack of its own id acknowledges an event.
func TestWhatCountsAsAck(t *testing.T) {
	film := protocol.Viewing{ID: "a", WatchedAt: "2026-03-01T20:15:00Z", Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 1}}}
	const stranger = `{"type":"ack","id":"other","status":"queued"}`
	var refused *protocol.Error
	var closed *client.ClosedError
	for name, tc := range map[string]struct {
		frames []string
		fits   func(error) bool
	}{
		"its own": {[]string{stranger, `{"type":"ack","id":"a","status":"queued"}`}, func(err error) bool { return err == nil }},
		"a refusal": {[]string{stranger, `{"type":"error","id":"a","code":"CONFLICT","message":"m","retryable":false}`}, func(err error) bool {
			return errors.As(err, &refused) && refused.Code == protocol.Conflict
		}},
		"another type": {[]string{`{"type":"status","id":"a","online":true,"pending":1,"attention":0}`}, func(err error) bool { return errors.Is(err, client.ErrDialect) }},
		"an end":       {nil, func(err error) bool { return errors.As(err, &closed) && closed.Code == 0 }},
	} {
		c, _, err := connect(t, "", func(m map[string]any) []string {
			if m["type"] == "hello" {
				return []string{welcome}
			}
			return tc.frames
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Viewing(t.Context(), film); !tc.fits(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
