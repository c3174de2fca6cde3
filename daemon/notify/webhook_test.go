package notify

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

func TestAWebhookIsPostedAsNtfyTakesIt(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	for severity, priority := range map[control.Severity]string{control.NeedsYou: "high", control.Soon: "default", control.Note: "low"} {
		n := Notice{Title: "Filmspool", Text: "Grüße", Codes: []string{"a", "b"}, Severity: severity}
		if err := Webhook(server.URL+"/topic", "tk_secret", "filmspool/1")(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		h := got.Header
		if got.Method != http.MethodPost || got.URL.Path != "/topic" || string(body) != "Grüße" || h.Get("Title") != "Filmspool" ||
			h.Get("Priority") != priority || h.Get("Tags") != "a,b" || h.Get("Authorization") != "Bearer tk_secret" || h.Get("User-Agent") != "filmspool/1" {
			t.Errorf("%s %s %q %v", got.Method, got.URL, body, h)
		}
	}
	if err := Webhook(server.URL, "", "a")(t.Context(), Notice{}); err != nil || got.Header["Authorization"] != nil {
		t.Errorf("without a token: %v, %v", err, got.Header)
	}
}

// TestAWebhookThatFailsSaysWhy, names no address and no token, and leads nobody elsewhere.
func TestAWebhookThatFailsSaysWhy(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/topic/redirect":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/topic/refuse":
			http.Error(w, "who are you?", http.StatusForbidden)
		case "/topic/hang":
			<-ended
		case "/topic/cut":
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	defer close(ended)
	for address, want := range map[string]string{
		server.URL + "/topic/redirect":  "the webhook answered 307",
		server.URL + "/topic/refuse":    "the webhook answered 403",
		server.URL + "/topic/hang":      "the webhook did not answer within 10s",
		server.URL + "/topic/cut":       "the webhook cannot be reached",
		"http://127.0.0.1:1/topic/gone": "the webhook cannot be reached",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if strings.HasSuffix(address, "hang") {
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		}
		err := Webhook(address, "tk_secret", "a")(ctx, Notice{Text: "text"})
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "topic") || strings.Contains(err.Error(), "tk_") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}
