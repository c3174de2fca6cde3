package queue

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/viewing"
)

// commitAll commits films one by one until n are kept or one is refused.
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

// holdsAll holds the rows against what was acknowledged: all of it, and
// nothing that was refused.
func (o *opened) holdsAll(t *testing.T, kept []string) {
	t.Helper()
	states := o.states(t)
	for _, event := range kept {
		if _, ok := states[event]; !ok {
			t.Errorf("event %s was acknowledged and is gone", event)
		}
	}
	if len(states) != len(kept) {
		t.Errorf("%d events, of which %d were acknowledged", len(states), len(kept))
	}
	o.checkCounters(t)
}

// lockForever is the child: it locks the database and says so, until its
// input ends.
func lockForever(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	fmt.Println("locked")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// Somebody else's lock is waited for, and refused after a while; once it is
// gone all goes on.
func TestADatabaseLockedByAnotherProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for several seconds")
	}
	s := fresh(t)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"=busy", childPath+"="+s.path)
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	begun := time.Now()
	if kept, err := s.commitAll(t, "locked", 1); !errors.Is(err, disk.ErrStorage) || time.Since(begun) < 4*time.Second {
		t.Errorf("kept %v, %v after %v", kept, err, time.Since(begun))
	}
	ended := make(chan error, 1)
	go func() {
		_, err := s.Commit(context.Background(), viewing.Batch{Source: "browser:b1", Events: []viewing.Event{film("waiting", 1, -1)}})
		ended <- err
	}()
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("after the lock was gone: %v", err)
	}
	s.holdsAll(t, []string{"waiting"})
}
