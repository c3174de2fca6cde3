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

// decide returns the decision of the rules about an item of an event, including the silences of
// the account.
func (t *tx) decide(s rules.Settings, account, source string, v viewing.Event, m *viewing.Media) rules.Decision {
	t.readSilences()
	s.Silences = t.silences[account]
	return rules.Decide(s, source, v, m, millis(t.now))
}

// readSilences loads the silences into the cache, unless they are there.
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

// identify gives a waiting entry a new item; v is its event, and step says where the item comes
// from. The rules decide again about an entry that was held only because it had no identifier,
// and it may turn out to be a duplicate.
func (t *tx) identify(e Entry, m viewing.Media, v viewing.Event, step entry.Step) {
	before := e
	e.Media = &m
	t.rewrite(before, &e)
	t.step(e.ID, step)
	t.decideAgain(&e, v)
	t.mergeDuplicate(e.ID, false)
}

// decideAgain lets the rules decide again about an entry that was held because it had no
// identifier and has one now, or that has lost its identifier. Entries held for another reason
// stay held. Filters and classes no longer apply once a person has decided about the entry.
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
	for _, s := range d.Steps[1:] { // the first one is about the account, which does not change
		if s.Code != d.Why.Code { // transition writes this one
			t.step(e.ID, s)
		}
	}
	if d.State == viewing.StatePending && d.Lane == viewing.LaneLive && e.Touched == entry.Untouched && t.exceedsBurst(e.Source, v) {
		d.State, d.Reason, d.Why = viewing.StateHeld, viewing.ReasonBurst, t.burstStep(e.Source)
	}
	t.transition(e, d.State, d.Reason, d.Why)
}

// eventOf returns the event of an entry with the current kind, time and class of the entry.
func (t *tx) eventOf(e Entry) (v viewing.Event) {
	var body []byte
	t.find("SELECT v.body FROM entries AS n JOIN events AS v ON v.id = n.event WHERE n.id = ?", []any{e.ID}, &body)
	if json.Unmarshal(body, &v) != nil { // lost with a damaged file
		v = viewing.Event{}
	}
	v.Kind, v.WatchedAt, v.Class = e.Kind, e.WatchedAt.Instant, e.Class
	return v
}

// burst counts the viewings of one source that ended within one minute, so that a faulty source
// which reports many at once is stopped. It is kept in memory only.
type burst struct {
	since int64 // the end of the first viewing, in milliseconds
	count int   // viewings that are not held for another reason
}

// exceedsBurst counts a viewing that would be sent now, and reports whether its source has
// exceeded the limit of the minute. Days without a time, imports and viewings that a person adds
// by hand are not counted.
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

// burstStep returns the step of an entry that is held as part of a burst.
func (t *tx) burstStep(source string) entry.Step {
	return entry.Step{Code: "held.burst", Args: entry.Args{"source": source, "n": strconv.Itoa(t.settings.BurstLimit)}}
}
