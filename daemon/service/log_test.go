package service

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A log has a size, and is followed from one file into the next.
func TestLogIsShownAndFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "filmspool.log")
	var out bytes.Buffer
	if err := showLog(t.Context(), path, &out, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no log: %v", err)
	}
	log, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	line := strings.Repeat("x", 99) + "\n"
	if _, err := log.Write([]byte(strings.Repeat(line, 300))); err != nil {
		t.Fatal(err)
	}
	if err := showLog(t.Context(), path, &out, false); err != nil || out.Len() != logLines*len(line) {
		t.Errorf("%d bytes are shown, %v; want %d lines", out.Len(), err, logLines)
	}
	from := int64(300 * len(line))
	for _, write := range []struct{ text, seen string }{{"more\n", "more\n"}, {"", ""}, {strings.Repeat("y", 5<<20-9) + "\n", "y"}} {
		if _, err := log.Write([]byte(write.text)); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		if from, err = copyFrom(path, &out, from); err != nil || write.seen == "" && out.Len() > 0 || !strings.HasPrefix(out.String(), write.seen) {
			t.Errorf("%d bytes follow, %v; want %q", out.Len(), err, write.seen)
		}
	}
	if _, err := log.Write([]byte("new, behind a log that is full\n")); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if _, err = copyFrom(path, &out, from); err != nil || out.String() != "new, behind a log that is full\n" {
		t.Errorf("%q follows in the next file, %v", out.String(), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if err := showLog(ctx, path, &out, true); err != nil {
		t.Errorf("it is followed until the end: %v", err)
	}
}
