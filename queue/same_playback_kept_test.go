package queue

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/upkeep"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestMergedIsTrimmedWithItsTurn(t *testing.T) {
	s := fresh(t)
	s.told(t, living, of(viewing.ClassBulk, film("a", 603, -60)))
	id := s.told(t, chrome, film("b", 603, -60)).Entries[0]
	s.told(t, player, film("c", 603, -60))
	s.settle(t, Settlement{Entry: id, State: viewing.StateDelivered})
	s.told(t, chrome, film("newest", 604, -60))
	s.clock.advance(2 * upkeep.Keep)
	s.told(t, chrome, film("newest of all", 605, -60))
	for range 2 { // the one that was merged goes after what it was merged into
		s.compact(t)
	}
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 2}) {
		t.Errorf("counts %+v", counts)
	}
	var events, witnesses int64
	if err := s.reader.QueryRow("SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM witnesses)").Scan(&events, &witnesses); err != nil || events != 2 || witnesses != 0 {
		t.Errorf("%d events, %d witnesses, %v", events, witnesses, err)
	}
	if totals := s.totals(t); totals.Merged != 1 || totals.Delivered != 1 {
		t.Errorf("totals %+v", totals)
	}
}

// A file of before has no index for it yet, and what it holds is met.
func TestOldFileMeetsTheOthers(t *testing.T) {
	s := fresh(t)
	id := s.told(t, living, film("a", 603, -60)).Entries
	s.settle(t, Settlement{Entry: id[0], State: viewing.StateDelivered})
	s.change(t, brakeless()...)
	s.change(t, "DROP INDEX entries_settled", "DROP TRIGGER corrected_end", "DROP TABLE corrected", "DROP TABLE corrections", "PRAGMA user_version = 2")
	s = s.reopen(t)
	if o := s.told(t, chrome, film("b", 603, -60)); !slices.Equal(o.Entries, id) {
		t.Errorf("%+v", o)
	}
	var n int
	if err := s.reader.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'entries_settled'").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d indexes, %v", n, err)
	}
}

func TestMergedSurvivesExportAndImport(t *testing.T) {
	from := fresh(t)
	from.told(t, living, of(viewing.ClassBulk, film("a", 603, -60)))
	from.told(t, chrome, film("b", 603, -60))
	from.told(t, player, film("c", 603, -60))
	to := open(t, filepath.Join(t.TempDir(), "queue.db"), from.clock)
	did := to.imported(t, from.exported(t), false)
	if did.Events != 3 || did.Entries != 2 || did.Held != 1 {
		t.Errorf("imported %+v", did)
	}
	if counts := to.checkCounters(t); counts != (entry.Counts{Held: 1, Merged: 1}) {
		t.Errorf("counts %+v", counts)
	}
	if o := to.told(t, player, film("c", 603, -60)); o.Status != viewing.StatusDuplicate {
		t.Errorf("told again: %+v", o)
	}
	// The other queue may be sending it: one more sighting does not leave from here.
	to.told(t, "kodi:/attic", film("d", 603, -59))
	if counts := to.checkCounters(t); counts != (entry.Counts{Held: 1, Merged: 1}) {
		t.Errorf("counts %+v", counts)
	}
}
