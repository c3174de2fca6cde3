package daemon

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoticesAreSetAndTriedOnThePage: the address of a webhook is kept, and a test
// arrives there. What is wrong with a value is told.
func TestNoticesAreSetAndTriedOnThePage(t *testing.T) {
	posted := make(chan string, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, _ := io.ReadAll(r.Body); r.URL.Path == "/topic" {
			posted <- string(text)
		} else {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(hook.Close)
	o := served(t, "listen = '127.0.0.1:0'\n[notices]\ndesktop = false\n")
	address, c := find(t, o)
	s := surfAt(&runningDaemon{T: t}, c.API, address)
	give := func(key, value string) string {
		return s.send("/settings/set", url.Values{"in": {"notices." + key}, "value.notices." + key: {value}})
	}
	failed := func(want string) {
		t.Helper()
		answer, text := s.ask("POST", "/settings/try", nil)
		if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, want) {
			t.Errorf("tried, and %q is not told: %s\n%s", want, answer.Status, text)
		}
	}
	failed("Notices are off")

	give("webhook.url", hook.URL+"/topic")
	if text := s.send("/settings/try", nil); !strings.Contains(text, "Webhook: a test was sent") {
		t.Errorf("tried:\n%s", text)
	}
	if text := <-posted; !strings.Contains(text, "Filmspool") {
		t.Errorf("posted %q", text)
	}
	give("webhook.url", hook.URL+"/closed")
	failed("Webhook: the test failed: the webhook answered 403")
	give("webhook.url", "")
	failed("Notices are off")

	token := filepath.Join(o.Paths.State, "keys", "webhook-token")
	must(t, errors.Join(os.MkdirAll(filepath.Dir(token), 0o700), os.WriteFile(token, []byte("tk_secret\n"), 0o600)))
	answer, text := s.ask("POST", "/settings/set", url.Values{"in": {"notices.webhook.url"}, "value.notices.webhook.url": {hook.URL + "/topic"}})
	if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, "would go to the new address") || strings.Contains(text, "tk_secret") {
		t.Errorf("a token goes to another address: %s\n%s", answer.Status, text)
	}
	s.send("/settings/set", url.Values{"in": {"notices.webhook.url"}, "reset": {"notices.webhook.url"}}) // to end it is safe

	answer, text = s.ask("POST", "/settings/set", url.Values{"in": {"notices.webhook.url", "hold"}, "value.notices.webhook.url": {"http://ntfy.example/topic"}, "value.hold": {"all"}})
	if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, "notices.webhook.url") {
		t.Errorf("a wrong address: %s\n%s", answer.Status, text)
	}
	if !strings.Contains(text, `value="http://ntfy.example/topic"`) || !strings.Contains(text, `aria-invalid="true"`) || !strings.Contains(text, `<option value="all" selected>`) {
		t.Errorf("what was typed is lost, or its fault is not at the field:\n%s", text)
	}
	if text, err := os.ReadFile(o.Paths.Settings()); err != nil || strings.Contains(string(text), "url") || !strings.Contains(string(text), "hold") {
		t.Errorf("the file is %s (%v)", text, err)
	}
}
