package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// daemon plays a daemon that says what the test wants. It keeps what it heard.
type daemon struct {
	mu    sync.Mutex
	heard []string
	url   string
}

// play serves sockets; answer is called for each frame and returns the frames
// to say, "close:CODE" to close.
func play(t *testing.T, subprotocols []string, answer func(m map[string]any) []string) *daemon {
	t.Helper()
	d := &daemon{}
	upgrader := websocket.Upgrader{Subprotocols: subprotocols, CheckOrigin: func(*http.Request) bool { return true }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			_, frame, err := conn.ReadMessage()
			if err != nil {
				return
			}
			d.mu.Lock()
			d.heard = append(d.heard, string(frame))
			d.mu.Unlock()
			var m map[string]any
			if json.Unmarshal(frame, &m) != nil {
				return
			}
			for _, say := range answer(m) {
				if say == "hang up" {
					return
				}
				if reason, ok := strings.CutPrefix(say, "close:"); ok {
					_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(4403, reason), time.Now().Add(time.Second))
					continue
				}
				_ = conn.WriteMessage(websocket.TextMessage, []byte(say))
			}
		}
	}))
	t.Cleanup(server.Close)
	d.url = "ws" + strings.TrimPrefix(server.URL, "http")
	return d
}

func (d *daemon) all() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.heard, "\n")
}

const (
	token   = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
	greeted = `{"type":"welcome","v":1,"server":{"version":"1"},"paired":false,"limits":{"maxMessageBytes":65536,"maxInFlight":32},"features":[]}`
)

func dial(t *testing.T, d *daemon, token string) (*client.Client, error) {
	t.Helper()
	o := client.Options{
		URL: d.url, Origin: "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		Info: protocol.ClientInfo{Name: "test"}, Token: token,
	}
	if token != "" {
		o.ClientID = "3f2a9c0d11e4b7a6"
	}
	c, err := client.Dial(t.Context(), o)
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

// A program that squats on the port learns nothing of the token.
func TestTheTokenStaysHereWithoutAProof(t *testing.T) {
	for name, proof := range map[string]string{
		"none": "", "wrong": strings.Repeat("0", 64), "of another nonce": pairing.ProofFor(token, "old"),
	} {
		t.Run(name, func(t *testing.T) {
			d := play(t, []string{protocol.Subprotocol}, func(map[string]any) []string {
				return []string{strings.Replace(greeted, `"paired":false`, `"paired":true,"proof":"`+proof+`"`, 1)}
			})
			if _, err := dial(t, d, token); !errors.Is(err, client.ErrProof) {
				t.Errorf("got %v, want ErrProof", err)
			}
			if strings.Contains(d.all(), token) || !strings.Contains(d.all(), "hello") {
				t.Errorf("said %s", d.all())
			}
		})
	}
}

func TestTheTokenFollowsTheProof(t *testing.T) {
	d := play(t, []string{protocol.Subprotocol}, func(m map[string]any) []string {
		if m["type"] == "auth" {
			return []string{strings.Replace(greeted, `"paired":false`, `"paired":true`, 1)}
		}
		nonce, _ := m["nonce"].(string)
		return []string{strings.Replace(greeted, `"paired":false`, `"paired":false,"proof":"`+pairing.ProofFor(token, nonce)+`"`, 1)}
	})
	c, err := dial(t, d, token)
	if err != nil || !c.Welcome().Paired {
		t.Fatalf("%v", err)
	}
	if !strings.Contains(d.all(), `{"type":"auth","token":"`+token+`"}`) {
		t.Errorf("said %s", d.all())
	}
}

func TestNoncesDiffer(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	d := play(t, []string{protocol.Subprotocol}, func(m map[string]any) []string {
		mu.Lock()
		defer mu.Unlock()
		seen[m["nonce"].(string)] = true
		return []string{greeted}
	})
	for range 3 {
		_, _ = dial(t, d, token)
	}
	if len(seen) != 3 {
		t.Errorf("%d nonces of 3 differ", len(seen))
	}
}

// The example that JavaScript tests against holds for this package too.
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

func TestAnotherProgramOnThePort(t *testing.T) {
	d := play(t, nil, func(map[string]any) []string { return nil })
	if _, err := dial(t, d, ""); !errors.Is(err, client.ErrDialect) {
		t.Errorf("without the subprotocol: %v", err)
	}
	d = play(t, []string{protocol.Subprotocol}, func(map[string]any) []string { return []string{"hi"} })
	if _, err := dial(t, d, ""); !errors.Is(err, client.ErrDialect) {
		t.Errorf("another dialect: %v", err)
	}
	d = play(t, []string{protocol.Subprotocol}, func(map[string]any) []string {
		return []string{`{"type":"error","code":"UNSUPPORTED_VERSION","message":"m","retryable":false}`, "close:v"}
	})
	var refused *protocol.Error
	if _, err := dial(t, d, ""); !errors.As(err, &refused) || refused.Code != protocol.UnsupportedVersion {
		t.Errorf("refused hello: %v", err)
	}
}

func film(id string) protocol.Viewing {
	return protocol.Viewing{ID: id, WatchedAt: "2026-03-01T20:15:00Z", Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 1}}}
}

