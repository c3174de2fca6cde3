package doubt

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// record is one viewing that a service has.
type record struct {
	item      int
	watched   time.Time // as it was sent
	arrived   time.Time
	fromQueue bool
}

// service is a model of a service: its records, and how precisely it stores times.
type service struct {
	precision Precision
	records   []record
}

// shownTime returns the time that the service returns for a record.
func (s *service) shownTime(r record) time.Time {
	switch s.precision {
	case Minute:
		return r.watched.Truncate(time.Minute)
	case Day:
		return r.watched.Truncate(24 * time.Hour)
	case Arrival:
		return r.arrived
	default:
		return r.watched
	}
}

func (s *service) add(item int, watched, arrived time.Time, ours bool) {
	s.records = append(s.records, record{item, watched, arrived, ours})
}

// remove deletes all records of an item: the API cannot delete a single viewing.
func (s *service) remove(item int) {
	s.records = slices.DeleteFunc(s.records, func(r record) bool { return r.item == item })
}

func (s *service) shownTimes(item int) (times []time.Time) {
	for _, r := range s.records {
		if r.item == item {
			times = append(times, s.shownTime(r))
		}
	}
	return times
}

// read returns a complete reading of the item in doubt.
func (s *service) read(at time.Time) Reading {
	return Reading{At: at, Complete: true, Records: s.shownTimes(doubtful)}
}

// The items.
const (
	doubtful = iota
	anchor
	another
)

// attempt returns when the entry in doubt was sent, watched when it was watched.
func attempt() time.Time { return time.Date(2026, 3, 10, 21, 0, 0, 0, time.UTC) }
func watched() time.Time { return time.Date(2026, 3, 6, 20, 15, 31, 250e6, time.UTC) }

// event changes the service some time after the attempt.
type event struct {
	after time.Duration
	apply func(*service, time.Time)
}

// The times of events: before the first reading, and between it and the second.
const (
	early           = 3 * time.Minute
	betweenReadings = absenceWait + 10*time.Second
)

// dimension is a set of alternatives, by name; a world has one alternative of each dimension.
type dimension map[string][]event

func arrivals() dimension {
	arrive := func(s *service, at time.Time) { s.add(doubtful, watched(), at, true) }
	return dimension{
		"recorded":     {{0, arrive}},
		"not recorded": nil,
		"late":         {{4 * time.Minute, arrive}},
		"late amid":    {{betweenReadings + time.Second, arrive}},
	}
}

func otherDevices() dimension {
	add := func(item int, at time.Time) func(*service, time.Time) {
		return func(s *service, now time.Time) { s.add(item, at, now, false) }
	}
	return dimension{
		"no other device":      nil,
		"another item":         {{early, add(another, watched().Add(time.Hour))}},
		"the item again":       {{early, add(doubtful, watched().Add(26*time.Hour))}},
		"the item again, amid": {{betweenReadings, add(doubtful, watched().Add(2*time.Hour))}},
	}
}

func deletions() dimension {
	take := func(s *service, _ time.Time) { s.remove(doubtful) }
	return dimension{"nothing taken": nil, "taken": {{early, take}}, "taken amid": {{betweenReadings, take}}}
}

// earlierRecords returns the records of the item before the attempt; claimed says that the
// record belongs to another entry of the queue.
func earlierRecords() map[string]struct {
	at      []time.Time
	claimed bool
} {
	return map[string]struct {
		at      []time.Time
		claimed bool
	}{
		"none":                      {},
		"a week before":             {at: []time.Time{watched().Add(-7 * 24 * time.Hour)}},
		"the same day":              {at: []time.Time{watched().Add(-3 * time.Hour)}},
		"the same time, of another": {at: []time.Time{watched()}, claimed: true},
	}
}

// tally counts the results of many worlds.
type tally struct {
	worlds, delivered, again, held, lost, doubled, restored int
	faults                                                  []string
}

// world is one sequence of events, and the rule that decides.
type world struct {
	name     string
	service  *service
	evidence Evidence
	events   []event
	learned  bool
	rule     func(Evidence) decision
}

