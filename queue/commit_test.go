package queue

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// episodes returns a viewing of one file that contains several episodes.
func episodes(id string, times int, numbers ...int) viewing.Event {
	v := film(id, 1, -30)
	v.Count, v.Media = times, nil
	for _, n := range numbers {
		v.Media = append(v.Media, viewing.Media{
			Type: viewing.Episode, Season: pointer(1), Episode: pointer(n),
			Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}, Title: "Show Red"},
		})
	}
	return v
}

// unidentified returns a viewing of a film without an identifier.
func unidentified(id string) viewing.Event {
	v := film(id, 0, -20)
	v.Media[0].IDs = viewing.IDs{IMDB: "tt0133093"}
	return v
}

func statuses(outcomes []viewing.Outcome) []viewing.Status {
	var all []viewing.Status
	for _, o := range outcomes {
		all = append(all, o.Status)
	}
	return all
}

func TestEntryKeepsWhatTheSourceReported(t *testing.T) {
	s := openNew(t)
	v := film("e1", 603, -90)
	at, err := viewing.ParseInstant("2026-03-01T11:30:00.250+01:00")
	if err != nil {
		t.Fatal(err)
	}
	at.Precision = viewing.Day
	v.WatchedAt, v.Class = at, viewing.ClassCatchUp
	id := s.commit(t, v)[0].Entries[0]
	s = s.reopen(t)
	e := s.entry(t, id)
	if diff := cmp.Diff(at, e.WatchedAt.Instant); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&v.Media[0], e.Media); diff != "" {
		t.Error(diff)
	}
	if e.Class != viewing.ClassCatchUp || e.Source != "browser:b1" || e.EventID != "e1" || !e.CreatedAt.Equal(noon()) {
		t.Errorf("entry %+v", e)
	}
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var kept string
	if err := s.reader.QueryRow("SELECT body FROM events").Scan(&kept); err != nil || kept != string(body) {
		t.Errorf("event kept as %s, %v", kept, err)
	}
	if got := s.explained(t, id).Events[0]; cmp.Diff(v, got.Event) != "" || got.Source != "browser:b1" {
		t.Errorf("event returned as %+v", got)
	}
}

func TestWatchlistAndList(t *testing.T) {
	s := openNew(t)
	outcomes := s.commit(t,
		viewing.Event{
			Kind: viewing.KindWatchlist, EventID: "w", Priority: pointer(0),
			Media: []viewing.Media{{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}}},
		},
		viewing.Event{Kind: viewing.KindList, EventID: "l", List: &viewing.List{Name: "Red", Visibility: "PUBLIC"}},
		viewing.Event{Kind: viewing.KindWatchlist, EventID: "u", Media: []viewing.Media{{Type: viewing.TV, Title: "Show Red"}}},
	)
	wish, list, held := s.entry(t, outcomes[0].Entries[0]), s.entry(t, outcomes[1].Entries[0]), s.entry(t, outcomes[2].Entries[0])
	if wish.State != viewing.StatePending || wish.Priority == nil || *wish.Priority != 0 || !wish.WatchedAt.IsZero() {
		t.Errorf("wish %+v", wish)
	}
	if list.State != viewing.StatePending || list.Media != nil || list.List.Name != "Red" || list.Priority != nil {
		t.Errorf("list %+v", list)
	}
	if held.State != viewing.StateHeld || held.Reason != "unresolved" {
		t.Errorf("wish without an identifier %+v", held)
	}
	s.settle(t, Settlement{Entry: list.ID, Attempt: s.sendOne(t, list.ID), State: viewing.StateDelivered, RemoteID: "77"})
	if got := s.entry(t, list.ID).RemoteID; got != "77" {
		t.Errorf("remote id %q", got)
	}
}

// sendOne marks an entry as sending.
func (o *opened) sendOne(t testing.TB, id int64) int64 {
	t.Helper()
	ready := o.due(t)
	i := slices.IndexFunc(ready, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		t.Fatalf("entry %d is not due; ready %v", id, ids(ready))
	}
	return o.send(t, ready[i])
}

func TestSameIDWithOtherContentIsAConflict(t *testing.T) {
	s := openNew(t)
	id := s.commit(t, film("e1", 603, -10))[0].Entries[0]
	before := s.explained(t, id)
	o := s.commit(t, film("e1", 604, -10), film("e2", 605, -5))
	if o[0].Status != viewing.StatusConflict || o[0].Entries != nil || o[1].Status != viewing.StatusQueued {
		t.Errorf("outcomes %+v", o)
	}
	if diff := cmp.Diff(before, s.explained(t, id)); diff != "" {
		t.Error(diff)
	}
}

