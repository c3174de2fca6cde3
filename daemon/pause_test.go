package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
)

// TestResumeEndsWhatOnlyAPersonCanEnd: what the service has refused goes on until the
// service answers otherwise, however often somebody says resume.
func TestResumeEndsWhatOnlyAPersonCanEnd(t *testing.T) {
	store := running(t, filepath.Join(t.TempDir(), "queue.db"))
	for reason, ends := range map[string]bool{account.PausedUser: true, "of a later version": true, account.PausedKey: false, account.PausedAddress: false} {
		d := &core{store: store}
		d.o.Config.Accounts = map[string]config.Account{"anna": {}}
		must(t, store.UpdateAccount(t.Context(), "anna", func(a *account.Row) { a.Pause = account.Pause{Reason: reason} }))
		if _, err := d.Resume(t.Context(), control.Pause{}); err != nil {
			t.Fatal(err)
		}
		a, err := store.Account(t.Context(), "anna")
		if err != nil || (a.Pause.Reason == "") != ends {
			t.Errorf("%s: paused for %q then, %v", reason, a.Pause.Reason, err)
		}
	}
}

// running is a queue that takes writes until the test ends.
func running(t *testing.T, path string) *queue.Store {
	t.Helper()
	store, err := queue.Open(t.Context(), queue.Options{Path: path})
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- store.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ran, store.Close()); err != nil {
			t.Error(err)
		}
	})
	return store
}
