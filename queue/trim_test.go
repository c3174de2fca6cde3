package queue

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/upkeep"
	"github.com/filmspool/filmspool/queue/viewing"
)

// finishAll delivers everything that is due, with a request for each.
func (o *opened) finishAll(t testing.TB) {
	t.Helper()
	for {
		leased, err := o.Lease(t.Context(), "default", 500, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if len(leased) == 0 {
			return
		}
		for _, e := range leased {
			o.settle(t, Settlement{Entry: e.ID, Attempt: o.send(t, e), State: viewing.StateDelivered, Answer: Answer{Status: 201}})
		}
	}
}

func (o *opened) rows(t testing.TB, table string) (n int) {
	t.Helper()
	if err := o.reader.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWhatWasFinishedLongAgoIsTrimmed(t *testing.T) {
	s := fresh(t)
	double := film("double", 1, -5)
	double.Count = 2
	half := film("half", 2, -6)
	half.Count = 2
	again := film("again", 1, -5)
	again.SameAs = "double"
	s.commit(t, double, half, film("rejected", 3, -7), film("pending", 4, -8), film("dropped", 6, -9))
	s.commitBatch(t, viewing.Batch{Source: "browser:b3", Events: []viewing.Event{again}})
	for _, e := range append(s.lease(t), s.lease(t)...) {
		state := viewing.StateDelivered
		switch {
		case e.EventID == "rejected":
			state = viewing.StateRejected
		case e.EventID == "dropped":
			s.settle(t, Settlement{Entry: e.ID, State: viewing.StateDropped})
			continue
		case e.EventID == "pending":
			continue
		}
		s.settle(t, Settlement{Entry: e.ID, Attempt: s.send(t, e), State: state})
	}
	for _, e := range s.lease(t) { // the second of each double, in its turn
		if e.EventID == "double" {
			s.settle(t, Settlement{Entry: e.ID, Attempt: s.send(t, e), State: viewing.StateDelivered})
		}
	}
	totals := s.totals(t)

	s.clock.advance(upkeep.Keep - time.Minute)
	s.compact(t)
	if len(s.states(t)) != 5 {
		t.Fatalf("trimmed within the year: %v", s.states(t))
	}
	s.clock.advance(2 * time.Minute)
	newest := s.commitIDs(t, film("newest", 9, 0))[0]
	s.compact(t)
	var left []string
	for event := range s.states(t) {
		left = append(left, event)
	}
	slices.Sort(left)
	// Of "half" one part still waits, so all of it stays.
	if want := []string{"half", "newest", "pending", "rejected"}; !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
	s.checkCounters(t)
	if after := s.totals(t); after != totals {
		t.Errorf("totals %+v, were %+v", after, totals)
	}
	for table, want := range map[string]int{"events": 4, "witnesses": 0, "dedupe": 7, "attempts": 2} {
		if n := s.rows(t, table); n != want {
			t.Errorf("%d rows of %s, want %d", n, table, want)
		}
	}
	// What is gone is known still.
	for _, v := range []viewing.Event{double, again} {
		if o := s.commit(t, v); o[0].Status != viewing.StatusDuplicate || len(o[0].Entries) != 0 {
			t.Errorf("told again: %+v", o)
		}
	}
	s.commitBatch(t, viewing.Batch{Source: "browser:b1", Amendments: []viewing.Amendment{{EventID: "double", Drop: true, Reason: "late"}}})
	if id := s.commitIDs(t, film("next", 10, 0))[0]; id != newest+1 {
		t.Errorf("the next entry is %d after %d", id, newest)
	}
}

// The newest keep their numbers taken, however old they are.
func TestTheNewestIsNeverTrimmed(t *testing.T) {
	s := fresh(t)
	id := s.commitIDs(t, film("e1", 1, -1), film("e2", 2, -2))
	s.finishAll(t)
	s.clock.advance(2 * upkeep.Keep)
	s.compact(t)
	if next := s.commitIDs(t, film("e3", 3, 0))[0]; next != id[1]+1 || s.rows(t, "entries") != 2 {
		t.Errorf("the next entry is %d, of %d", next, s.rows(t, "entries"))
	}
	s.checkCounters(t)
}

// Ten years of a busy household need no more room than two: pages are used
// again.
func TestTrimmedRoomIsUsedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("lives through six years")
	}
	s := fresh(t)
	var sizes []int64
	for year := range 6 {
		for month := range 12 {
			var batch []viewing.Event
			for i := range 20 {
				batch = append(batch, film(fmt.Sprint(year, "-", month, "-", i), int64(i+1), year*525_600+month*43_800-i-1))
			}
			s.commit(t, batch...)
			s.finishAll(t)
			s.clock.advance(30*24*time.Hour + 10*time.Hour)
		}
		s.compact(t)
		change(t, s.path, "PRAGMA wal_checkpoint(PASSIVE)")
		info, err := os.Stat(s.path)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	t.Log(sizes)
	if names := int64(240 * 200); sizes[5] > sizes[2]+3*names { // only names are kept for good
		t.Errorf("the file grows: %v", sizes)
	}
	if s.rows(t, "entries") > 600 {
		t.Errorf("%d entries", s.rows(t, "entries"))
	}
}

// Run trims by itself, once a day, and is asleep in between.
func TestRunTrimsOnceADay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		s, err := Open(ctx, Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		for i := range 3 {
			v := film(fmt.Sprint("e", i), int64(i+1), 0)
			o, err := s.Commit(ctx, viewing.Batch{Source: "browser:b1", Events: []viewing.Event{v}})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Settle(ctx, Settlement{Entry: o[0].Entries[0], State: viewing.StateDropped}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(upkeep.Keep - time.Hour)
		synctest.Wait()
		if n, err := s.Counts(ctx); err != nil || n.Dropped != 3 {
			t.Errorf("within the year: %+v, %v", n, err)
		}
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		if n, err := s.Counts(ctx); err != nil || n.Dropped != 1 {
			t.Errorf("after it: %+v, %v", n, err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// compact does at once what is done once a day.
func (o *opened) compact(t *testing.T) {
	t.Helper()
	upkeep.Tidy(func(do func(*disk.Tx) error) error {
		err := o.file.Write(t.Context(), do)
		if err != nil {
			t.Error(err)
		}
		return err
	}, o.logger)
}
