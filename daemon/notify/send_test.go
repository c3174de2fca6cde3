package notify

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

func TestAWebhookIsPostedAsNtfyTakesIt(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	n := Notice{Text: "Grüße", Codes: []string{"a", "b"}}
	if err := Webhook(server.URL+"/topic", "tk_secret", "filmspool/1")(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	h := got.Header
	if got.Method != http.MethodPost || got.URL.Path != "/topic" || string(body) != "Grüße" || h.Get("Title") != "Filmspool" ||
		h.Get("Priority") != "high" || h.Get("Tags") != "a,b" || h.Get("Authorization") != "Bearer tk_secret" || h.Get("User-Agent") != "filmspool/1" {
		t.Errorf("%s %s %q %v", got.Method, got.URL, body, h)
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
		server.URL + "/topic/redirect":  "notify.answered status=307",
		server.URL + "/topic/refuse":    "notify.answered status=403",
		server.URL + "/topic/hang":      "notify.webhookSlow",
		server.URL + "/topic/cut":       "notify.webhook ",
		"http://127.0.0.1:1/topic/gone": "notify.webhook ",
		"http://127.0.0.1:x/topic":      "notify.address",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if strings.HasSuffix(address, "hang") {
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		}
		err := Webhook(address, "tk_secret", "a")(ctx, Notice{Text: "text"})
		cancel()
		if _, told := errors.AsType[viewing.Message](err); !told || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "topic") || strings.Contains(err.Error(), "tk_") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// TestADesktopNeedsABusOfThisMachine on Linux.
func TestADesktopNeedsABusOfThisMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no bus")
	}
	empty, full := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		address, folder string
		want            bool
	}{
		{"", "", false},
		{"", empty, false},
		{"unixexec:path=/bin/sh", full, false},
		{"tcp:host=a,port=1", full, false},
		{"", full, true},
		{"unix:path=/run/bus", "", true},
	} {
		env := map[string]string{"DBUS_SESSION_BUS_ADDRESS": c.address, "XDG_RUNTIME_DIR": c.folder}
		if got := HasDesktop(func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%v: %v", env, got)
		}
	}
}
