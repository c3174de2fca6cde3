package queue

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestSettleStoresTheAnswer(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, film("e1", 603, -10))[0]
	attempt := s.sendOne(t, id)
	s.clock.advance(2 * time.Second)
	s.settle(t, Settlement{
		Entry: id, Attempt: attempt, State: viewing.StateRejected, Why: viewing.Say("refused", "text", "seasonNumber is required"), RaiseRevision: true,
		Answer: Answer{Status: 400, Code: "VALIDATION_ERROR", Text: "seasonNumber is required"},
	})
	x := s.explained(t, id)
	e := x.Entry
	if e.State != viewing.StateRejected || e.Reason != "refused" || e.Cause.Args["text"] != "seasonNumber is required" || e.Revision != 1 || e.Attempts != 1 {
		t.Errorf("entry %+v", e)
	}
	want := []entry.Attempt{{
		Number: 1, At: noon(), Ended: noon().Add(2 * time.Second), Status: 400, Code: "VALIDATION_ERROR",
		Answer: "seasonNumber is required", Sent: true,
	}}
	if diff := cmp.Diff(want, x.Requests); diff != "" {
		t.Error(diff)
	}
	if last := x.Steps[len(x.Steps)-1]; last.Cause == nil || last.Cause.Args["text"] != "seasonNumber is required" || last.Code != "settled" || last.From != viewing.StateSending {
		t.Errorf("last step %+v", last)
	}
}

func TestAttemptThatSentNothingIsNotCounted(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, film("e1", 603, -10))[0]
	for range 3 {
		attempt := s.sendOne(t, id)
		s.clock.advance(time.Minute)
		s.settle(t, Settlement{Entry: id, Attempt: attempt, State: viewing.StatePending, NotSent: true, Answer: Answer{Error: viewing.Say("noRoute")}})
	}
	x := s.explained(t, id)
	if x.Entry.Attempts != 0 || x.Entry.State != viewing.StatePending {
		t.Errorf("entry %+v", x.Entry)
	}
	if len(x.Requests) != 1 || x.Requests[0].Sent || x.Requests[0].Number != 3 || x.Requests[0].Cause.Code != "noRoute" {
		t.Errorf("requests %+v, want the last of those that never left", x.Requests)
	}
	s.settle(t, Settlement{Entry: id, Attempt: s.sendOne(t, id), State: viewing.StateInDoubt})
	if x = s.explained(t, id); x.Entry.Attempts != 1 || len(x.Requests) != 2 {
		t.Errorf("after one that left: %+v, %+v", x.Entry, x.Requests)
	}
}

// TestUncountedAttemptsAreListed: an answer about the account does not count as an attempt, but
// is shown.
func TestUncountedAttemptsAreListed(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, film("e1", 603, -10))[0]
	for range 2 {
		s.settle(t, Settlement{Entry: id, Attempt: s.sendOne(t, id), State: viewing.StatePending, Uncounted: true, Answer: Answer{Status: 401}})
	}
	x := s.explained(t, id)
	if x.Entry.Attempts != 0 || x.Entry.State != viewing.StatePending || len(x.Requests) != 2 || !x.Requests[1].Sent || x.Requests[1].Status != 401 {
		t.Errorf("entry %+v, requests %+v", x.Entry, x.Requests)
	}
}

func TestSettleRejectsOtherStates(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, film("e1", 603, -10))[0]
	attempt := s.sendOne(t, id)
	tests := []struct {
		name string
		m    Settlement
		want error
	}{
		{"unknown entry", Settlement{Entry: 99, State: viewing.StateDropped}, entry.ErrNotFound},
		{"without its attempt", Settlement{Entry: id, State: viewing.StateDropped}, entry.ErrState},
		{"another attempt", Settlement{Entry: id, Attempt: attempt + 1, State: viewing.StateDelivered}, entry.ErrState},
	}
	for _, tt := range tests {
		before := s.explained(t, id)
		if err := s.Settle(t.Context(), tt.m); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if diff := cmp.Diff(before, s.explained(t, id)); diff != "" {
			t.Errorf("%s changed the entry: %s", tt.name, diff)
		}
	}
	s.settle(t, Settlement{Entry: id, Attempt: attempt, State: viewing.StateDelivered})
	for _, m := range []Settlement{{Entry: id, Attempt: attempt, State: viewing.StatePending}, {Entry: id, State: viewing.StatePending}} {
		if err := s.Settle(t.Context(), m); !errors.Is(err, entry.ErrState) {
			t.Errorf("settling what is delivered: %v", err)
		}
	}
	if counts := s.checkCounters(t); counts != (entry.Counts{Delivered: 1}) {
		t.Errorf("counts %+v", counts)
	}
}

