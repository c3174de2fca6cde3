package queue

import (
	"context"
	"maps"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// tx is the open transaction as one change sees it.
type tx struct {
	*disk.Tx
	*ledger
	settings rules.Settings
	now      int64 // milliseconds; the same for the whole transaction
}

// write has a change written and waits until it is on disk; see [File.Write].
func (s *Store) write(ctx context.Context, do func(*tx) error) error {
	return s.file.Write(ctx, func(t *disk.Tx) error { return do(s.tx(t)) })
}

// tx is a transaction with what belongs to it here.
func (s *Store) tx(t *disk.Tx) *tx {
	return &tx{Tx: t, ledger: &s.ledger, settings: s.settings, now: t.Now}
}

// ledger is what goes with a transaction, or is taken back with it. Only whoever
// writes touches it.
type ledger struct {
	changes
	silences map[string][]account.Silence // by account; nil when they were not read
	counted  map[string]burst             // the bursts as of the last commit
	tell     func(changes)
}

// changes are what a transaction has changed.
type changes struct {
	moved  map[counter]int64 // in the counters
	nudge  bool              // entries were added or changed
	bursts map[string]burst  // by source
}

// Mark is what was changed so far.
func (l *ledger) Mark() any {
	return changes{maps.Clone(l.moved), l.nudge, maps.Clone(l.bursts)}
}

// Back takes back what was changed since a mark, or at all.
func (l *ledger) Back(mark any) {
	done, ok := mark.(changes)
	if !ok {
		done.bursts = maps.Clone(l.counted)
	}
	l.changes, l.silences = done, nil
}

// Flush writes the counters, once for the whole transaction.
func (l *ledger) Flush(t *disk.Tx) error {
	for c, by := range l.moved {
		if by == 0 {
			continue
		}
		_, err := t.Exec(`INSERT INTO counters (account, state, current) VALUES (?, ?, ?)
			ON CONFLICT (account, state) DO UPDATE SET current = current + excluded.current`, c.account, string(c.state), by)
		if err != nil {
			return err
		}
	}
	return nil
}

// Done tells of what is on disk now.
func (l *ledger) Done() {
	done := l.changes
	l.changes, l.counted = changes{bursts: done.bursts}, maps.Clone(done.bursts)
	l.tell(done)
}

// counter is the number of entries of an account in a state.
type counter struct {
	account string
	state   viewing.State
}

// count changes a counter.
func (l *ledger) count(account string, s viewing.State, by int64) {
	if l.moved == nil {
		l.moved = map[counter]int64{}
	}
	l.moved[counter{account, s}] += by
	l.nudge = true
}
