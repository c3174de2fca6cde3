package queue

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// amend commits an amendment of the browser "b1".
func (o *opened) amend(t testing.TB, a viewing.Amendment) {
	t.Helper()
	o.commitBatch(t, viewing.Batch{Source: "browser:b1", Amendments: []viewing.Amendment{a}})
}

// identified returns the media of a film with a TMDB id.
func identified(tmdb int64) []viewing.Media {
	return []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: tmdb}}}
}

func TestNewMediaAppliesTheRulesAgain(t *testing.T) {
	s := openNew(t)
	ahead := unidentified("ahead")
	ahead.WatchedAt = viewing.At(noon().Add(-time.Minute))
	bulk := unidentified("bulk")
	bulk.Class = viewing.ClassBulk
	outcomes := s.commit(t, film("good", 1, -10), bulk, ahead)
	for _, a := range []viewing.Amendment{
		{EventID: "good", Media: unidentified("x").Media, Reason: viewing.Say("the identifier was wrong")},
		{EventID: "bulk", Media: identified(2), Reason: viewing.Say("found")},
		{EventID: "ahead", Media: identified(3), Reason: viewing.Say("found")},
	} {
		s.amend(t, a)
	}
	for i, want := range []struct {
		state  viewing.State
		reason string
	}{{viewing.StateHeld, "unresolved"}, {viewing.StateHeld, "bulk"}, {viewing.StatePending, ""}} {
		if e := s.entry(t, outcomes[i].Entries[0]); e.State != want.state || e.Reason != want.reason {
			t.Errorf("%s is %s (%s), want %v", e.EventID, e.State, e.Reason, want)
		}
	}
	s.checkCounters(t)
}

// TestNewClassHoldsAPendingEntry: unless a person has released it or the user's settings send
// that class.
func TestNewClassHoldsAPendingEntry(t *testing.T) {
	s := openNew(t)
	id := s.commit(t, film("e1", 603, -10))[0].Entries[0]
	ready := s.due(t)
	bulk := viewing.Amendment{EventID: "e1", Class: viewing.ClassBulk, Reason: viewing.Say("marked with others")}
	s.amend(t, bulk)
	if e := s.entry(t, id); e.State != viewing.StateHeld || e.Reason != "bulk" {
		t.Fatalf("it is %s (%s)", e.State, e.Reason)
	}
	if _, err := s.Begin(t.Context(), ready[0]); !errors.Is(err, ErrChanged) {
		t.Errorf("sending it: %v, want that it has changed", err)
	}
	s.do(t, entry.VerbRelease, id)
	s.amend(t, bulk)
	if e := s.entry(t, id); e.State != viewing.StatePending {
		t.Errorf("what a person has released is %s", e.State)
	}
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1}) {
		t.Errorf("counts %+v", counts)
	}
	lax := openNew(t)
	lax.settings = rules.Settings{Classes: map[viewing.Class]rules.Action{viewing.ClassBulk: rules.Send}}
	id = lax.commit(t, film("e1", 603, -10))[0].Entries[0]
	lax.amend(t, bulk)
	if e := lax.entry(t, id); e.State != viewing.StatePending {
		t.Errorf("bulk is sent, and it is %s", e.State)
	}
}

// TestNotBeforeDelaysAnEntry: it is sent neither before that time nor before the end of the
// user's grace period.
func TestNotBeforeDelaysAnEntry(t *testing.T) {
	s := openNew(t)
	s.settings = rules.Settings{Grace: time.Minute}
	s.commit(t, film("e1", 603, -10))
	put := func(off time.Duration) {
		s.amend(t, viewing.Amendment{EventID: "e1", NotBefore: s.clock.now().Add(off).UnixMilli(), Reason: viewing.Say("taken back")})
	}
	put(24 * time.Hour)
	s.clock.advance(23 * time.Hour)
	if ready := s.due(t); len(ready) != 0 {
		t.Errorf("ready %v", ids(ready))
	}
	put(0)
	if ready := s.due(t); len(ready) != 1 {
		t.Errorf("ready %v, want it", ids(ready))
	}
	s.sendOne(t, 1)
	s.commit(t, film("e2", 604, -10))
	s.amend(t, viewing.Amendment{EventID: "e2", NotBefore: s.clock.now().UnixMilli(), Reason: viewing.Say("set again")})
	if ready := s.due(t); len(ready) != 0 {
		t.Errorf("ready %v within the grace", ids(ready))
	}
}

// delivered commits a viewing and delivers it.
func (o *opened) delivered(t *testing.T, v viewing.Event) int64 {
	t.Helper()
	id := o.commit(t, v)[0].Entries[0]
	o.settle(t, Settlement{Entry: id, Attempt: o.sendOne(t, id), State: viewing.StateDelivered})
	return id
}

