package queue

import (
	"encoding/json"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// identify gives an entry that has not begun to leave another item; v is its event, and
// the step says who found it. What was held for want of an identifier alone may leave
// then, as the rules have it.
func (t *tx) identify(e Entry, m viewing.Media, v viewing.Event, step entry.Step) error {
	was := e
	e.Media = &m
	if err := t.rewrite(was, &e); err != nil {
		return err
	}
	if err := t.step(e.ID, step); err != nil {
		return err
	}
	if err := t.decideAgain(&e, v); err != nil {
		return err
	}
	return t.mergeDuplicate(e.ID, false)
}

// decideAgain asks the rules where a new identity matters: for an entry that was
// held for want of one, or that has lost it. Entries held for another reason stay
// held. What a person has decided about goes by no filter any more.
func (t *tx) decideAgain(e *Entry, v viewing.Event) error {
	unresolved := e.State == viewing.StateHeld && e.Reason == viewing.ReasonUnresolved
	if unresolved != e.Media.Identified() {
		return nil
	}
	settings := t.settings
	if e.Touched > entry.Untouched {
		settings = rules.Settings{Grace: t.settings.Grace}
	}
	d, err := t.decide(settings, e.Account, e.Source, v, e.Media)
	if err != nil {
		return err
	}
	for _, s := range d.Steps[1:] { // the account stays as it is
		if s.Code == d.Why.Code {
			continue // with the transition
		}
		if err := t.step(e.ID, s); err != nil {
			return err
		}
	}
	if d.State == viewing.StatePending && d.Lane == viewing.LaneLive && e.Touched == entry.Untouched && t.overflows(e.Source, v) {
		d.State, d.Reason, d.Why = viewing.StateHeld, viewing.ReasonWave, t.burstStep(e.Source)
	}
	return t.transition(e, d.State, d.Reason, d.Why)
}

// eventOf is the event of an entry as the rules see it, with what was found out since.
func (t *tx) eventOf(e Entry) (v viewing.Event, err error) {
	var body []byte
	_, err = t.Find("SELECT v.body FROM entries AS n JOIN events AS v ON v.id = n.event WHERE n.id = ?", []any{e.ID}, &body)
	if err == nil && json.Unmarshal(body, &v) != nil { // it was lost to damage
		v = viewing.Event{}
	}
	v.Kind, v.WatchedAt, v.Class = e.Kind, e.WatchedAt.Instant, e.Class
	return v, err
}
