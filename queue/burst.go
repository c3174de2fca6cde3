package queue

import (
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// burst counts the viewings of one source that ended within one minute. A person
// watches no more than a few; a source that has gone mad reports many. It is kept in
// memory alone.
type burst struct {
	since int64   // when the first of them ended
	count int     // those that nothing else holds
	first []int64 // their entries, while they are no burst yet
}

// overflows counts a viewing that is about to be sent, unless it never counts. It
// reports whether that is one more than a person can have watched.
func (t *tx) overflows(source string, v viewing.Event) (over, counted bool) {
	if t.settings.Wave < 1 || v.Kind != viewing.KindViewing || v.WatchedAt.Precision == viewing.Day || v.Class == viewing.ClassImport {
		return false, false
	}
	b, known := t.bursts[source]
	if minute := time.Minute.Milliseconds(); !known || v.WatchedAt.Millis < b.since-minute || v.WatchedAt.Millis > b.since+minute {
		b = burst{since: v.WatchedAt.Millis}
	}
	b.count++
	if t.bursts == nil {
		t.bursts = map[string]burst{}
	}
	t.bursts[source] = b
	return b.count > t.settings.Wave, true
}

// letGo remembers entries that are about to be sent: they are held if more follows.
func (t *tx) letGo(source string, ids []int64) {
	if b := t.bursts[source]; len(ids) > 0 {
		b.first = append(b.first, ids...)
		t.bursts[source] = b
	}
}

// burstStep says why a burst is held.
func (t *tx) burstStep(source string) entry.Step {
	return entry.Step{Code: "held.burst", Args: entry.Args{"source": source, "n": strconv.Itoa(t.settings.Wave)}}
}

// holdBurst holds an event that is one too many, and those before it.
func (t *tx) holdBurst(e event, drafts []draft) error {
	leaves := func(d draft) bool {
		return d.State == viewing.StatePending && d.into == nil && d.Lane == viewing.LaneLive
	}
	var asked, over, counted bool
	for i := range drafts {
		d := &drafts[i]
		if !leaves(*d) {
			continue
		}
		if !asked {
			over, counted = t.overflows(e.source, e.Event)
			asked = true
		}
		if d.counted = counted && !over; over {
			d.State, d.Reason, d.Steps = viewing.StateHeld, viewing.ReasonWave, append(d.Steps, t.burstStep(e.source))
		}
	}
	if !over {
		return nil
	}
	return t.holdFirst(e.source)
}

// holdFirst holds what was let go before a burst was seen to be one: what has not
// begun to leave, and neither a person nor another source has confirmed.
func (t *tx) holdFirst(source string) error {
	b := t.bursts[source]
	first := b.first
	b.first = nil
	t.bursts[source] = b
	for _, id := range first {
		e, err := t.entry(id)
		if err != nil {
			return err
		}
		confirmed, err := t.seenByOther(id, source)
		if err != nil {
			return err
		}
		if e.State != viewing.StatePending || e.Attempts > 0 || e.Touched > entry.Untouched || confirmed {
			continue
		}
		if err := t.transition(&e, viewing.StateHeld, viewing.ReasonWave, t.burstStep(source)); err != nil {
			return err
		}
	}
	return nil
}
