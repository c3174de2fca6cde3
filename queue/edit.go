package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// edited is what a step is called by which the user changed an entry: from
// then on its source changes it no more.
const edited = "edited"

// Edit corrects an entry that is pending, held or rejected; its next request
// is another act. What was held for want of what the edit brings, or was
// rejected, becomes pending. Errors wrap [entry.ErrNotFound], [entry.ErrState] (a
// [*StateError]) or [viewing.ErrInvalid].
func (s *Store) Edit(ctx context.Context, id int64, c entry.Edit) (Entry, error) {
	var after Entry
	err := s.writeDry(ctx, c.DryRun, func(t *tx) error {
		e, err := t.entry(id)
		if err != nil {
			return fmt.Errorf("edit entry %d: %w", id, err)
		}
		if err := changeable("edit", e); err != nil {
			return err
		}
		next, err := applied(c, e, schema.Time(t.now))
		if err != nil {
			return fmt.Errorf("edit entry %d: %w", id, err)
		}
		if err := t.edit(e, next); err != nil {
			return err
		}
		after, err = t.entry(id)
		return err
	})
	return after, err
}

// changeable refuses what a person cannot change any more: what has begun to
// leave, or was withdrawn.
func changeable(verb string, e Entry) error {
	if e.State != viewing.StatePending && e.State != viewing.StateHeld && e.State != viewing.StateRejected {
		return &StateError{Verb: verb, ID: e.ID, State: e.State, Reason: e.Reason}
	}
	return nil
}

// applied is e with the correction, checked as if it had come so.
func applied(c entry.Edit, e Entry, now time.Time) (Entry, error) {
	next := e
	if c.Media != nil {
		next.Media = completed(*c.Media, e.Media)
	}
	if !c.WatchedAt.IsZero() {
		next.WatchedAt.Instant = c.WatchedAt
	}
	if err := checkEdited(c, next, now); err != nil {
		return next, err
	}
	nameless := next.Media != nil && !next.Media.Identified()
	switch {
	case nameless && (e.State != viewing.StateHeld || mends(c, e)):
		next.State, next.Reason = viewing.StateHeld, viewing.ReasonUnresolved // until the service has said what it is
	case e.State != viewing.StateHeld:
		next.State, next.Reason = viewing.StatePending, ""
	case mends(c, e):
		v := viewing.Event{Kind: e.Kind, WatchedAt: next.WatchedAt.Instant}
		d := rules.Decide(rules.Settings{}, e.Source, v, next.Media, now)
		next.State, next.Reason = d.State, d.Reason
	}
	return next, nil
}

// mends reports whether the correction answers the reason e is held for.
func mends(c entry.Edit, e Entry) bool {
	switch e.Reason {
	case viewing.ReasonUnresolved:
		return c.Media != nil
	case viewing.ReasonFuture, viewing.ReasonReview:
		return !c.WatchedAt.IsZero()
	default:
		return false
	}
}

// checkEdited holds the corrected entry against the field rules.
func checkEdited(c entry.Edit, next Entry, now time.Time) error {
	v := viewing.Event{Kind: next.Kind, EventID: next.EventID, List: next.List, WatchedAt: next.WatchedAt.Instant, Count: 1}
	if next.Media != nil {
		v.Media = []viewing.Media{*next.Media}
	}
	if next.Kind == viewing.KindListItem {
		v.InList = next.EventID // which list it is stays as it is
	}
	switch {
	case c.Media == nil && c.WatchedAt.IsZero():
		return fmt.Errorf("%w: nothing to change is given", viewing.ErrInvalid)
	case !c.WatchedAt.IsZero() && next.Kind != viewing.KindViewing:
		return &viewing.FieldError{Field: "watchedAt", Problem: "belongs to viewings only"}
	case c.Media != nil && !next.Media.Identified() && !next.Media.Askable():
		return &viewing.FieldError{Field: "media", Problem: "has no identifier that the service takes"}
	case !c.WatchedAt.IsZero() && c.WatchedAt.Time().After(now):
		return &viewing.FieldError{Field: "watchedAt", Problem: "lies ahead of this machine's clock"}
	}
	return v.Validate()
}

// completed is the new identity m with what it leaves open taken from the old
// one. Titles stay as evidence only where there was nothing but them.
func completed(m viewing.Media, old *viewing.Media) *viewing.Media {
	if old == nil || old.Type != m.Type {
		return &m
	}
	if m.Type == viewing.Episode {
		if m.Show == nil {
			m.Show = old.Show
		}
		if m.Season == nil {
			m.Season = old.Season
		}
		if m.Episode == nil {
			m.Episode = old.Episode
		}
	}
	if !old.Identified() {
		m.Title, m.Year = old.Title, old.Year
		if m.Show != nil && old.Show != nil && m.Show.Title == "" {
			show := *m.Show
			show.Title, show.Year = old.Show.Title, old.Show.Year
			m.Show = &show
		}
	}
	return &m
}

// edit writes the corrected entry.
func (t *tx) edit(e, next Entry) error {
	media, key, err := writeMedia(next.Kind, next.Media)
	if err != nil {
		return err
	}
	at := writeInstant(next.WatchedAt.Instant)
	_, err = t.Exec(`UPDATE entries SET media = ?, item_key = ?, watched_at = ?, watched_text = ?, watched_offset = ?,
		watched_precision = ? WHERE id = ?`, media, key, at.millis, at.text, at.offset, at.precision, e.ID)
	if err != nil {
		return err
	}
	if err := t.raise(e.ID); err != nil {
		return err
	}
	if err := t.step(e.ID, edited, e.ChangedTo(next)); err != nil {
		return err
	}
	if e.State == viewing.StatePending && next.State == viewing.StatePending {
		t.nudge = true
		_, err = t.Exec("UPDATE entries SET lease = 0, lease_until = 0 WHERE id = ?", e.ID)
	} else {
		err = t.move(e, next.State, next.Reason)
	}
	if err != nil {
		return err
	}
	return t.meet(e.ID, true)
}
