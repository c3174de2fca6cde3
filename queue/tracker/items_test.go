package tracker_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestListItemRequest(t *testing.T) {
	r, err := tracker.NewListItem("lst/7", filmOf(603))
	if err != nil || string(r.Body) != `{"type":"movie","id":603}` || r.List != "lst/7" || r.Operation != tracker.ListItems {
		t.Errorf("%s of %q, %v", r.Body, r.List, err)
	}
	for name, c := range map[string]struct {
		list string
		item viewing.Media
		want error
	}{
		"no list":             {"", filmOf(603), viewing.ErrInvalid},
		"a step up":           {"..", filmOf(603), viewing.ErrInvalid},
		"a step nowhere":      {".", filmOf(603), viewing.ErrInvalid},
		"too long":            {strings.Repeat("x", 501), filmOf(603), viewing.ErrInvalid},
		"an episode":          {"lst_7", episodeOf(1, 1, 1), viewing.ErrInvalid},
		"without identifiers": {"lst_7", viewing.Media{Type: viewing.TV, Title: "Red"}, tracker.ErrUnidentified},
	} {
		if _, err := tracker.NewListItem(c.list, c.item); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

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
