package daemon

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A queue that cannot be written for an hour is one line of the log.
func TestAWaitIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		d := &Daemon{o: testOptions(t), log: slog.New(slog.NewTextHandler(&log, nil))}
		d.o.Paths.State = filepath.Join(d.o.Paths.State, "file")
		if err := os.WriteFile(d.o.Paths.State, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		if store, err := d.untilWritable(ctx, make(chan error, 1)); store != nil || err != nil {
			t.Fatal(store, err)
		}
		if n := strings.Count(log.String(), "cannot be written yet"); n != 1 {
			t.Errorf("%d lines:\n%s", n, &log)
		}
	})
}
