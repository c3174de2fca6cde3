package queue

import (
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func aList(id string) viewing.Event {
	return viewing.Event{Kind: viewing.KindList, EventID: id, List: &viewing.List{Name: "Noir"}}
}

func anItem(id, list string, film int64) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindListItem, EventID: id, InList: list, Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}},
	}
}

func (o *opened) stepCodesOf(t *testing.T, id int64) string {
	t.Helper()
	x, err := o.Explain(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, s := range x.Steps {
		codes = append(codes, s.Code)
	}
	return strings.Join(codes, "\n")
}

// TestItemWaitsForItsList: an item is due when its list is delivered, and has the service's id of
// the list.
func TestItemWaitsForItsList(t *testing.T) {
	s := openNew(t)
	ids := s.commitIDs(t, aList("l"), anItem("i", "l", 603), film("v", 603, -1))
	if e := s.entry(t, ids[1]); e.After != ids[0] || e.ListID != "" || e.State != viewing.StatePending {
		t.Errorf("%+v", e)
	}
	ready := s.wantDue(t, ids[2], ids[0])
	attempt, err := s.Begin(t.Context(), ready[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context(), Settlement{Entry: ids[0], Attempt: attempt, State: viewing.StateDelivered, RemoteID: "lst_7"}); err != nil {
		t.Fatal(err)
	}
	if e := s.wantDue(t, ids[2], ids[1])[1]; e.ListID != "lst_7" {
		t.Errorf("%+v", e)
	}
	s.checkCounters(t)
}

// TestItemsAreDroppedWithTheirList: by the user, by their source, and items that are committed
// later.
func TestItemsAreDroppedWithTheirList(t *testing.T) {
	s := openNew(t)
	ids := s.commitIDs(t, aList("l"), anItem("i", "l", 603), anItem("bare", "l", 0))
	if e := s.entry(t, ids[2]); e.State != viewing.StateHeld || e.Reason != viewing.ReasonUnresolved {
		t.Errorf("%+v", e)
	}
	s.do(t, entry.VerbDrop, ids[:1]...)
	late := s.commitIDs(t, anItem("late", "l", 605))
	for _, id := range append(ids, late...) {
		if e := s.entry(t, id); e.State != viewing.StateDropped || e.SettledAt.IsZero() && id != late[0] {
			t.Errorf("%+v", e)
		}
	}
	if codes := s.stepCodesOf(t, ids[1]); !strings.Contains(codes, "dropped.list") {
		t.Error(codes)
	}
	ids = s.commitIDs(t, aList("l2"), anItem("i2", "l2", 603))
	_, err := s.Commit(t.Context(), viewing.Batch{Source: "browser:1", Amendments: []viewing.Amendment{{EventID: "l2", Drop: true, Reason: viewing.Say("No more.")}}})
	if e := s.entry(t, ids[1]); err != nil || e.State != viewing.StateDropped {
		t.Errorf("%+v, %v", e, err)
	}
	s.checkCounters(t)
}

func TestItemOfAnUnknownListIsHeld(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, film("v", 603, -1), anItem("i", "v", 603))[1]
	if e := s.entry(t, id); e.State != viewing.StateHeld || e.Reason != viewing.ReasonNoList || e.After != 0 {
		t.Errorf("%+v", e)
	}
	if codes := s.stepCodesOf(t, id); !strings.Contains(codes, "rule.nolist") {
		t.Error(codes)
	}
}