// TestAmendmentOfADeliveredEntryAddsAStep: the record at the service is not changed; the step
// says how to undo it.
func TestAmendmentOfADeliveredEntryAddsAStep(t *testing.T) {
	s := openNew(t)
	sent := s.delivered(t, film("e1", 603, -10))
	for range 2 {
		s.amend(t, viewing.Amendment{EventID: "e1", Media: identified(604), Reason: viewing.Say("Kodi now calls it movie 604.")})
	}
	x := s.explained(t, sent)
	last := x.Steps[len(x.Steps)-1]
	if x.Entry.State != viewing.StateDelivered || x.Entry.Media.IDs.TMDB != 603 || last.Code != "noted.sent" || last.Args["entry"] != fmt.Sprint(sent) {
		t.Errorf("entry %+v says %+v", x.Entry, last)
	}
	s.amend(t, viewing.Amendment{EventID: "e1", Media: identified(603), Reason: viewing.Say("And back.")})
	x = s.explained(t, sent)
	if last = x.Steps[len(x.Steps)-1]; last.Code != "noted.item" {
		t.Errorf("called as it was sent: %+v", last)
	}
}

// TestSameAsWithAnotherItemGetsItsOwnEntry: if the earlier entry was sent with a different item,
// the later event is a viewing of its own.
func TestSameAsWithAnotherItemGetsItsOwnEntry(t *testing.T) {
	s := openNew(t)
	sent := s.delivered(t, film("e1", 603, -10))
	again := func(event string, item int64, same string) int64 {
		v := film(event, item, -9)
		v.SameAs = same
		return s.commit(t, v)[0].Entries[0]
	}
	if id := again("e2", 604, "e1"); id == sent || s.entry(t, id).State != viewing.StatePending {
		t.Errorf("by another name it became entry %d", id)
	}
	if id := again("e3", 603, "e1"); id != sent {
		t.Errorf("by the same name it became entry %d", id)
	}
	corrected := s.commit(t, film("f1", 700, -30))[0].Entries[0]
	s.amend(t, viewing.Amendment{EventID: "f1", Media: identified(701), Reason: viewing.Say("renamed")})
	if id := again("f2", 701, "f1"); id != corrected {
		t.Errorf("what was corrected before it left became entry %d", id)
	}
}

func TestAmendmentOfASentEntryOnlyAddsAStep(t *testing.T) {
	ends := map[string]viewing.State{
		"sending": viewing.StateSending, "doubt": viewing.StateInDoubt, "delivered": viewing.StateDelivered,
		"rejected": viewing.StateRejected, "merged": viewing.StateMerged,
	}
	for name, state := range ends {
		t.Run(name, func(t *testing.T) {
			s := openNew(t)
			id := s.commit(t, film("e1", 603, -10))[0].Entries[0]
			attempt := s.sendOne(t, id)
			if state != viewing.StateSending {
				s.settle(t, Settlement{Entry: id, Attempt: attempt, State: state})
			}
			before := s.explained(t, id)
			for range 2 {
				s.amend(t, viewing.Amendment{EventID: "e1", Media: identified(1), Reason: viewing.Say("corrected")})
				s.amend(t, viewing.Amendment{EventID: "e1", Drop: true, Reason: viewing.Say("unmarked")})
			}
			after := s.explained(t, id)
			if diff := cmp.Diff(before.Entry, after.Entry); diff != "" {
				t.Error(diff)
			}
			if added := len(after.Steps) - len(before.Steps); added != 2 {
				t.Errorf("%d steps added, want each amendment noted once: %+v", added, after.Steps)
			}
		})
	}
}

func TestAmendmentsAreValidated(t *testing.T) {
	s := openNew(t)
	id := s.commit(t, film("e1", 603, -10))[0].Entries[0]
	tests := map[string][]viewing.Media{
		"more items": append(identified(1), identified(2)...),
		"no items":   {},
		"a series":   {{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1}}},
	}
	for name, media := range tests {
		b := viewing.Batch{
			Source: "browser:b1", Events: []viewing.Event{film("new "+name, 9, -1)},
			Amendments: []viewing.Amendment{{EventID: "e1", Media: media}},
		}
		if _, err := s.Commit(t.Context(), b); !errors.Is(err, viewing.ErrInvalid) {
			t.Errorf("%s: %v, want an invalid batch", name, err)
		}
	}
	s.amend(t, viewing.Amendment{EventID: "unknown", Drop: true})
	if e := s.entry(t, id); e.Revision != 0 || e.State != viewing.StatePending {
		t.Errorf("entry %+v", e)
	}
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1}) {
		t.Errorf("counts %+v: a refused batch left something", counts)
	}
}

func TestRepeatedAmendmentChangesNothing(t *testing.T) {
	s := openNew(t)
	s.commit(t, unidentified("e1"), film("e2", 7, -10))
	b := viewing.Batch{
		Source: "browser:b1",
		Events: []viewing.Event{film("e3", 8, -3)},
		Amendments: []viewing.Amendment{
			{EventID: "e1", Media: identified(603), Reason: viewing.Say("found")},
			{EventID: "e2", Media: identified(70), Reason: viewing.Say("corrected")},
			{EventID: "e2", Reason: viewing.Say("seen in the library too")},
		},
		State: map[string][]byte{"k": []byte("v")},
	}
	s.commitBatch(t, b)
	var before []entry.Explanation
	for id := range int64(3) {
		before = append(before, s.explained(t, id+1))
	}
	s.clock.advance(time.Minute)
	s.commitBatch(t, b)
	for id := range int64(3) {
		if diff := cmp.Diff(before[id], s.explained(t, id+1)); diff != "" {
			t.Errorf("entry %d changed: %s", id+1, diff)
		}
	}
	s.checkCounters(t)
}
