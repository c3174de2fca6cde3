package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shelve writes the NFO file of a film.
func shelve(t *testing.T, root string, film, count int, lastPlayed string) {
	t.Helper()
	dir := filepath.Join(root, fmt.Sprint("Film ", film))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`<movie><title>Film %d</title><playcount>%d</playcount><lastplayed>%s</lastplayed>`+
		`<uniqueid type="tmdb" default="true">%d</uniqueid></movie>`, film, count, lastPlayed, film)
	if err := os.WriteFile(filepath.Join(dir, "film.nfo"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestExportedFiles: the past that NFO files tell of arrives when it is asked
// for, and what a program notes in them later arrives by itself.
func TestExportedFiles(t *testing.T) {
	h := newHousehold(t)
	box := h.start("sandbox", "--listen", "127.0.0.1:0", "--state-dir", h.dir+"/box", "--secret-key", secretKey)
	h.do(secretKey, "login", "--base-url", "http://"+box.address+"/api/v1", "--key-stdin")
	films := filepath.Join(h.dir, "films")
	for film := range 3 {
		shelve(t, films, film+1, 1, pastDay(film+1).Format(time.DateOnly))
	}
	shelve(t, films, 4, 0, "")
	shelve(t, films, 5, 0, "")
	config := filepath.Join(h.dir, "config.toml")
	text := fmt.Sprintf("[replay]\nbackfill_rate = 0\n[[kodi.nfo]]\npath = %q\ntime_zone = \"UTC\"\n", films)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "FILMSPOOL_CONFIG="+config)
	h.start("run")
	if did := h.past(); did.Libraries[0].Films != 3 {
		t.Errorf("the import is %+v", did)
	}
	h.delivered(3)
	shelve(t, films, 4, 1, time.Now().UTC().Format(time.DateOnly))
	shelve(t, films, 5, 1, time.Now().UTC().Format(time.DateTime))
	h.delivered(4)
	for _, r := range h.records(box.address).History {
		if r.ID == 4 || r.ID == 1 && !r.WatchedAt.Time.Equal(pastDay(1)) {
			t.Errorf("recorded film %d at %s", r.ID, r.WatchedAt.Time)
		}
	}
	if held := h.try("queue", "list", "--state", "held"); !strings.Contains(held, "Film 4") {
		t.Errorf("held:\n%s", held)
	}
}
