package queue

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// doubted commits a film and puts its entry in doubt, to be read back in 5 minutes.
func (o *opened) doubted(t testing.TB, event string, item int64) Doubt {
	t.Helper()
	id := o.commitIDs(t, film(event, item, -10))[0]
	attempt := o.sendOne(t, id)
	o.settle(t, Settlement{Entry: id, Attempt: attempt, State: viewing.StateInDoubt, Reason: "no answer", NextAt: o.clock.now().Add(5 * time.Minute)})
	d, ok, err := o.Doubt(t.Context(), id)
	if err != nil || !ok {
		t.Fatalf("doubt of entry %d: %v, %v", id, ok, err)
	}
	return d
}

func (o *opened) recordReadBack(t testing.TB, m ReadBack) {
	t.Helper()
	if err := o.RecordReadBack(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// wantReadBackAt checks when the next read-back is; the zero time means never.
func (o *opened) wantReadBackAt(t testing.TB, want time.Time) {
	t.Helper()
	all, err := o.Doubts(t.Context(), "default")
	if err != nil || len(all) > 1 || (len(all) == 1) != !want.IsZero() || len(all) == 1 && !all[0].ReadAt.Equal(want) {
		t.Errorf("doubts %+v, %v; want one that is looked for at %s", all, err, want)
	}
}

func TestDoubtIsStoredUntilResolved(t *testing.T) {
	s := openNew(t)
	if err := s.UpdateAccount(t.Context(), "default", func(a *account.Row) { a.Owner = "usr_1" }); err != nil {
		t.Fatal(err)
	}
	d := s.doubted(t, "e1", 603)
	if !d.Since.Equal(noon()) || !d.At.Equal(noon()) || !d.SentAt.Equal(noon()) || d.Owner != "usr_1" || d.ReadBacks != 0 {
		t.Errorf("doubt %+v", d)
	}
	s.wantReadBackAt(t, noon().Add(5*time.Minute))
	absent := noon().Add(5 * time.Minute)
	s.recordReadBack(t, ReadBack{Doubt: d, State: viewing.StateInDoubt, Why: viewing.Say("missing"), ReadAt: noon().Add(6 * time.Minute), Absent: absent, ReadBacks: 1})
	s = s.reopen(t)
	s.wantReadBackAt(t, noon().Add(6*time.Minute))
	all, err := s.Doubts(t.Context(), "default")
	if err != nil || len(all) != 1 || all[0].ReadBacks != 1 || !all[0].Absent.Equal(absent) || all[0].Entry.Reason != "missing" {
		t.Fatalf("doubts %+v, %v", all, err)
	}
	s.recordReadBack(t, ReadBack{Doubt: all[0], State: viewing.StateDelivered, Why: viewing.Say("shown"), RemoteID: "r1"})
	x := s.explained(t, d.Entry.ID)
	if x.Entry.State != viewing.StateDelivered || x.Entry.RemoteID != "r1" || x.Entry.SettledAt.IsZero() || x.Entry.Revision != 0 {
		t.Errorf("entry %+v", x.Entry)
	}
	var codes []string
	for _, step := range x.Steps {
		if step.Code == "read-back" {
			codes = append(codes, step.Cause.Code)
		}
	}
	if diff := cmp.Diff([]string{"missing", "shown"}, codes); diff != "" {
		t.Error(diff)
	}
	s.wantReadBackAt(t, time.Time{})
	if _, ok, err := s.Doubt(t.Context(), d.Entry.ID); ok || err != nil {
		t.Errorf("the doubt outlived its end, %v", err)
	}
	if err := s.RecordReadBack(t.Context(), ReadBack{Doubt: all[0], State: viewing.StatePending}); !errors.Is(err, entry.ErrState) {
		t.Errorf("resolved twice: %v", err)
	}
	if c, err := s.Counts(t.Context()); err != nil || c != (entry.Counts{Delivered: 1}) {
		t.Errorf("counts %+v, %v", c, err)
	}
}

func TestResendKeepsTheStartOfTheDoubt(t *testing.T) {
	s := openNew(t)
	d := s.doubted(t, "e1", 603)
	s.clock.advance(10 * time.Minute)
	s.recordReadBack(t, ReadBack{Doubt: d, State: viewing.StatePending, Why: viewing.Say("resent"), Resend: true})
	if kept, ok, err := s.Doubt(t.Context(), d.Entry.ID); err != nil || !ok || !kept.Since.Equal(noon()) || kept.Entry.State != viewing.StatePending {
		t.Errorf("doubt %+v, %v, %v", kept, ok, err)
	}
	s.wantReadBackAt(t, time.Time{})
	s.settle(t, Settlement{Entry: d.Entry.ID, Attempt: s.sendOne(t, d.Entry.ID), State: viewing.StateInDoubt})
	kept, ok, err := s.Doubt(t.Context(), d.Entry.ID)
	if err != nil || !ok || !kept.Since.Equal(noon()) || !kept.At.Equal(noon().Add(10*time.Minute)) || kept.Entry.Attempts != 2 {
		t.Errorf("doubt %+v, %v, %v", kept, ok, err)
	}
	s.wantReadBackAt(t, noon().Add(10*time.Minute))
	if _, err := s.order(t.Context(), entry.VerbRetry, entry.Selection{IDs: []int64{d.Entry.ID}, MayDouble: true}, false); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := s.Doubt(t.Context(), d.Entry.ID); ok || err != nil {
		t.Errorf("the doubt outlived the user's word, %v", err)
	}
}

// TestRecheckIsScheduledAndNotCounted: it is due now, but not while the request may still be
// processed. One that is due already does not change.
func TestRecheckIsScheduledAndNotCounted(t *testing.T) {
	s := openNew(t)
	d := s.doubted(t, "e1", 603)
	id := d.Entry.ID
	recheck := func(verb entry.Verb) Doubt {
		t.Helper()
		sel := entry.Selection{IDs: []int64{id}}
		if _, err := s.order(t.Context(), verb, sel, false); err != nil {
			t.Fatal(err)
		}
		d, _, err := s.Doubt(t.Context(), id)
		if err != nil || d.Entry.State != viewing.StateInDoubt {
			t.Fatalf("%+v, %v", d, err)
		}
		return d
	}
	if d = recheck(entry.VerbRecheck); !d.ReadAt.Equal(noon().Add(30*time.Second)) || d.ReadBacks != 0 {
		t.Errorf("at once it is due at %v, taken %d", d.ReadAt, d.ReadBacks)
	}
	for _, verb := range []entry.Verb{entry.VerbRecheck, entry.VerbSend} {
		s.clock.advance(time.Hour)
		s.recordReadBack(t, ReadBack{Doubt: d, State: viewing.StateInDoubt, Why: viewing.Say("missing"), ReadBacks: 3})
		if d = recheck(verb); !d.ReadAt.Equal(s.clock.now()) || d.ReadBacks != 2 {
			t.Errorf("%s: it is due at %v, taken %d", verb, d.ReadAt, d.ReadBacks)
		}
		s.clock.advance(time.Second)
		if again := recheck(verb); again.ReadBacks != 2 || !again.ReadAt.Equal(d.ReadAt) {
			t.Errorf("%s twice: due at %v, taken %d", verb, again.ReadAt, again.ReadBacks)
		}
	}
	if x := s.explained(t, id); x.Reason != "missing" || x.Cause == nil || x.Steps[len(x.Steps)-1].Code != "user.rechecked" {
		t.Errorf("%+v", x)
	}
	if did, err := s.order(t.Context(), entry.VerbSend, entry.Selection{All: true}, false); err != nil || did.Left["in_doubt"] != 1 {
		t.Errorf("all are sent: %+v, %v", did, err)
	}
}

func TestAnsweredAndClaims(t *testing.T) {
	s := openNew(t)
	ids := s.commitIDs(t, film("e1", 1, -50), film("e2", 2, -40), film("e3", 3, -30), film("e4", 2, -20))
	s.settle(t, Settlement{Entry: ids[0], Attempt: s.sendOne(t, ids[0]), State: viewing.StateDelivered, Answer: Answer{Status: 200}})
	s.clock.advance(time.Minute)
	s.settle(t, Settlement{Entry: ids[1], Attempt: s.sendOne(t, ids[1]), State: viewing.StateDelivered, Answer: Answer{Status: 201}})
	s.settle(t, Settlement{Entry: ids[2], Attempt: s.sendOne(t, ids[2]), State: viewing.StateInDoubt})
	if _, err := s.settleByHand(t.Context(), entry.Selection{IDs: ids[2:3]}, viewing.StateDelivered, false); err != nil {
		t.Fatal(err)
	}
	answered, err := s.Answered(t.Context(), "default", time.Time{}, 10)
	if err != nil || len(answered) != 2 || answered[0].Entry.ID != ids[1] || !answered[0].At.Equal(noon().Add(time.Minute)) {
		t.Errorf("answered %+v, %v", answered, err)
	}
	if later, err := s.Answered(t.Context(), "default", noon().Add(time.Second), 10); err != nil || len(later) != 1 {
		t.Errorf("answered since %+v, %v", later, err)
	}
	claims, err := s.Claims(t.Context(), "default", []string{"movie:2", "movie:3", "movie:9"})
	if err != nil || len(claims) != 2 {
		t.Errorf("claims %+v, %v", claims, err)
	}
	s.do(t, entry.VerbDrop, ids[3])
	if claims, err = s.Claims(t.Context(), "default", []string{"movie:2"}); err != nil || len(claims) != 1 {
		t.Errorf("what never left claims nothing: %+v, %v", claims, err)
	}
}

func TestWatchedSince(t *testing.T) {
	s := openNew(t)
	season, number := 1, 2
	episode := film("e2", 0, -5)
	episode.Media = []viewing.Media{{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: &season, Episode: &number}}
	s.commit(t, film("e1", 603, -5), episode)
	for name, c := range map[string]struct {
		item    viewing.Media
		minutes int
		want    bool
	}{
		"film":                  {viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}, -10, true},
		"before the wish":       {viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}, -1, false},
		"another film":          {viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 60}}, -10, false},
		"series":                {viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}}, -10, true},
		"series of like number": {viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 139}}, -10, false},
	} {
		got, err := s.WatchedSince(t.Context(), "default", c.item, noon().Add(time.Duration(c.minutes)*time.Minute))
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
