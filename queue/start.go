package queue

import (
	"fmt"
	"strconv"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// stopped is the reason of entries that a crash left under way.
const stopped = "stopped"

// start begins a run. What earlier ones left under way is put in doubt. Where the file
// is a copy, or changes are missing from it, it may not know what was sent: what is
// pending is held.
func (s *Store) start(d *sqlite.Tx, o sqlite.Opening) error {
	return s.change(d, func(t *tx) error {
		if o.Copied != 0 {
			at := entry.Time(millis(o.Copied))
			if err := t.holdAll(entry.Step{Code: "restored.copy", Args: entry.Args{"at": at}}, viewing.Say("notice.copy", "at", at)); err != nil {
				return fmt.Errorf("hold what a copy says is pending: %w", err)
			}
		}
		if o.Behind {
			s.logger.Error("the queue's file has lost its newest changes", "missing_events", o.Missing)
			what := viewing.Message{Code: "notice.lostChanges", Args: map[string]string{}}
			if o.Missing > 0 {
				what = viewing.Say("notice.lost", "events", number(o.Missing))
			}
			if err := t.holdAll(entry.Step{Code: "restored.damage"}, what); err != nil {
				return fmt.Errorf("hold what is pending after a loss: %w", err)
			}
		}
		left, err := t.Numbers("SELECT id FROM entries WHERE state = 'sending'")
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

// holdAll holds what is pending, and says so; the notice names how many entries that were.
func (t *tx) holdAll(why entry.Step, notice viewing.Message) error {
	pending, err := t.Numbers("SELECT id FROM entries WHERE state = 'pending'")
	if err != nil {
		return err
	}
	for _, id := range pending {
		e, err := t.entry(id)
		if err == nil {
			err = t.transition(&e, viewing.StateHeld, viewing.ReasonRestored, why)
		}
		if err != nil {
			return err
		}
	}
	notice.Args["held"] = strconv.Itoa(len(pending))
	return t.Notify(sqlite.Notice{What: notice})
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
