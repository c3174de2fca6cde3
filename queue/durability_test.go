package queue

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// commitForever is the child process: until it is killed, it commits viewings from several
// goroutines, prints each event id after its acknowledgement, and leaves entries in the state
// sending.
func commitForever(path string) error {
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: path})
	if err != nil {
		return err
	}
	failed := make(chan error, 8)
	go func() { failed <- s.Run(ctx) }()
	for worker := range 4 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), worker, i)
				v := film(id, int64(worker*1_000_000+i+1), -1)
				if _, err := s.Commit(ctx, viewing.Batch{Source: "browser:b1", Events: []viewing.Event{v}}); err != nil {
					failed <- err
					return
				}
				fmt.Println("committed", id)
			}
		}()
	}
	go func() {
		for {
			if err := s.markOne(ctx); err != nil {
				failed <- err
				return
			}
		}
	}()
	return <-failed
}

// commitSteadily is the child process that a power cut ends: about 200 times a second it commits
// a viewing, or marks one as sending, and prints it after the acknowledgement. At full speed it
// would nearly always be inside an fsync, so a store that syncs too rarely would pass.
func commitSteadily(path, synchronous string) error {
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: path})
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Run(ctx) }()
	if synchronous != "" { // it cannot be changed within a transaction
		err := s.write(ctx, "test", func(t *tx) error {
			return t.Run("ROLLBACK", "PRAGMA synchronous = "+synchronous, "BEGIN IMMEDIATE")
		})
		if err != nil {
			return err
		}
	}
	tick := time.NewTicker(5 * time.Millisecond)
	for i := 1; ; i++ {
		select {
		case err := <-failed:
			return err
		case <-tick.C:
		}
		if i%4 == 0 {
			if err := s.markOne(ctx); err != nil {
				return err
			}
			continue
		}
		id := fmt.Sprint("event-", i)
		v := film(id, int64(i), -1)
		if _, err := s.Commit(ctx, viewing.Batch{Source: "browser:b1", Events: []viewing.Event{v}}); err != nil {
			return err
		}
		fmt.Println("committed", id)
	}
}

// markOne marks one entry as sending.
func (s *Store) markOne(ctx context.Context) error {
	e, _, ok, err := s.Next(ctx, "default", viewing.LaneLive)
	if err != nil || !ok {
		return err
	}
	if _, err = s.Begin(ctx, e); err == nil {
		fmt.Println("sending", e.EventID)
	}
	return err
}

// killed runs the child until it has printed a number of lines, kills it, and returns every
// complete line.
func killed(t *testing.T, path string, lines int) []string {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"=commit", childPath+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var printed []string
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break // an unfinished last line is no acknowledgement
		}
		printed = append(printed, strings.TrimSpace(line))
		if len(printed) == lines {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	if len(printed) < lines {
		t.Fatalf("the child ended by itself after %d lines", len(printed))
	}
	return printed
}

func TestNothingAcknowledgedIsLostByAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	var printed []string
	for round := range 3 {
		printed = append(printed, killed(t, path, 200+round*171)...)
	}
	s := open(t, path, newClock())
	states := s.states(t)
	for _, line := range printed {
		word, id, _ := strings.Cut(line, " ")
		state, ok := states[id]
		if !ok {
			t.Errorf("event %s was acknowledged and is gone", id)
		}
		if word == "sending" && state != viewing.StateInDoubt {
			t.Errorf("event %s may have left, and is %s", id, state)
		}
	}
	if counts := s.checkCounters(t); counts.Sending != 0 || counts.InDoubt == 0 {
		t.Errorf("counts %+v", counts)
	}
	s.quickCheck(t)
}

// quickCheck runs SQLite's quick_check.
func (o *opened) quickCheck(t testing.TB) {
	t.Helper()
	var verdict string
	if err := o.reader.QueryRow("PRAGMA quick_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("quick_check says %q, %v", verdict, err)
	}
}
