package daemon

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/account"
)

// After trouble, what could not be asked is asked about anew: once it is over,
// and once a day at most.
func TestWhatTMDBMissedIsAskedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &identifier{}
		away := errors.New("away")
		for n, step := range []struct {
			wait time.Duration
			err  error
			anew bool
		}{
			{0, nil, false},
			{0, away, false},
			{time.Hour, nil, true},
			{0, nil, false},
			{time.Hour, away, false},
			{time.Hour, nil, false},
			{23 * time.Hour, nil, true},
			{anewEvery, nil, false},
		} {
			time.Sleep(step.wait)
			if got := i.mayAgain(step.err); got != step.anew {
				t.Errorf("step %d: %v", n, got)
			}
		}
	})
}

// What keeps TMDB from being asked stands in the status; nothing else waits for it.
func TestTMDBWithoutItsMemory(t *testing.T) {
	o := testOptions(t)
	o.Config.Resolve.TMDB.Enabled = true
	o.Paths.State = t.TempDir()
	d := &Daemon{o: o, log: o.Logger}
	if _, on := d.identifier.status(); on {
		t.Error("a row without TMDB")
	}
	d.keys.Dir, d.keys.Getenv = o.Paths.State, func(string) string { return "" }
	d.openIdentifier(t.Context())
	s, on := d.identifier.status()
	if !on || s.State != account.Attention || s.Hint != "filmspool login --tmdb" {
		t.Errorf("without a token: %+v, %v", s, on)
	}
	if _, err := d.identifier.Decide(context.Background(), nil); !errors.Is(err, errNoTMDB) {
		t.Error(err)
	}
	if err := d.identifier.close(); err != nil {
		t.Error(err)
	}
	o.Paths.State += "/not/there"
	d = &Daemon{o: o, log: o.Logger}
	d.keys.Dir, d.keys.Getenv = o.Paths.State, func(string) string { return "" }
	d.openIdentifier(t.Context())
	if s, on = d.identifier.status(); !on || s.State != account.Attention || s.Detail == "" {
		t.Errorf("without a folder: %+v, %v", s, on)
	}
	if err := d.identifier.close(); err != nil {
		t.Error(err)
	}
}
