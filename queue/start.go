package queue

import (
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// selectLeft finds what a crash left under way.
const selectLeft = "SELECT id FROM entries WHERE state = 'sending'"

// stopped is the reason of entries that a crash left under way.
const stopped = "stopped"

// start begins a run. What earlier ones left under way is put in doubt. Where the file
// is a copy, or changes are missing from it, it may not know what was sent: what is
// pending is held.
func (s *Store) start(d *sqlite.Tx, o sqlite.Opening) error {
	return s.change(d, func(t *tx) error {
		if o.Copied != 0 {
			if err := t.holdCopied(millis(o.Copied)); err != nil {
				return fmt.Errorf("hold what a copy says is pending: %w", err)
			}
		}
		if o.Behind {
			s.logger.Error("the queue's file has lost its newest changes", "missing_events", o.Missing)
			if err := t.holdAfterLoss(o.Missing); err != nil {
				return fmt.Errorf("hold what is pending after a loss: %w", err)
			}
		}
		left, err := t.Numbers(selectLeft)
		if err != nil {
			return err
		}
		for _, id := range left {
			if err := t.doubt(id); err != nil {
				return fmt.Errorf("put entry %d in doubt: %w", id, err)
			}
		}
		return nil
	})
}

// holdAfterLoss holds what is pending in a file that has lost changes, some events among
// them, and says so.
func (t *tx) holdAfterLoss(missing int64) error {
	held, err := t.holdPending(entry.Step{Code: "restored.damage"})
	if err != nil {
		return err
	}
	what := viewing.Say("notice.lost", "events", number(missing), "held", number(held))
	if missing == 0 {
		what = viewing.Say("notice.lostChanges", "held", number(held))
	}
	return t.Notify(sqlite.Notice{What: what})
}

// holdCopied holds what is pending in a copy that is opened as the queue.
func (t *tx) holdCopied(at time.Time) error {
	held, err := t.holdPending(entry.Step{Code: "restored.copy", Args: entry.Args{"at": entry.Time(at)}})
	if err != nil {
		return err
	}
	return t.Notify(sqlite.Notice{What: viewing.Say("notice.copy", "at", entry.Time(at), "held", number(held))})
}

// holdPending holds what is pending, and says how many entries that were.
func (t *tx) holdPending(why entry.Step) (held int64, err error) {
	pending, err := t.Numbers("SELECT id FROM entries WHERE state = 'pending'")
	if err != nil {
		return 0, err
	}
	for _, id := range pending {
		e, err := t.entry(id)
		if err == nil {
			err = t.transition(&e, viewing.StateHeld, viewing.ReasonRestored, why)
		}
		if err != nil {
			return 0, err
		}
	}
	return int64(len(pending)), nil
}

// doubt puts an entry whose request was cut short in doubt.
func (t *tx) doubt(id int64) error {
	_, err := t.Exec("UPDATE attempts SET ended_at = ?, cause = ? WHERE entry = ? AND ended_at IS NULL", t.now, asJSON{viewing.Say(stopped)}, id)
	if err != nil {
		return err
	}
	e, err := t.entry(id)
	if err != nil {
		return err
	}
	if err := t.transition(&e, viewing.StateInDoubt, stopped, entry.Step{Code: "doubt.stopped"}); err != nil {
		return err
	}
	return t.doubtful(id, millis(t.now))
}
