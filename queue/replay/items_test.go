package replay

import (
	"fmt"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/viewing"
)

// onList is a film to put on the list of the nth event.
func onList(n int, film int64) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindListItem, InList: fmt.Sprint("event-", n), Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}},
	}
}

func (b *bed) onLists() (items map[string][]int64) {
	b.Helper()
	records, err := b.box.Records(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	names := map[string]string{}
	for _, l := range records.Lists {
		names[l.ID] = l.Name
	}
	items = map[string][]int64{}
	for _, i := range records.ListItems {
		items[names[i.List]] = append(items[names[i.List]], i.ID)
	}
	return items
}

const itemsPath = "POST /lists/{id}/items"

// TestItemsWaitForTheirList: they leave when it has arrived, however late that
// is found out, and each to its own.
func TestItemsWaitForTheirList(t *testing.T) {
	for _, fault := range []string{"", "status:503", "drop-before", "drop-after", "retry-after:90"} {
		t.Run(fault, func(t *testing.T) {
			inBed(t, false, nil, func(b *bed) {
				if fault != "" {
					b.armAt("POST /lists", fault, 1)
				}
				b.commit(listNamed("Noir"), onList(1, 603), onList(1, 604), listNamed("Blue"), onList(4, 605))
				b.pass(time.Hour)
				got := b.onLists()
				if fault == "drop-before" { // a list that the service does not show is not sent again by itself
					b.ends(1, viewing.StateInDoubt, "")
					b.ends(2, viewing.StatePending, "rule.list")
					if len(got["Noir"]) != 0 || len(got["Blue"]) != 1 {
						b.Errorf("on the lists: %v", got)
					}
					return
				}
				if c := b.counts(); c.Delivered != 5 || len(got["Noir"]) != 2 || len(got["Blue"]) != 1 || got["Blue"][0] != 605 {
					b.Errorf("%+v; on the lists: %v", c, got)
				}
				if a, err := b.store.Account(b.Context(), "default"); err != nil || !a.Support[SupportItems].Has {
					b.Errorf("account %+v, %v", a, err)
				}
			})
		})
	}
}

// TestServiceThatTakesNoItems: the lists are made, the items are dropped and
// say why, and nothing pauses.
func TestServiceThatTakesNoItems(t *testing.T) {
	for _, fault := range []string{"", "bare:404", "bare:405", "bare:501", "status:404", "status:403", "status:401"} {
		t.Run(fault, func(t *testing.T) {
			inBed(t, fault == "", nil, func(b *bed) {
				if fault != "" {
					b.armAt(itemsPath, fault, 1000)
				}
				b.commit(listNamed("Noir"), onList(1, 603), onList(1, 604))
				b.pass(time.Minute)
				b.ends(1, viewing.StateDelivered, "")
				b.ends(2, viewing.StateDropped, "life.takesNoItems")
				b.ends(3, viewing.StateDropped, "life.takesNoItems")
				if h := b.loop.Health(); h.State != account.OK {
					b.Errorf("health %+v", h)
				}
				asked := len(b.entryRequests(2)) + len(b.entryRequests(3))
				b.commit(onList(1, 605))
				b.pass(time.Minute)
				b.ends(4, viewing.StateDropped, "life.takesNoItems")
				if n := len(b.entryRequests(4)); n != 0 || asked == 0 {
					b.Errorf("it was asked %d times at first and %d more", asked, n)
				}
				b.pass(25 * time.Hour)
				b.commit(onList(1, 606))
				b.pass(time.Minute)
				if n := len(b.entryRequests(5)); n != 1 {
					b.Errorf("a day later it was asked %d times, want 1", n)
				}
			})
		})
	}
}

func (b *bed) entryRequests(id int64) []entry.Attempt {
	b.Helper()
	x, err := b.store.Explain(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return x.Requests
}

// TestListThatIsGone: a service that takes items says no for this list alone.
func TestListThatIsGone(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.commit(listNamed("Noir"), onList(1, 603))
		b.pass(time.Minute)
		b.armAt(itemsPath, "status:404", 1)
		b.commit(onList(1, 604), onList(1, 605))
		b.pass(time.Minute)
		c := b.counts()
		if c.Delivered != 3 || c.Rejected != 1 {
			b.Errorf("counts %+v", c)
		}
	})
}

// TestItemInDoubt follows the setting: nothing shows what is on a list.
func TestItemInDoubt(t *testing.T) {
	for setting, want := range map[doubt.Setting]int{doubt.Hold: 1, doubt.Resend: 2, doubt.Assume: 1} {
		t.Run(string(setting), func(t *testing.T) {
			inBed(t, false, func(o *Options) { o.InDoubt = setting }, func(b *bed) {
				b.commit(listNamed("Noir"))
				b.pass(time.Minute)
				b.armAt(itemsPath, "drop-after", 1)
				b.commit(onList(1, 603), ago(603, time.Minute))
				b.pass(time.Hour)
				state := viewing.StateDelivered
				if setting == doubt.Hold {
					state = viewing.StateInDoubt
				}
				b.ends(2, state, "doubt.noListItems")
				b.ends(3, viewing.StateDelivered, "") // a viewing waits for no list
				if got := b.onLists()["Noir"]; len(got) != want {
					b.Errorf("on the list: %v, want %d", got, want)
				}
			})
		})
	}
}

// TestRevokedKeyDropsNoItems: a key that is refused everywhere says nothing of
// this endpoint.
func TestRevokedKeyDropsNoItems(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.commit(listNamed("Noir"))
		b.pass(time.Minute)
		for _, match := range []string{itemsPath, "GET /me", "POST /history"} {
			b.armAt(match, "status:401", 1)
		}
		b.commit(onList(1, 603))
		b.pass(time.Second)
		b.ends(2, viewing.StatePending, "")
		if h := b.loop.Health(); h.State == account.OK {
			b.Errorf("health %+v", h)
		}
		b.pass(24 * time.Hour)
		b.ends(2, viewing.StateDelivered, "")
	})
}
