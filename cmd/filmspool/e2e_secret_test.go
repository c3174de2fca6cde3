package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
)

// TestKeyStaysInItsFile lets the program do all it does, at its most talkative,
// and searches everything that it printed and wrote for the key.
func TestKeyStaysInItsFile(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	box := h.sandbox("127.0.0.1:0")
	daemon := h.start("run", "--log-level", "debug")
	h.login(box.baseURL())
	h.do("", "add", "603")
	h.delivered(1)
	box.kill()
	h.do("", "add", "604")
	h.until("trouble", func(s control.Status) bool { return s.State == account.Offline })
	for _, args := range []string{"show 1 --json", "status --json", "config show", "status --report", "export"} {
		h.try(strings.Fields(args)...)
	}
	daemon.end(os.Interrupt)
	if !strings.Contains(daemon.log.String(), "level=DEBUG") {
		t.Error("the log has no debug lines: this test proves too little")
	}
	// The household is searched when the test ends; the one file that may hold the key does.
	key, err := os.ReadFile(filepath.Join(h.dir, "state", "keys", "default.json"))
	if err != nil || !strings.Contains(string(key), secretKey) {
		t.Errorf("the key's own file: %q, %v", key, err)
	}
}
