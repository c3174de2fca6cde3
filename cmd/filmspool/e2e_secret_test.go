package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeyStaysInItsFile lets the program do all it does, at its most talkative,
// and looks for the key in everything that it wrote.
func TestKeyStaysInItsFile(t *testing.T) {
	h := newHousehold(t)
	box := h.start("sandbox", "--listen", "127.0.0.1:0", "--state-dir", filepath.Join(t.TempDir(), "box"), "--secret-key", secretKey)
	daemon := h.start("run", "--log-level", "debug")
	said := h.do(secretKey, "login", "--base-url", "http://"+box.address+"/api/v1", "--key-stdin")
	said += h.do("", "add", "movie", "603")
	h.delivered(1)
	box.kill()
	said += h.do("", "add", "movie", "604")
	h.until("trouble", func() bool { return strings.Contains(h.try("status"), "Offline") })
	said += h.try("queue", "show", "1", "--json") + h.try("status", "--json") + h.try("config", "show")
	daemon.end(os.Interrupt)
	said += daemon.log.String()
	if strings.Contains(said, secretKey) {
		t.Errorf("the key stands in what was printed:\n%s", said)
	}
	if !strings.Contains(said, "level=DEBUG") {
		t.Error("the log said nothing at debug: this test proves too little")
	}
	found := 0
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(secretKey)) {
			found++
			if filepath.Base(path) != "default.json" {
				t.Errorf("the key stands in %s", path)
			}
		}
		return err
	})
	if err != nil || found != 1 {
		t.Errorf("the key stands in %d files, want its own alone; %v", found, err)
	}
}
