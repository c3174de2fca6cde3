package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Commit puts a batch on disk, whole or not at all, and answers each event in the
// batch's order. It returns after the disk has everything. An event against the
// field rules refuses the batch with an error wrapping [viewing.ErrInvalid];
// trouble with the disk is [sqlite.ErrStorage]. Repeating a batch is harmless. An
// amendment reaches events of every source of the same kind, for their ids are one
// space; of an unknown event it is passed over.
func (s *Store) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	events, err := checkBatch(b)
	if err != nil {
		return nil, err
	}
	var outcomes []viewing.Outcome
	err = s.write(ctx, "keep events", func(t *tx) error {
		outcomes = make([]viewing.Outcome, 0, len(events))
		for _, e := range events {
			o, err := t.commit(e)
			if err != nil {
				return fmt.Errorf("keep event %s: %w", e.EventID, err)
			}
			outcomes = append(outcomes, o)
		}
		for _, a := range b.Amendments {
			if err := t.amend(viewing.SourceKind(b.Source), a); err != nil {
				return fmt.Errorf("amend event %s: %w", a.EventID, err)
			}
		}
		return t.keepState(b)
	})
	if errors.Is(err, sqlite.ErrStorage) {
		s.file.Refused(len(b.Events))
	}
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// commit writes an event with its entries, or as a further sighting of what earlier
// ones have reported. An event that is known already changes nothing.
func (t *tx) commit(e event) (o viewing.Outcome, err error) {
	o = viewing.Outcome{EventID: e.EventID, Status: viewing.StatusQueued}
	was, err := t.earlier(e.kind, e.EventID)
	switch {
	case err != nil:
		return o, err
	case was != nil && !bytes.Equal(was.body, e.body):
		o.Status, o.Reason = viewing.StatusConflict, "this event id was used before with other content"
		return o, nil
	case was != nil:
		o.Status = viewing.StatusDuplicate
		o.Entries, err = t.entriesOf(was.event)
		return o, err
	}
	same, err := t.sameAs(e)
	if err != nil {
		return o, err
	}
	var drafts []draft
	if same == nil {
		if drafts, err = t.draft(e); err != nil {
			return o, err
		}
	}
	event, err := t.insertEvent(e)
	if err != nil {
		return o, err
	}
	if same != nil {
		if o.Entries, err = t.entriesOf(same.event); err == nil {
			err = t.sawAgain(e, event, o.Entries)
		}
		return o, err
	}
	if o.Entries, err = t.makeEntries(e, event, drafts); err != nil {
		return o, err
	}
	if why := ignored(drafts); why != "" {
		o.Status, o.Reason = viewing.StatusDropped, why
	}
	return o, nil
}

// sawAgain makes an event a further sighting of entries, as its source says.
func (t *tx) sawAgain(e event, event int64, entries []int64) error {
	t.nudge = true
	for _, id := range entries {
		if err := t.witness(event, id); err != nil {
			return err
		}
		if err := t.step(id, entry.Step{Code: "sighting.again", Args: entry.Args{"source": e.source, "event": e.EventID}}); err != nil {
			return err
		}
	}
	return nil
}

// witness makes an event a further sighting of an entry.
func (t *tx) witness(event, id int64) error {
	_, err := t.Exec("INSERT INTO witnesses (event, entry) VALUES (?, ?)", event, id)
	return err
}

// draft is what the rules say of one item of an event in one account, before it is
// written.
type draft struct {
	rules.Decision
	place
	part       int
	item       *viewing.Media
	reported   *viewing.Media      // the item as it was reported, where a correction has changed that
	correction *resolve.Correction // nil for none
	into       *sighted            // the entry of the same playback; nil for none
	counted    bool                // it counts as one of a burst
}

