package daemon

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// anothers reports whether a key that is to be used from now on belongs to
// somebody else than the last one, and something still waits of that one.
func (d *core) anothers(ctx context.Context, next config.Credential, user string) (was string, found bool, err error) {
	kept, err := d.store.Account(ctx, next.Account)
	if err != nil {
		return "", false, err
	}
	kept.MoveTo(next.BaseURL, time.Now())
	kept.Own(next.UserID)
	if was = kept.Owner; kept.Own(user) {
		return was, false, nil
	}
	for _, state := range []viewing.State{viewing.StateHeld, viewing.StateInDoubt, viewing.StateSending, viewing.StatePending} {
		waiting, err := d.store.Entries(ctx, entry.Filter{State: state, Account: next.Account, Limit: 1})
		if err != nil || len(waiting) > 0 {
			return was, true, err
		}
	}
	return was, false, nil
}

// person names a user of the service: two may have one name.
func person(name, id string) string {
	if name == "" {
		return "user " + id
	}
	return name + " (user " + id + ")"
}
