package tracker_test

import (
	"testing"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The sandbox takes items for its lists, and for no other; the id of a list
// stays within its part of the path.
func TestSandboxTakesItemsOfLists(t *testing.T) {
	for _, contractOnly := range []bool{false, true} {
		s, c := open(t, contractOnly)
		r, err := tracker.NewRequest(viewing.KindList, viewing.Media{}, viewing.Instant{}, &viewing.List{Name: "Noir"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		list := c.Send(t.Context(), r)
		for id, want := range map[string]tracker.Fate{list.ListID: tracker.Delivered, "lst_none": tracker.Lacking, list.ListID + "/../" + list.ListID: tracker.Lacking} {
			item, err := tracker.NewListItem(id, filmOf(603))
			if err != nil {
				t.Fatal(err)
			}
			if contractOnly {
				want = tracker.Lacking
			}
			if v := c.Send(t.Context(), item); v.Fate != want {
				t.Errorf("list %s, contract only %v: %+v", id, contractOnly, v)
			}
		}
		records, err := s.Records(t.Context())
		if err != nil || len(records.ListItems) != map[bool]int{false: 1}[contractOnly] {
			t.Errorf("contract only %v: %+v, %v", contractOnly, records.ListItems, err)
		}
		if !contractOnly && records.Lists[0].ItemCount != 1 {
			t.Errorf("%+v", records.Lists)
		}
	}
	s, _ := open(t, false)
	if err := s.Arm(sandbox.Fault{Match: "POST /lists/{id}/items", Fault: "cut", Times: 1}); err != nil {
		t.Error(err)
	}
}