func TestInterruptedEntriesAreInDoubtAfterOpen(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, film("e1", 603, -10), film("e2", 604, -5))
	second := s.commitBatch(t, viewing.Batch{Source: "browser:b2", Events: []viewing.Event{film("e3", 605, -5)}})[0].Entries[0]
	s.sendOne(t, id[0])
	s.send(t, s.dueOf(t, "second")[0])
	s = s.reopen(t)
	for _, entry := range []int64{id[0], second} {
		x := s.explained(t, entry)
		if x.Entry.State != viewing.StateInDoubt || x.Entry.Reason != reasonStopped || x.Entry.Attempts != 1 {
			t.Errorf("entry %+v", x.Entry)
		}
		if a := x.Requests[0]; a.Ended.IsZero() || a.Cause.Code != reasonStopped || !a.Sent {
			t.Errorf("request %+v", a)
		}
		if last := x.Steps[len(x.Steps)-1]; last.Code != "doubt.stopped" {
			t.Errorf("last step %+v", last)
		}
	}
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1, InDoubt: 2}) {
		t.Errorf("counts %+v", counts)
	}
}

func TestEntriesAreListedNewestFirst(t *testing.T) {
	s := openNew(t)
	var batch []viewing.Event
	for i := range 5 {
		batch = append(batch, film(string(rune('a'+i)), int64(i+1), -i))
	}
	id := s.commitIDs(t, batch...)
	s.settle(t, Settlement{Entry: id[1], State: viewing.StateHeld, Reason: "review"})
	tests := []struct {
		name string
		f    entry.Filter
		want []int64
	}{
		{"all", entry.Filter{}, []int64{id[4], id[3], id[2], id[1], id[0]}},
		{"two", entry.Filter{Limit: 2}, []int64{id[4], id[3]}},
		{"next two", entry.Filter{Limit: 2, Below: id[3]}, []int64{id[2], id[1]}},
		{"held", entry.Filter{State: viewing.StateHeld}, []int64{id[1]}},
		{"pending before", entry.Filter{State: viewing.StatePending, Below: id[2]}, []int64{id[0]}},
		{"other account", entry.Filter{Account: "second"}, []int64{}},
		{"held in the account", entry.Filter{State: viewing.StateHeld, Account: "default"}, []int64{id[1]}},
	}
	for _, tt := range tests {
		got, err := s.Entries(t.Context(), tt.f)
		if err != nil || !slices.Equal(ids(got), tt.want) {
			t.Errorf("%s: %v, %v, want %v", tt.name, ids(got), err, tt.want)
		}
	}
	for _, f := range []entry.Filter{{State: "' OR true --"}, {Limit: -1}, {Limit: 1001}} {
		if got, err := s.Entries(t.Context(), f); err == nil {
			t.Errorf("filter %+v listed %d", f, len(got))
		}
	}
	if _, err := s.Explain(t.Context(), 99); !errors.Is(err, entry.ErrNotFound) {
		t.Errorf("explaining nothing: %v", err)
	}
}

func TestAccounts(t *testing.T) {
	s := openNew(t)
	made, err := s.Account(t.Context(), "second")
	if err != nil || cmp.Diff(account.Row{Name: "second"}, made) != "" {
		t.Fatalf("made %+v, %v", made, err)
	}
	full := account.Row{
		Name: "default", BaseURL: "https://tracker.example/api/v1", Proven: true,
		Pause: account.Pause{
			Reason: account.PausedKey, Problem: viewing.Say("keyRefused"), Hint: viewing.Say("hint.login"), Since: noon(),
			ProbeAt: noon().Add(5 * time.Minute), ProbeStep: 2,
		},
		LastDelivered: noon().Add(-time.Hour),
		Owner:         "usr_1", Keeps: "exact", Support: account.Support{"history": {Has: true, At: noon()}}, MovedAt: noon(), OfflineAt: noon(),
	}
	save := func() {
		t.Helper()
		if err := s.UpdateAccount(t.Context(), full.Name, func(a *account.Row) { *a = full }); err != nil {
			t.Fatal(err)
		}
	}
	save()
	s = s.reopen(t)
	got, err := s.Account(t.Context(), "default")
	if diff := cmp.Diff(full, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	full.Pause.Reason, full.Pause.Since, full.Pause.ProbeAt = "", time.Time{}, time.Time{}
	save()
	for _, want := range []account.Row{full, made} {
		got, err := s.Account(t.Context(), want.Name)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
}