func TestEventIDsAreUniqueWithinAKindOnly(t *testing.T) {
	s := openNew(t)
	s.commit(t, film("e1", 603, -10))
	o := s.commitBatch(t, viewing.Batch{Source: "kodi:/a", Events: []viewing.Event{film("e1", 999, -10)}})
	if o[0].Status != viewing.StatusQueued {
		t.Errorf("the same id of another kind of source is %s", o[0].Status)
	}
}

func TestSameAsBecomesASighting(t *testing.T) {
	s := openNew(t)
	first := s.commit(t, episodes("e1", 1, 1, 2))[0]
	second := episodes("e2", 1, 1, 2)
	second.SameAs = "e1"
	third := episodes("e3", 1, 1, 2)
	third.SameAs = "e2" // itself a witness
	for _, v := range []viewing.Event{second, third} {
		o := s.commit(t, v)[0]
		if o.Status != viewing.StatusQueued || !slices.Equal(o.Entries, first.Entries) {
			t.Errorf("witness %s: %+v, want entries %v", v.EventID, o, first.Entries)
		}
		if again := s.commit(t, v)[0]; again.Status != viewing.StatusDuplicate || !slices.Equal(again.Entries, first.Entries) {
			t.Errorf("witness %s again: %+v", v.EventID, again)
		}
	}
	x := s.explained(t, first.Entries[1])
	if len(x.Events) != 3 || x.Events[0].EventID != "e1" || x.Events[2].EventID != "e3" {
		t.Errorf("events %+v", x.Events)
	}
	if last := x.Steps[len(x.Steps)-1]; last.Code != "sighting.again" || len(x.Steps) != 4 {
		t.Errorf("steps %+v", x.Steps)
	}
	if counts := s.checkCounters(t); counts.Pending != 2 {
		t.Errorf("counts %+v", counts)
	}
}

func TestUnknownSameAsBecomesAnEntry(t *testing.T) {
	s := openNew(t)
	v := film("e2", 603, -10)
	v.SameAs = "never seen"
	self := film("e3", 604, -10)
	self.SameAs = "e3"
	for _, o := range s.commit(t, v, self) {
		if o.Status != viewing.StatusQueued || len(o.Entries) != 1 {
			t.Errorf("outcome %+v", o)
		}
	}
}

func TestAnInvalidEventRejectsTheBatch(t *testing.T) {
	s := openNew(t)
	bad := film("e2", 603, -10)
	bad.Count = 0
	b := viewing.Batch{
		Source: "browser:b1", Events: []viewing.Event{film("e1", 603, -10), bad},
		State: map[string][]byte{"k": []byte("v")},
	}
	outcomes, err := s.Commit(t.Context(), b)
	var field *viewing.FieldError
	if !errors.Is(err, viewing.ErrInvalid) || !errors.As(err, &field) || field.Field != "count" || outcomes != nil {
		t.Fatalf("outcomes %v, error %v", outcomes, err)
	}
	if _, err := s.Commit(t.Context(), viewing.Batch{}); !errors.Is(err, viewing.ErrInvalid) {
		t.Errorf("batch without a source: %v", err)
	}
	state, err := s.State(t.Context(), "browser:b1")
	if counts := s.checkCounters(t); err != nil || counts != (entry.Counts{}) || len(state) != 0 {
		t.Errorf("kept %+v, %v, %v", counts, state, err)
	}
}

func TestSourceStateIsCommittedWithTheBatch(t *testing.T) {
	s := openNew(t)
	for _, state := range []map[string][]byte{
		{"a": []byte("1"), "b": {}, "c": []byte("3")},
		{"a": []byte("2"), "c": nil, "never": nil},
	} {
		s.commitBatch(t, viewing.Batch{Source: "kodi:/a", State: state})
	}
	s.commitBatch(t, viewing.Batch{Source: "kodi:/b", State: map[string][]byte{"a": []byte("other")}})
	s = s.reopen(t)
	got, err := s.State(t.Context(), "kodi:/a")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]byte{"a": []byte("2"), "b": {}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestOldestPending(t *testing.T) {
	s := openNew(t)
	if _, ok, err := s.OldestPending(t.Context(), ""); ok || err != nil {
		t.Fatalf("empty store: %v, %v", ok, err)
	}
	first := s.commit(t, film("e1", 1, -10))[0].Entries[0]
	s.clock.advance(time.Hour)
	s.commit(t, film("e2", 2, -600))
	at, ok, err := s.OldestPending(t.Context(), "")
	if err != nil || !ok || !at.Equal(noon()) {
		t.Errorf("oldest %v, %v, %v: want the first committed", at, ok, err)
	}
	s.settle(t, Settlement{Entry: first, State: viewing.StateDropped})
	if at, _, _ := s.OldestPending(t.Context(), ""); !at.Equal(noon().Add(time.Hour)) {
		t.Errorf("oldest %v after the first was dropped", at)
	}
}