// entry is the draft as an entry.
func (d draft) entry(e event) Entry {
	out := Entry{
		Kind: e.Kind, State: d.State, Reason: d.Reason, Account: d.account, Source: e.source, EventID: e.EventID, Part: d.part,
		Media: d.item, Reported: d.reported, List: e.List, Priority: e.Priority, WatchedAt: entry.Moment{Instant: e.WatchedAt},
		Class: e.Class, Lane: d.Lane, After: d.list, NextAt: d.NotBefore,
	}
	if d.correction != nil {
		out.Correction = d.correction.ID
	}
	return out
}

// draft decides about the parts of an event, one account after another.
func (t *tx) draft(e event) ([]draft, error) {
	places, err := t.places(e)
	if err != nil {
		return nil, err
	}
	var drafts []draft
	for _, p := range places {
		for part, item := range e.parts() {
			d := draft{place: p, part: part, item: item}
			if d.correction, err = t.correctionFor(item); err != nil {
				return nil, err
			}
			if d.correction != nil {
				is, _ := d.correction.Apply(*item)
				d.item, d.reported = &is, item
			}
			if d.Decision, err = t.decide(t.settings, p.account, e.source, e.Event, d.item); err != nil {
				return nil, err
			}
			if d.correction != nil {
				d.Steps = slices.Insert(d.Steps, 1, correctedStep(d.correction.Is, *d.reported, *d.item))
			}
			if e.Kind == viewing.KindListItem {
				d.fitToList()
			}
			drafts = append(drafts, d)
		}
	}
	if err := t.findDuplicates(e, drafts); err != nil {
		return nil, err
	}
	return drafts, t.holdBurst(e, drafts)
}

// makeEntries writes what an event becomes: entries of its own, unless each part joins
// another. It returns all of them, in order.
func (t *tx) makeEntries(e event, event int64, drafts []draft) (ids []int64, err error) {
	own := slices.ContainsFunc(drafts, func(d draft) bool { return d.into == nil })
	var sent []int64
	for _, d := range drafts {
		made := d.entry(e)
		made.CreatedAt = millis(t.now)
		if d.into != nil {
			ids = append(ids, d.into.ID)
			if err := t.witness(event, d.into.ID); err != nil {
				return nil, err
			}
			step := mergedStep(made, d.into.Entry)
			if err := t.absorb(&d.into.Entry, made, entry.Step{Code: "sighting", Args: entry.Args{"event": e.EventID}}); err != nil {
				return nil, err
			}
			made.State, made.Reason, d.Steps = viewing.StateMerged, viewing.ReasonSeenTwice, append(d.Steps, step)
		}
		if !own {
			continue
		}
		if err := t.insertEntry(event, &made, d); err != nil {
			return nil, err
		}
		ids = append(ids, made.ID)
		if d.counted {
			sent = append(sent, made.ID)
		}
	}
	t.letGo(e.source, sent)
	slices.Sort(ids)
	return ids, nil
}

// ignored is the reason for which the user wants none of an event's parts; "" when
// they want any.
func ignored(drafts []draft) (reason string) {
	for _, d := range drafts {
		switch {
		case d.into != nil && d.into.State == viewing.StateDropped:
			reason = d.into.Reason
		case d.State == viewing.StateDropped:
			reason = d.Reason
		default:
			return ""
		}
	}
	return reason
}

// keepState changes the source's own memory.
func (t *tx) keepState(b viewing.Batch) error {
	for key, value := range b.State {
		var err error
		if value == nil {
			_, err = t.Exec("DELETE FROM source_state WHERE source = ? AND key = ?", b.Source, key)
		} else {
			_, err = t.Exec(`INSERT INTO source_state (source, key, value) VALUES (?, ?, ?)
				ON CONFLICT (source, key) DO UPDATE SET value = excluded.value`, b.Source, key, value)
		}
		if err != nil {
			return fmt.Errorf("keep state of source: %w", err)
		}
	}
	return nil
}

// number writes an id for the arguments of a step.
func number(id int64) string { return strconv.FormatInt(id, 10) }