// script plays a daemon that welcomes and then answers viewings with frames.
func script(t *testing.T, frames ...string) *client.Client {
	t.Helper()
	d := play(t, []string{protocol.Subprotocol}, func(m map[string]any) []string {
		if m["type"] == "hello" {
			return []string{greeted}
		}
		return frames
	})
	c, err := dial(t, d, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAnAnswerCountsOnlyForItsID(t *testing.T) {
	c := script(t, `{"type":"ack","id":"other","status":"queued"}`, `{"type":"status","online":true,"pending":1,"attention":0}`,
		`{"type":"error","id":"a","code":"CONFLICT","message":"m","retryable":false}`)
	var refused *protocol.Error
	if ack, err := c.Viewing(t.Context(), film("a")); !errors.As(err, &refused) || refused.Code != protocol.Conflict || ack.ID != "" {
		t.Errorf("got %+v, %v", ack, err)
	}
	if got := <-c.Pushed(); got.Pending != 1 {
		t.Errorf("pushed %+v", got)
	}
}

func TestAnAnswerOfAnotherTypeIsNoAck(t *testing.T) {
	c := script(t, `{"type":"status","id":"a","online":true,"pending":1,"attention":0}`)
	if _, err := c.Viewing(t.Context(), film("a")); !errors.Is(err, client.ErrDialect) {
		t.Errorf("got %v", err)
	}
}

func TestClosedBeforeTheAnswer(t *testing.T) {
	c := script(t, `{"type":"error","code":"TOO_LARGE","message":"m","retryable":false}`, "close:gone")
	_, err := c.Viewing(t.Context(), film("a"))
	var end *client.ClosedError
	var refused *protocol.Error
	if !errors.As(err, &end) || end.Code != 4403 || end.Reason != "gone" || !errors.As(err, &refused) || refused.Code != protocol.TooLarge {
		t.Errorf("got %v", err)
	}
	<-c.Done()
	if _, err := c.Status(t.Context()); !errors.As(err, &end) || end.Code != 4403 {
		t.Errorf("afterwards: %v", err)
	}
}

func TestBrokenWithoutACloseFrame(t *testing.T) {
	c := script(t, "hang up")
	_, err := c.Viewing(t.Context(), film("a"))
	var end *client.ClosedError
	if !errors.As(err, &end) || end.Code != 0 {
		t.Errorf("got %v", err)
	}
}

func TestTheContextEndsTheWait(t *testing.T) {
	c := script(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := c.Viewing(ctx, film("a")); err == nil {
		t.Error("an answer came from nowhere")
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	d := play(t, []string{protocol.Subprotocol}, func(map[string]any) []string { return nil })
	if _, err := client.Dial(ctx, client.Options{URL: d.url}); !errors.Is(err, context.Canceled) {
		t.Errorf("dial: %v", err)
	}
}

func TestHelloIsNotWaitedForWithoutEnd(t *testing.T) {
	heard := make(chan struct{})
	d := play(t, []string{protocol.Subprotocol}, func(map[string]any) []string { close(heard); return nil })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-heard; cancel() }()
	if _, err := client.Dial(ctx, client.Options{URL: d.url}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestOneCallOfAnIDAtATime(t *testing.T) {
	heard := make(chan struct{}, 4)
	d := play(t, []string{protocol.Subprotocol}, func(m map[string]any) []string {
		if m["type"] == "hello" {
			return []string{greeted}
		}
		heard <- struct{}{}
		return nil
	})
	c, err := dial(t, d, "")
	if err != nil {
		t.Fatal(err)
	}
	var first sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	first.Go(func() { _, _ = c.Viewing(ctx, film("a")) })
	<-heard
	if _, err := c.Viewing(t.Context(), film("a")); !errors.Is(err, client.ErrBusy) {
		t.Errorf("got %v", err)
	}
	cancel()
	first.Wait()
}

func TestIDAndTokenGoTogether(t *testing.T) {
	for _, o := range []client.Options{{ClientID: "x"}, {Token: "x"}} {
		if _, err := client.Dial(t.Context(), o); err == nil {
			t.Error("was dialled")
		}
	}
}
