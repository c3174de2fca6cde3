package queue

import (
	"database/sql"
	"encoding/json"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// decide asks the rules about an item of an event, with the account's silences.
func (t *tx) decide(s rules.Settings, account, source string, v viewing.Event, m *viewing.Media) rules.Decision {
	t.readSilences()
	s.Silences = t.silences[account]
	return rules.Decide(s, source, v, m, millis(t.now))
}

// readSilences reads the pauses that drop, by account, unless they are known.
func (t *tx) readSilences() {
	if t.silences != nil {
		return
	}
	t.silences = map[string][]account.Silence{}
	selectRows(t, func(r *sql.Rows) (struct{}, error) {
		var s account.Silence
		var since, until int64
		err := r.Scan(&s.Account, &since, &until)
		s.From, s.Until = millis(since), millis(until)
		t.silences[s.Account] = append(t.silences[s.Account], s)
		return struct{}{}, err
	}, "SELECT account, since, until FROM silences ORDER BY id")
}

// identify gives an entry that has not begun to leave another item; v is its event, and
// the step says who found it. What was held for want of an identifier alone may leave
// then, as the rules have it.
func (t *tx) identify(e Entry, m viewing.Media, v viewing.Event, step entry.Step) {
	before := e
	e.Media = &m
	t.rewrite(before, &e)
	t.step(e.ID, step)
	t.decideAgain(&e, v)
	t.mergeDuplicate(e.ID, false)
}

// decideAgain asks the rules where a new identity matters: for an entry that was
// held for want of one, or that has lost it. Entries held for another reason stay
// held. What a person has decided about goes by no filter any more.
func (t *tx) decideAgain(e *Entry, v viewing.Event) {
	unresolved := e.State == viewing.StateHeld && e.Reason == viewing.ReasonUnresolved
	if unresolved != e.Media.Identified() {
		return
	}
	settings := t.settings
	if e.Touched > entry.Untouched {
		settings = rules.Settings{Grace: t.settings.Grace}
	}
	d := t.decide(settings, e.Account, e.Source, v, e.Media)
	for _, s := range d.Steps[1:] { // the account stays as it is
		if s.Code != d.Why.Code { // that is written with the transition
			t.step(e.ID, s)
		}
	}
	if d.State == viewing.StatePending && d.Lane == viewing.LaneLive && e.Touched == entry.Untouched && t.exceedsBurst(e.Source, v) {
		d.State, d.Reason, d.Why = viewing.StateHeld, viewing.ReasonBurst, t.burstStep(e.Source)
	}
	t.transition(e, d.State, d.Reason, d.Why)
}

// eventOf is the event of an entry as the rules see it, with what was found out since.
func (t *tx) eventOf(e Entry) (v viewing.Event) {
	var body []byte
	t.find("SELECT v.body FROM entries AS n JOIN events AS v ON v.id = n.event WHERE n.id = ?", []any{e.ID}, &body)
	if json.Unmarshal(body, &v) != nil { // it was lost to damage
		v = viewing.Event{}
	}
	v.Kind, v.WatchedAt, v.Class = e.Kind, e.WatchedAt.Instant, e.Class
	return v
}

// burst counts the viewings of one source that ended within one minute. A person
// watches no more than a few; a source that has gone mad reports many. It is kept in
// memory alone.
type burst struct {
	since int64 // when the first of them ended
	count int   // those that nothing else holds
}

// exceedsBurst counts a viewing that is about to be sent, unless it never counts, as what a
// person adds by hand. It reports whether that is one more than a person can have watched.
func (t *tx) exceedsBurst(source string, v viewing.Event) bool {
	if t.settings.BurstLimit < 1 || v.Kind != viewing.KindViewing || v.WatchedAt.Precision == viewing.Day || v.Class == viewing.ClassImport ||
		viewing.SourceKind(source) == viewing.SourceCLI {
		return false
	}
	b := t.bursts[source]
	if minute := time.Minute.Milliseconds(); v.WatchedAt.Millis < b.since-minute || v.WatchedAt.Millis > b.since+minute {
		b = burst{since: v.WatchedAt.Millis}
	}
	b.count++
	t.bursts[source] = b
	return b.count > t.settings.BurstLimit
}

// burstStep says why a burst is held.
func (t *tx) burstStep(source string) entry.Step {
	return entry.Step{Code: "held.burst", Args: entry.Args{"source": source, "n": strconv.Itoa(t.settings.BurstLimit)}}
}
