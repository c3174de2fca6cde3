package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The webhook receives a notice about a refused key, with its own token, which is not printed.
func TestRefusedKeyIsNotified(t *testing.T) {
	t.Parallel()
	const token = "tk_0123456789secret"
	got := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- r.Header.Get("Authorization") + "|" + string(body)
	}))
	defer server.Close()
	notice := func() string {
		select {
		case text := <-got:
			return text
		case <-time.After(patience):
			t.Fatal("no notice came")
			return ""
		}
	}
	h := newFixture(t)
	h.configure("[notices]\ndesktop = false\n[notices.webhook]\nurl = %q\n", server.URL+"/topic")
	keys := filepath.Join(h.dir, "state", "keys")
	must(t, os.MkdirAll(keys, 0o700))
	must(t, os.WriteFile(filepath.Join(keys, "webhook-token"), []byte(token+"\n"), 0o600))
	box := h.sandbox(ownAddress())
	run := h.start("run", "--log-level", "debug")
	h.login(box.baseURL())
	box.kill()
	h.start("sandbox", "--listen", box.address, "--state-dir", h.dir+"/box", "--secret-key", "sk_another0123456789")
	h.do("", "add", "604")
	if text := notice(); !strings.HasPrefix(text, "Bearer "+token+"|") || !strings.Contains(text, "does not accept the key") {
		t.Errorf("the notice is %q", text)
	}
	h.try("config", "show")
	h.try("status", "--json")
	run.end(os.Interrupt)
	if strings.Contains(h.said.String(), token) {
		t.Errorf("the token was printed:\n%s", h.said.String())
	}
	if log := run.log.String(); strings.Contains(log, "/topic") || !strings.Contains(log, "level=DEBUG") {
		t.Errorf("the log has the webhook's address, or no debug lines:\n%s", log)
	}
	if len(got) > 0 {
		t.Errorf("one more notice: %q", <-got)
	}
}
