package queue

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Commit puts a batch on disk, whole or not at all, and answers each event in the
// batch's order. It returns after the disk has everything. An event against the
// field rules refuses the batch with an error wrapping [viewing.ErrInvalid];
// trouble with the disk is [disk.ErrStorage]. Repeating a batch is harmless. An
// amendment reaches events of every source of the same kind, for their ids are one
// space; of an unknown event it is passed over.
func (s *Store) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	events, err := read(b)
	if err != nil {
		return nil, err
	}
	var outcomes []viewing.Outcome
	err = s.write(ctx, func(t *tx) error {
		outcomes = make([]viewing.Outcome, 0, len(events))
		for _, e := range events {
			o, err := t.take(e)
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
	switch {
	case errors.Is(err, disk.ErrStorage):
		s.file.Refused(len(b.Events))
		return nil, err
	case err != nil:
		return nil, err
	case len(b.Events) > 0:
		s.file.Taken()
	}
	return outcomes, nil
}

// take keeps one event, unless it is known already.
func (t *tx) take(e event) (viewing.Outcome, error) {
	o := viewing.Outcome{EventID: e.EventID, Status: viewing.StatusQueued}
	kept, err := t.keep(e)
	if err != nil || kept.fresh {
		if o.Entries = kept.entries; kept.ignored != "" {
			o.Status, o.Reason = viewing.StatusDropped, kept.ignored
		}
		return o, err
	}
	was, err := t.earlier(e.kind, e.EventID)
	switch {
	case err != nil:
		return o, err
	case was == nil:
		return o, errors.New("a name is taken and yet unknown")
	case !bytes.Equal(was.content, e.content):
		o.Status = viewing.StatusConflict
		o.Reason = "this event id was used before with other content"
		return o, nil
	default:
		o.Status = viewing.StatusDuplicate
		o.Entries, err = t.entriesOf(was.event)
		return o, err
	}
}

// keeping is what became of an event.
type keeping struct {
	fresh   bool // it is new
	entries []int64
	ignored string // why all of them are dropped at once; "" when they are not
}

// keep writes a new event with its entries, or as a witness of earlier ones.
// The name goes first: whether it is taken tells whether the event is new.
func (t *tx) keep(e event) (k keeping, err error) {
	same, err := t.sameAs(e)
	if err == nil && same != nil {
		same, err = t.stillSame(e, same)
	}
	if err != nil {
		return keeping{}, err
	}
	var drafts []draft
	if same == nil {
		drafts, err = t.draft(e)
	} else {
		k.entries, err = t.entriesOf(same.event)
	}
	if err != nil {
		return keeping{}, err
	}
	parts := len(drafts)
	if met := joined(drafts); met != nil {
		k.entries, parts = met, 0
	}
	if err := t.countIDs(); err != nil {
		return keeping{}, err
	}
	event, first := t.newest.event+1, sql.NullInt64{}
	switch {
	case parts > 0:
		first = sql.NullInt64{Int64: t.newest.entry + 1, Valid: true}
	case len(k.entries) > 0:
		first = sql.NullInt64{Int64: k.entries[0], Valid: true}
	}
	taken, err := t.Affect("INSERT INTO dedupe (key, content, event, entry) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
		schema.EventKey(e.kind, e.EventID), e.content, event, first)
	if err != nil || taken == 0 {
		return keeping{}, err
	}
	if _, err := t.insertEvent(e, parts, t.now); err != nil {
		return keeping{}, err
	}
	k.fresh = true
	if same != nil {
		return k, t.witness(e, event, k.entries)
	}
	k.ignored = ignored(drafts)
	k.entries, err = t.makeParts(e, event, drafts, parts > 0)
	if err == nil && parts > 0 && drafts[0].Lane == viewing.LaneLive {
		err = t.stem(e, first.Int64, parts)
	}
	return k, err
}

// witness joins an event to the entries of the earlier one that it is another
// sighting of.
func (t *tx) witness(e event, event int64, entries []int64) error {
	detail := fmt.Sprintf("Seen again by %s as event %s: the same playback, so nothing is added.", e.source, e.EventID)
	for _, entry := range entries {
		if _, err := t.Exec("INSERT INTO witnesses (event, entry) VALUES (?, ?)", event, entry); err != nil {
			return err
		}
		if err := t.step(entry, "sighting", detail); err != nil {
			return err
		}
	}
	t.nudge = true
	return nil
}

// draft is an entry in the making: what the rules say of one item of an event,
// and which other entries are the same playback.
type draft struct {
	rules.Decision
	place
	part int
	item *viewing.Media
	said *identity.Correction // which gave it its identity; nil for none
	into *seen                // it is merged into this one; nil for none
	over []*seen              // these are merged into it
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
			item, said, err := t.corrected(item)
			if err != nil {
				return nil, err
			}
			ruled, err := t.judge(t.settings, p.account, e.source, e.Event, item)
			if err != nil {
				return nil, err
			}
			d := draft{Decision: ruled, place: p, part: part, item: item, said: said}
			if said != nil {
				d.Steps = slices.Insert(d.Steps, 1, said.Said())
			}
			if e.Kind == viewing.KindListItem {
				d.fitToList()
			}
			drafts = append(drafts, d)
		}
	}
	return drafts, t.pair(e, drafts)
}

// makeEntry writes one entry as the rules decided, with their reasons.
func (t *tx) makeEntry(e event, event int64, d draft) (int64, error) {
	id, err := t.insertEntry(event, Entry{
		Account: d.account, Part: d.part, Kind: e.Kind, Media: d.item, List: e.List, Priority: e.Priority,
		WatchedAt: entry.Moment{Instant: e.WatchedAt}, Class: e.Class, CreatedAt: schema.Time(t.now),
		State: d.State, Reason: d.Reason, Lane: d.Lane, NextAt: d.NotBefore,
	}, d.Steps)
	if err != nil {
		return 0, err
	}
	if d.list != 0 {
		if err := t.waitFor(id, d.list); err != nil {
			return 0, err
		}
	}
	if d.said != nil {
		if err := t.credit(id, d.said.Told); err != nil {
			return 0, err
		}
	}
	if d.State.Finished() {
		_, err = t.Exec("UPDATE entries SET settled_at = created_at WHERE id = ?", id)
	}
	return id, err
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
