package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// owned is a client that sends nothing until it knows whose key it has, where
// the service tells: what waits here was watched by one person, and a key can
// come from places where no login has looked at it.
type owned struct {
	*tracker.Client
	store   *queue.Store
	account string

	mu      sync.Mutex
	settled bool // it is the owner's, or nobody can tell
}

// Send sends with the owner's key alone.
func (o *owned) Send(ctx context.Context, r tracker.Request) tracker.Verdict {
	if v, ok := o.check(ctx); !ok {
		return v
	}
	return o.Client.Send(ctx, r)
}

// Probe is answered well with the owner's key alone.
func (o *owned) Probe(ctx context.Context) tracker.Verdict {
	if v, ok := o.check(ctx); !ok {
		return v
	}
	return o.Client.Probe(ctx)
}

// Me refuses another person's key, so that nobody takes that person for the
// owner.
func (o *owned) Me(ctx context.Context) (tracker.User, error) {
	user, err := o.Client.Me(ctx)
	if err != nil {
		return user, err
	}
	v, ok, err := o.compare(ctx, user)
	switch {
	case err != nil:
		return user, err
	case !ok:
		return user, &tracker.ReadError{Verdict: v}
	default:
		return user, nil
	}
}

// check asks once whose key it is. It is not ok when the verdict says why
// nothing may be sent now.
func (o *owned) check(ctx context.Context) (v tracker.Verdict, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.settled {
		return v, true
	}
	user, err := o.Client.Me(ctx)
	if refusal, told := tracker.VerdictOf(err); told && refusal.Fate != tracker.Rejected {
		return refusal, false
	}
	if v, ok, err = o.compare(ctx, user); err != nil {
		return tracker.Verdict{Fate: tracker.Offline, Problem: "The queue does not say whose key this account has: " + err.Error()}, false
	}
	o.settled = ok
	return v, ok
}

// compare holds a user against the owner.
func (o *owned) compare(ctx context.Context, user tracker.User) (v tracker.Verdict, ok bool, err error) {
	kept, err := o.store.Account(ctx, o.account)
	if err != nil {
		return v, false, err
	}
	owner := kept.Owner
	switch mine := kept.Own(user.ID); {
	case !mine:
		return tracker.Verdict{
			Fate:    tracker.Refused,
			Problem: fmt.Sprintf(anothersKey+"%s, but what waits here was watched by user %s.", person(user.Name, user.ID), owner),
			Hint:    "filmspool login, with a key of that person",
		}, false, nil
	case kept.Owner != owner:
		err = o.store.UpdateAccount(ctx, o.account, func(a *account.Row) { a.Own(user.ID) })
	}
	return v, true, err
}

// anothers reports whether a key that is to be used from now on belongs to
// somebody else than the last one, and something still waits of that one.
func (d *Daemon) anothers(ctx context.Context, next config.Credential, user string) (was string, found bool, err error) {
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
