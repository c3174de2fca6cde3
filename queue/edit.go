package queue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Edit changes an entry that is pending, held or rejected; its next request gets a new
// Idempotency-Key. A rejected entry becomes pending, and so does a held one if the edit adds what
// was missing. Errors wrap [entry.ErrNotFound], [entry.ErrState] (a [*StateError]) or
// [viewing.ErrInvalid].
func (s *Store) Edit(ctx context.Context, id int64, c entry.Edit) (after Entry, err error) {
	err = s.writeDry(ctx, fmt.Sprintf("edit entry %d", id), c.DryRun, func(t *tx) error {
		e := t.entry(id)
		if err := checkChangeable(entry.VerbEdit, e); err != nil {
			return err
		}
		err := t.edit(e, c)
		after = t.entry(id)
		return err
	})
	return after, err
}

// checkChangeable returns a [*StateError] if the verb does not apply to an entry in this state.
func checkChangeable(verb entry.Verb, e Entry) error {
	if !slices.Contains(verb.States(), e.State) {
		return &StateError{Verb: string(verb), ID: e.ID, State: e.State, Reason: e.Reason}
	}
	return nil
}

// edit changes an entry as a person requested, and records the given steps; without any, it
// describes the change itself.
func (t *tx) edit(e Entry, c entry.Edit, steps ...entry.Step) error {
	now, before := millis(t.now), e
	e.Touched, e.Correction = entry.Edited, 0
	if c.Media != nil {
		e.Reported, e.Media = e.AsReported(), fillIdentity(*c.Media, e.Media)
	}
	if !c.WatchedAt.IsZero() {
		e.WatchedAt.Instant, e.DayOnly = c.WatchedAt, c.WatchedAt.Precision == viewing.Day
	}
	if err := validateEdit(c, e, now); err != nil {
		return err
	}
	t.rewrite(before, &e)
	if len(steps) == 0 {
		steps = editSteps(before, e)
	}
	for _, s := range steps {
		t.step(e.ID, s)
	}
	if state, reason := stateAfterEdit(c, before, e, now); state != e.State || reason != e.Reason {
		if e.NextAt = (time.Time{}); state == viewing.StatePending {
			e.NextAt = t.dueSince(e)
		}
		t.transition(&e, state, reason, entry.Step{})
	}
	t.mergeDuplicate(e.ID, true)
	return nil
}

// editSteps returns the steps that describe an edit.
func editSteps(before, after Entry) (steps []entry.Step) {
	if after.Media != nil && after.Media.Key() != before.Media.Key() {
		step := entry.Step{Code: "edited.named", Args: entry.Args{"item": after.Media.Label()}}
		if oldKey := before.Media.Key(); oldKey != "" {
			step.Code, step.Args["item"], step.Args["before"] = "edited.item", after.Media.Key(), oldKey
		}
		steps = append(steps, step)
	}
	if after.WatchedAt.Millis != before.WatchedAt.Millis {
		steps = append(steps, entry.Step{Code: "edited.time", Args: entry.Args{"at": watchedTime(after), "before": watchedTime(before)}})
	}
	if len(steps) == 0 {
		steps = append(steps, entry.Step{Code: "edited.confirmed"})
	}
	return steps
}

// stateAfterEdit returns the state and reason of an entry after an edit.
func stateAfterEdit(c entry.Edit, before, after Entry, now time.Time) (viewing.State, string) {
	nameless := after.Media != nil && !after.Media.Identified()
	switch {
	case nameless && (before.State != viewing.StateHeld || resolvesReason(c, before)):
		return viewing.StateHeld, viewing.ReasonUnresolved // until a lookup identifies it
	case before.State != viewing.StateHeld:
		return viewing.StatePending, ""
	case resolvesReason(c, before):
		d := rules.Decide(rules.Settings{}, after.Source, viewing.Event{Kind: after.Kind, WatchedAt: after.WatchedAt.Instant}, after.Media, now)
		return d.State, d.Reason
	default:
		return before.State, before.Reason
	}
}

// resolvesReason reports whether the edit supplies what e is held for.
func resolvesReason(c entry.Edit, e Entry) bool {
	switch e.Reason {
	case viewing.ReasonUnresolved:
		return c.Media != nil
	case viewing.ReasonFuture, viewing.ReasonReview:
		return !c.WatchedAt.IsZero()
	default:
		return false
	}
}

// validateEdit checks an edited entry against the field rules.
func validateEdit(c entry.Edit, next Entry, now time.Time) error {
	v := viewing.Event{Kind: next.Kind, EventID: next.EventID, List: next.List, WatchedAt: next.WatchedAt.Instant, Count: 1}
	if next.Media != nil {
		v.Media = []viewing.Media{*next.Media}
	}
	if next.Kind == viewing.KindListItem {
		v.InList = next.EventID // any value: an edit does not change the list
	}
	switch {
	case c.Media == nil && c.WatchedAt.IsZero():
		return viewing.Wrong("media", "field.nothing")
	case !c.WatchedAt.IsZero() && next.Kind != viewing.KindViewing:
		return viewing.Wrong("watchedAt", "field.misplaced")
	case c.Media != nil && !next.Media.Identified() && !next.Media.Resolvable():
		return viewing.Wrong("media", "field.unidentified")
	case !c.WatchedAt.IsZero() && c.WatchedAt.Time().After(now):
		return viewing.Wrong("watchedAt", "field.ahead")
	}
	return v.Validate()
}

// fillIdentity returns m with its empty fields filled from the old item. The old titles are kept
// only if they were all that was known.
func fillIdentity(m viewing.Media, old *viewing.Media) *viewing.Media {
	if old == nil || old.Type != m.Type {
		return &m
	}
	if m.Type == viewing.Episode {
		m.Show, m.Season, m.Episode = cmp.Or(m.Show, old.Show), cmp.Or(m.Season, old.Season), cmp.Or(m.Episode, old.Episode)
	}
	if !old.Identified() {
		if m.Title == "" {
			m.Title, m.Year = old.Title, old.Year
		}
		if m.Show != nil && old.Show != nil && m.Show.Title == "" {
			show := *m.Show
			show.Title, show.Year = old.Show.Title, old.Show.Year
			m.Show = &show
		}
	}
	return &m
}

// watchedTime formats when an entry was watched for the arguments of a step; the date alone if
// the time is not known.
func watchedTime(e Entry) string {
	if e.DayOnly {
		return e.WatchedAt.Time().Local().Format(time.DateOnly)
	}
	return entry.Time(e.WatchedAt.Time())
}
