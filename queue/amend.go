package queue

import (
	"encoding/json"
	"reflect"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// amendment is a correction of an earlier event by its source.
type amendment struct {
	viewing.Amendment
	source   string
	original viewing.Event // with the new media, if the amendment has any
}

// amend applies a correction to the entries of an earlier event. It changes entries that are
// pending or held. For entries that were sent, belong to another event, or have sightings of
// another source, it only records a step.
func (t *tx) amend(kind string, a viewing.Amendment) error {
	stored := t.findEvent(kind, a.EventID)
	c := amendment{Amendment: a, source: stored.source}
	if json.Unmarshal(stored.body, &c.original) != nil || c.original.EventID == "" {
		return nil // the event is unknown, or was lost with a damaged file
	}
	if err := c.check(); err != nil {
		return err
	}
	for _, id := range t.entriesOf(stored.id) {
		t.amendEntry(c, id)
	}
	return nil
}

// check validates the new media as part of the original event.
func (c *amendment) check() error {
	if c.Media == nil {
		return nil
	}
	if len(c.Media) != len(c.original.Media) {
		return viewing.Wrong("media", "field.wrong") // the number of items cannot change
	}
	c.original.Media = c.Media
	c.original.Origin.FillFrom(c.Origin)
	return c.original.Validate()
}

// step returns the step that describes the correction; family is "amended" or "noted".
func (c *amendment) step(family string, e Entry) entry.Step {
	s := entry.Step{Code: family, Args: entry.Args{"source": c.source}, Cause: messageOrNil(c.Reason)}
	switch {
	case c.Drop:
		s.Code += ".dropped"
	case c.Media != nil:
		s.Code += ".item"
	case c.Class != "":
		s.Code += ".class"
		s.Args["class"] = string(c.Class)
	case c.NotBefore != 0:
		s.Code += ".later"
	}
	another := c.Media != nil && c.Media[e.Part%len(c.Media)].Key() != e.Key()
	if family == "noted" && e.State == viewing.StateDelivered && (c.Drop || another) {
		s.Code = "noted.sent"
		s.Args["entry"] = number(e.ID)
	}
	return s
}

// amendEntry applies the correction to one entry.
func (t *tx) amendEntry(c amendment, id int64) {
	e := t.entry(id)
	ownEvent := e.EventID == c.EventID && e.Source == c.source
	waiting := ownEvent && (e.State == viewing.StatePending || e.State == viewing.StateHeld)
	if !ownEvent {
		e.State = "" // so that step does not take it for a delivered entry of this event
	}
	switch {
	case waiting && e.Key() != "" && t.seenByOtherSource(id, c.source):
		t.note(id, entry.Step{Code: "noted.shared", Args: entry.Args{"source": c.source}, Cause: messageOrNil(c.Reason)})
	case waiting && c.Drop:
		t.transition(&e, viewing.StateDropped, "withdrawn", c.step("amended", e))
	case waiting && c.Class != "":
		t.reclassify(c, e)
	case waiting && c.NotBefore != 0:
		e.NextAt = millis(max(c.NotBefore, e.CreatedAt.Add(t.settings.Grace).UnixMilli()))
		t.transition(&e, e.State, e.Reason, c.step("amended", e))
	case waiting && c.Media != nil && e.Touched < entry.Edited:
		t.changeItem(c, e)
	case c.NotBefore == 0: // a later time means nothing to an entry that is not waiting
		t.note(id, c.step("noted", e))
	}
}

// reclassify changes the class of a waiting entry and lets the rules decide again. An entry that
// a person has decided about is not changed.
func (t *tx) reclassify(c amendment, e Entry) {
	if e.Touched > entry.Untouched || e.State != viewing.StatePending && e.Reason != viewing.ReasonBurst {
		t.note(e.ID, c.step("noted", e))
		return
	}
	v := c.original
	v.Class = c.Class
	t.step(e.ID, c.step("amended", e))
	if d := t.decide(t.settings, e.Account, c.source, v, e.Media); d.State != viewing.StatePending {
		t.transition(&e, d.State, d.Reason, d.Why)
	}
}

// changeItem gives an entry the item that its source reports now.
func (t *tx) changeItem(c amendment, e Entry) {
	reported := &c.Media[e.Part%len(c.Media)]
	m, correction := *reported, t.correctionFor(reported)
	if e.Reported, e.Correction = nil, 0; correction != nil {
		m, _ = correction.Apply(m)
		e.Reported, e.Correction = reported, correction.ID
	}
	if reflect.DeepEqual(m, *e.Media) {
		return
	}
	if correction != nil {
		t.step(e.ID, correctedStep(correction.Work, *reported, m))
	}
	v := c.original
	v.Kind, v.WatchedAt = e.Kind, e.WatchedAt.Instant // a person may have changed the time
	t.identify(e, m, v, c.step("amended", e))
}
