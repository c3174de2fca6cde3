package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// TestNoticesAreTried with the real program: each way says how it went, and the
// webhook's token goes to the webhook alone.
func TestNoticesAreTried(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell's")
	}
	const token = "tk_0123456789secret"
	var mu sync.Mutex
	status, got := http.StatusOK, []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Header.Get("Authorization")+"|"+string(body))
		w.WriteHeader(status)
	}))
	defer server.Close()
	h := newHousehold(t)
	file, out := filepath.Join(h.dir, "config.toml"), filepath.Join(h.dir, "out")
	settings := "[notices]\ncommand = [\"/bin/sh\", \"-c\", \"cat >'" + out + "'\"]\n[notices.webhook]\nurl = \"" + server.URL + "/topic\"\n"
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, settings)
	write(filepath.Join(h.dir, "state", "keys", "webhook-token"), token+"\n")
	run := h.start("run", "--log-level", "debug", "--config", file)
	tried := func() (all []control.NoticeTest, said string) {
		t.Helper()
		said = h.do("", "notices", "test", "--json")
		if err := json.Unmarshal([]byte(said), &all); err != nil || len(all) != 3 {
			t.Fatal(err, said)
		}
		return all, said
	}
	const text = "This is a test. Filmspool tells you here when there is something to do."
	all, said := tried()
	if all[0].Way != "desktop" || all[0].State != control.NoticeOff || all[1].Way != "command" || all[1].State != control.NoticeSent ||
		all[2].Way != "webhook" || all[2].State != control.NoticeSent {
		t.Error(said)
	}
	if told, err := os.ReadFile(out); err != nil || string(told) != text+"\n" || len(got) != 1 || got[0] != "Bearer "+token+"|"+text {
		t.Errorf("the command got %q, %v; the webhook got %q", told, err, got)
	}
	answer := func(with int) {
		mu.Lock()
		defer mu.Unlock()
		status = with
	}
	answer(http.StatusForbidden)
	said += h.try("notices", "test") + h.try("config", "show") + h.try("status", "--json")
	if !strings.Contains(said, "webhook: failed: the webhook answered 403") {
		t.Error(said)
	}
	answer(http.StatusOK)
	run.end(os.Interrupt)
	said += run.log.String()
	if err := os.Chmod(file, 0o666); err != nil { // now anybody may say what is run
		t.Fatal(err)
	}
	run = h.start("run", "--log-level", "debug", "--config", file)
	all, _ = tried()
	if all[1].State != control.NoticeOff || !strings.Contains(all[1].Detail, "can be changed by other users") || all[1].Hint == "" {
		t.Errorf("%+v", all[1])
	}
	if out := h.do("", "config", "check", "--config", file); strings.Count(out, "warning: notices: ") != 2 {
		t.Errorf("config check says\n%s", out)
	}
	run.end(os.Interrupt)
	said += run.log.String()
	if !strings.Contains(said, "a way of notices is off") || !strings.Contains(said, "level=DEBUG") {
		t.Errorf("the log says too little:\n%s", said)
	}
	if strings.Contains(said, token) || strings.Contains(run.log.String(), "/topic") {
		t.Errorf("the token, or the address, was printed:\n%s", said)
	}
}

// TestRefusedKeyIsToldOnce with the real program, over a restart: the notice that then
// comes is of another problem, which only the new configuration tells.
func TestRefusedKeyIsToldOnce(t *testing.T) {
	got := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- string(body)
	}))
	defer server.Close()
	h := newHousehold(t)
	file := filepath.Join(h.dir, "config.toml")
	configure := func(more string) {
		t.Helper()
		text := "[notices]\ndesktop = false\n" + more + "[notices.webhook]\nurl = \"" + server.URL + "/topic\"\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	told := func() string {
		t.Helper()
		select {
		case text := <-got:
			return text
		case <-time.After(patience):
			t.Fatal("no notice came")
			return ""
		}
	}
	configure("")
	sandbox := func(address, key string) *process {
		return h.start("sandbox", "--listen", address, "--state-dir", filepath.Join(h.dir, "box"), "--secret-key", key)
	}
	box := sandbox("127.0.0.1:0", secretKey)
	run := h.start("run", "--config", file)
	h.do(secretKey, "login", "--base-url", "http://"+box.address+"/api/v1", "--key-stdin")
	box.kill()
	sandbox(box.address, "sk_another0123456789")
	h.do("", "add", "movie", "604")
	const refused, unconnected = "does not accept the key", "No browser, program or Kodi library"
	if text := told(); !strings.Contains(text, refused) || strings.Contains(text, unconnected) {
		t.Errorf("the notice is %q", text)
	}
	h.until("writing down that it was told", func() bool {
		files, err := filepath.Glob(filepath.Join(h.dir, "state", "filmspool.db*"))
		return err == nil && slices.ContainsFunc(files, func(name string) bool {
			content, err := os.ReadFile(name)
			return err == nil && strings.Contains(string(content), `"key-refused default":{"at"`)
		})
	})
	run.end(os.Interrupt)
	configure("severity = \"note\"\n")
	h.start("run", "--config", file)
	if text := told(); strings.Contains(text, refused) || !strings.Contains(text, unconnected) {
		t.Errorf("after a restart the notice is %q", text)
	}
	if len(got) > 0 {
		t.Errorf("one more: %q", <-got)
	}
}
