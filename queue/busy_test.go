package queue

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// commitAll commits films one by one until n are committed or one is rejected.
func (o *opened) commitAll(t *testing.T, prefix string, n int) (kept []string, refused error) {
	t.Helper()
	for i := range n {
		v := film(fmt.Sprint(prefix, i), int64(i+1), -i-1)
		_, err := o.Commit(t.Context(), viewing.Batch{Source: "browser:b1", Events: []viewing.Event{v}})
		if err != nil {
			return kept, err
		}
		kept = append(kept, v.EventID)
	}
	return kept, nil
}

// wantExactly checks that the database contains the acknowledged events and no others.
func (o *opened) wantExactly(t *testing.T, kept []string) {
	t.Helper()
	states := o.states(t)
	for _, event := range kept {
		if _, ok := states[event]; !ok {
			t.Errorf("event %s was acknowledged and is gone", event)
		}
	}
	if len(states) != len(kept) {
		t.Errorf("%d events in the database, %d acknowledged", len(states), len(kept))
	}
	o.checkCounters(t)
}

// TestWritesWaitForALockOfAnotherProgram: they fail after the timeout, and succeed again once the
// lock is released.
func TestWritesWaitForALockOfAnotherProgram(t *testing.T) {
	c := newClock()
	store, err := openAt(t.Context(), Options{Path: filepath.Join(t.TempDir(), "queue.db"), Busy: 50 * time.Millisecond}, c.now)
	if err != nil {
		t.Fatal(err)
	}
	s := runStore(t, store, c)
	other, err := sql.Open("sqlite", s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	locked, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer locked.Close()
	run := func(statement string) {
		t.Helper()
		if _, err := locked.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	run("BEGIN IMMEDIATE")
	if kept, err := s.commitAll(t, "locked", 1); !errors.Is(err, sqlite.ErrStorage) {
		t.Errorf("kept %v, %v", kept, err)
	}
	if _, bad := s.Trouble(); !bad {
		t.Error("the trouble is not reported")
	}
	run("ROLLBACK")
	kept, err := s.commitAll(t, "later", 3)
	if err != nil {
		t.Errorf("after the lock was gone: %v", err)
	}
	s.wantExactly(t, kept)
}
