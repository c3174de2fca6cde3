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

// Edit corrects an entry that is pending, held or rejected; its next request
// is another act. What was held for want of what the edit brings, or was
// rejected, becomes pending. Errors wrap [entry.ErrNotFound], [entry.ErrState] (a
// [*StateError]) or [viewing.ErrInvalid].
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

// checkChangeable refuses what a person cannot change any more: what has begun to
// leave, or was withdrawn.
func checkChangeable(verb entry.Verb, e Entry) error {
	if !slices.Contains(verb.States(), e.State) {
		return &StateError{Verb: string(verb), ID: e.ID, State: e.State, Reason: e.Reason}
	}
	return nil
}

// edit changes an entry as a person says, with steps that say what; without any, they say
// what has changed.
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

// editSteps say what a person has changed.
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

// stateAfterEdit is where an entry stands after an edit.
func stateAfterEdit(c entry.Edit, before, after Entry, now time.Time) (viewing.State, string) {
	nameless := after.Media != nil && !after.Media.Identified()
	switch {
	case nameless && (before.State != viewing.StateHeld || resolvesReason(c, before)):
		return viewing.StateHeld, viewing.ReasonUnresolved // until the service has said what it is
	case before.State != viewing.StateHeld:
		return viewing.StatePending, ""
	case resolvesReason(c, before):
		d := rules.Decide(rules.Settings{}, after.Source, viewing.Event{Kind: after.Kind, WatchedAt: after.WatchedAt.Instant}, after.Media, now)
		return d.State, d.Reason
	default:
		return before.State, before.Reason
	}
}

// resolvesReason reports whether the edit answers the reason e is held for.
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

// validateEdit holds the edited entry against the field rules.
func validateEdit(c entry.Edit, next Entry, now time.Time) error {
	v := viewing.Event{Kind: next.Kind, EventID: next.EventID, List: next.List, WatchedAt: next.WatchedAt.Instant, Count: 1}
	if next.Media != nil {
		v.Media = []viewing.Media{*next.Media}
	}
	if next.Kind == viewing.KindListItem {
		v.InList = next.EventID // which list it is stays as it is
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

// fillIdentity is the new identity m with what it leaves open taken from the old
// one. Titles stay as evidence only where there was nothing but them.
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

// watchedTime is when an entry was watched, as a step has it: the day alone where no more is known.
func watchedTime(e Entry) string {
	if e.DayOnly {
		return e.WatchedAt.Time().Local().Format(time.DateOnly)
	}
	return entry.Time(e.WatchedAt.Time())
}
