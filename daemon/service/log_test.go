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
	"testing/synctest"
	"time"
)

// A log has a maximum size, and is followed across rotation.
func TestLogIsShownAndFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "filmspool.log")
	var out bytes.Buffer
	if err := showLog(t.Context(), path, &out, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no log: %v", err)
	}
	log, err := OpenLog(path)
	must(t, err)
	defer log.Close()
	line := strings.Repeat("x", 99) + "\n"
	if _, err := log.Write([]byte(strings.Repeat(line, 300))); err != nil {
		t.Fatal(err)
	}
	if err := showLog(t.Context(), path, &out, false); err != nil || out.Len() != logLines*len(line) {
		t.Errorf("%d bytes are shown, %v; want %d lines", out.Len(), err, logLines)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- showLog(ctx, path, &out, true) }()
		for _, text := range []string{"more\n", "", strings.Repeat("y", 5<<20-31000) + "\n", strings.Repeat("z", 2000) + "\n"} {
			time.Sleep(time.Minute)
			synctest.Wait()
			out.Reset()
			if _, err := log.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if out.String() != text {
				t.Errorf("%d bytes follow, want %d", out.Len(), len(text))
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("it is followed until the end: %v", err)
		}
	})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
