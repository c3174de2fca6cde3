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

// listItem returns a film for the list of the nth event.
func listItem(n int, film int64) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindListItem, InList: fmt.Sprint("event-", n), Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}},
	}
}

// listItems returns the films on each list of the sandbox, by the list's name.
func (b *fixture) listItems() (items map[string][]int64) {
	b.Helper()
	records, err := b.sandbox.Records(b.Context())
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

// List items are sent after their list was delivered, even if that is found out late, and
// each to its own list.
func TestItemsWaitForTheirList(t *testing.T) {
	for _, fault := range []string{"", "status:503", "drop-before", "drop-after", "retry-after:90"} {
		t.Run(fault, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) {
				if fault != "" {
					b.armFault("POST /lists", fault, 1)
				}
				b.commit(listNamed("Noir"), listItem(1, 603), listItem(1, 604), listNamed("Blue"), listItem(4, 605))
				b.advance(time.Hour)
				got := b.listItems()
				if fault == "drop-before" { // a missing list in doubt is not sent again automatically
					b.expectEnd(1, viewing.StateInDoubt, "")
					b.expectEnd(2, viewing.StatePending, "rule.list")
					if len(got["Noir"]) != 0 || len(got["Blue"]) != 1 {
						b.Errorf("on the lists: %v", got)
					}
					return
				}
				if c := b.counts(); c.Delivered != 5 || len(got["Noir"]) != 2 || len(got["Blue"]) != 1 || got["Blue"][0] != 605 {
					b.Errorf("%+v; on the lists: %v", c, got)
				}
				if a, err := b.store.Account(b.Context(), "default"); err != nil || !a.Support[SupportListItems].Has {
					b.Errorf("account %+v, %v", a, err)
				}
			})
		})
	}
}

// If the service does not support list items, the lists are created, the items are dropped
// with a reason, and the account does not pause.
func TestListItemsAreDroppedWithoutTheEndpoint(t *testing.T) {
	for _, fault := range []string{"", "bare:404", "bare:405", "bare:501", "status:404", "status:403", "status:401"} {
		t.Run(fault, func(t *testing.T) {
			withSandbox(t, fault == "", nil, func(b *fixture) {
				if fault != "" {
					b.armFault(itemsPath, fault, 1000)
				}
				b.commit(listNamed("Noir"), listItem(1, 603), listItem(1, 604))
				b.advance(time.Minute)
				b.expectEnd(1, viewing.StateDelivered, "")
				b.expectEnd(2, viewing.StateDropped, "life.takesNoItems")
				b.expectEnd(3, viewing.StateDropped, "life.takesNoItems")
				if h := b.loop.Health(); h.State != account.OK {
					b.Errorf("health %+v", h)
				}
				requests := len(b.entryRequests(2)) + len(b.entryRequests(3))
				b.commit(listItem(1, 605))
				b.advance(time.Minute)
				b.expectEnd(4, viewing.StateDropped, "life.takesNoItems")
				if n := len(b.entryRequests(4)); n != 0 || requests == 0 {
					b.Errorf("%d requests at first and %d more", requests, n)
				}
				b.advance(25 * time.Hour)
				b.commit(listItem(1, 606))
				b.advance(time.Minute)
				if n := len(b.entryRequests(5)); n != 1 {
					b.Errorf("%d requests a day later, want 1", n)
				}
			})
		})
	}
}

func (b *fixture) entryRequests(id int64) []entry.Attempt {
	b.Helper()
	x, err := b.store.Explain(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return x.Requests
}

// A 404 from a service that accepted list items before concerns only this list.
func TestItemOfAMissingListIsRejected(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.commit(listNamed("Noir"), listItem(1, 603))
		b.advance(time.Minute)
		b.armFault(itemsPath, "status:404", 1)
		b.commit(listItem(1, 604), listItem(1, 605))
		b.advance(time.Minute)
		c := b.counts()
		if c.Delivered != 3 || c.Rejected != 1 {
			b.Errorf("counts %+v", c)
		}
	})
}

// No endpoint returns the items of a list, so the setting decides.
func TestListItemInDoubtFollowsTheSetting(t *testing.T) {
	for setting, want := range map[doubt.Setting]int{doubt.Hold: 1, doubt.Resend: 2, doubt.Assume: 1} {
		t.Run(string(setting), func(t *testing.T) {
			withSandbox(t, false, func(o *Options) { o.InDoubt = setting }, func(b *fixture) {
				b.commit(listNamed("Noir"))
				b.advance(time.Minute)
				b.armFault(itemsPath, "drop-after", 1)
				b.commit(listItem(1, 603), filmAgo(603, time.Minute))
				b.advance(time.Hour)
				state := viewing.StateDelivered
				if setting == doubt.Hold {
					state = viewing.StateInDoubt
				}
				b.expectEnd(2, state, "doubt.noListItems")
				b.expectEnd(3, viewing.StateDelivered, "") // a viewing does not wait for a list
				if got := b.listItems()["Noir"]; len(got) != want {
					b.Errorf("on the list: %v, want %d", got, want)
				}
			})
		})
	}
}

// A key that is refused everywhere does not mean that list items are unsupported.
func TestRevokedKeyKeepsListItems(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.commit(listNamed("Noir"))
		b.advance(time.Minute)
		for _, match := range []string{itemsPath, "GET /me", "POST /history"} {
			b.armFault(match, "status:401", 1)
		}
		b.commit(listItem(1, 603))
		b.advance(time.Second)
		b.expectEnd(2, viewing.StatePending, "")
		if h := b.loop.Health(); h.State == account.OK {
			b.Errorf("health %+v", h)
		}
		b.advance(24 * time.Hour)
		b.expectEnd(2, viewing.StateDelivered, "")
	})
}