// run runs one world until the rule decides.
func (c *tally) run(w world) {
	s, e, coming := w.service, w.evidence, w.events
	now := attempt()
	e.Watched = watched()
	slices.SortStableFunc(coming, func(a, b event) int { return int(a.after - b.after) })
	recorded, taken := false, false
	for d := (decision{state: stayInDoubt, Wait: firstReadWait}); ; d = w.rule(e) {
		if d.state != stayInDoubt || d.Final {
			for _, h := range coming { // the remaining events take place after the decision
				h.apply(s, attempt().Add(h.after))
			}
			c.count(w.name, d, s, recorded, taken)
			return
		}
		e.Absent, now = d.Absent, now.Add(d.Wait)
		for len(coming) > 0 && !attempt().Add(coming[0].after).After(now) {
			had := recorded
			coming[0].apply(s, attempt().Add(coming[0].after))
			recorded = recorded || hasRecordOfQueue(s)
			taken = taken || had && !hasRecordOfQueue(s)
			coming = coming[1:]
		}
		e.Reading, e.Age = s.read(now), now.Sub(attempt())
		e.Reading.Anchor = w.learned && len(s.shownTimes(anchor)) > 0
		if e.Age >= absenceWait {
			e.ReadBacks++
		}
	}
}

func hasRecordOfQueue(s *service) bool {
	return slices.ContainsFunc(s.records, func(r record) bool { return r.fromQueue })
}

func (c *tally) count(name string, d decision, s *service, recorded, taken bool) {
	c.worlds++
	switch d.state {
	case delivered:
		c.delivered++
		if !recorded {
			c.lost++
			c.faults = append(c.faults, name+": lost: "+d.Why.Code)
		}
	case sendAgain:
		c.again++
		if hasRecordOfQueue(s) {
			c.doubled++
			c.faults = append(c.faults, name+": doubled: "+d.Why.Code)
		}
		if taken {
			c.restored++
		}
	default:
		c.held++
	}
}

// The rule loses and doubles nothing in any world of the model.
func TestNothingLostNothingDoubled(t *testing.T) {
	for _, learned := range []bool{true, false} {
		c := runAllWorlds(decide, learned)
		t.Logf("precision learned %v: %d worlds: %d lost, %d doubled; %d delivered, %d sent again (%d of them deleted by the user), %d held",
			learned, c.worlds, c.lost, c.doubled, c.delivered, c.again, c.restored, c.held)
		if c.worlds != 4*4*4*3*4 || c.held == c.worlds {
			t.Errorf("%d worlds, %d held", c.worlds, c.held)
		}
		for _, fault := range c.faults {
			t.Error(fault)
		}
	}
}

// The model detects the faults of simpler rules.
func TestModelCatchesSimplerRules(t *testing.T) {
	rules := map[string]func(Evidence) decision{
		"a record at its time, read once": func(e Evidence) decision {
			if slices.ContainsFunc(e.Reading.Records, func(at time.Time) bool { return Exact.Same(at, e.Watched) }) {
				return decision{state: delivered}
			}
			return decision{state: sendAgain}
		},
		"any record of the item": func(e Evidence) decision {
			if e.Age < absenceWait {
				return decision{state: stayInDoubt, Wait: absenceWait}
			}
			if len(e.Reading.Records) > 0 {
				return decision{state: delivered}
			}
			return decision{state: sendAgain}
		},
	}
	for name, rule := range rules {
		c := runAllWorlds(rule, true)
		t.Logf("%s: %d lost, %d doubled, %d held of %d", name, c.lost, c.doubled, c.held, c.worlds)
		if c.lost+c.doubled == 0 {
			t.Errorf("%s passes the model", name)
		}
	}
}

// runAllWorlds runs all worlds with one rule.
func runAllWorlds(rule func(Evidence) decision, learned bool) (c tally) {
	for _, precision := range []Precision{Exact, Minute, Day, Arrival} {
		for before, had := range earlierRecords() {
			for device, adds := range otherDevices() {
				for taking, takes := range deletions() {
					for outcome, arrives := range arrivals() {
						w := world{service: &service{precision: precision}, learned: learned, rule: rule}
						w.name = fmt.Sprintf("precision %s, learned %v, before: %s, %s, %s, %s", precision, learned, before, device, taking, outcome)
						w.events = slices.Concat(arrives, adds, takes)
						w.setUp(had.at, had.claimed)
						c.run(w)
					}
				}
			}
		}
	}
	return c
}

// setUp adds the records from before the attempt.
func (w *world) setUp(had []time.Time, claimed bool) {
	w.service.add(anchor, watched().Add(time.Hour), attempt().Add(-time.Hour), false)
	if w.learned {
		w.evidence.Precision = w.service.precision
	}
	for _, at := range had {
		w.service.add(doubtful, at, attempt().Add(-24*time.Hour), false)
		if claimed {
			w.evidence.Claimed = append(w.evidence.Claimed, at)
		}
	}
}
