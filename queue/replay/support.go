package replay

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
)

// The optional endpoints, as kept in [account.Row].
const (
	supportMe      = "me"
	supportHistory = "history"
	supportStatus  = "status"
	supportLists   = "lists"

	supportResolve     = "resolve"
	supportResolveMany = "resolve_batch"
)

// SupportItems says in [account.Row] whether the service puts items on lists.
const SupportItems = "list_items"

// ways is what is known of a service beyond its contract, while it is used.
type ways struct {
	outbox  Outbox
	account account.Row
	changes []func(*account.Row)
}

// waysOf reads what is known of an account's service.
func waysOf(ctx context.Context, outbox Outbox, account string) (*ways, error) {
	row, err := outbox.Account(ctx, account)
	return &ways{outbox: outbox, account: row}, err
}

// may reports whether an endpoint is worth asking.
func (w *ways) may(name string) bool { return w.account.Support.May(name, time.Now()) }

// has reports whether an endpoint is known to be there.
func (w *ways) has(name string) bool { return w.account.Support[name].Has }

// note takes note of what a question to an endpoint has shown, and reports
// whether it cannot be used. A service that is out of order has shown nothing.
func (w *ways) note(name string, err error) (missing bool) {
	missing = errors.Is(err, tracker.ErrNoEndpoint)
	if err != nil && !missing || w.has(name) && !missing || outOfOrder(err) {
		return missing
	}
	now := time.Now()
	w.change(func(a *account.Row) { a.Support = a.Support.With(name, !missing, now) })
	return missing
}

// outOfOrder reports an answer that says nothing about what is supported.
func outOfOrder(err error) bool {
	return statusOf(err) >= statusServerError && statusOf(err) != http.StatusNotImplemented
}

// statusOf is the status of an answer that is an error; 0 without an answer.
func statusOf(err error) int {
	v, _ := tracker.VerdictOf(err)
	return v.Status
}

// change changes the account here, and on disk when it is kept.
func (w *ways) change(do func(*account.Row)) {
	do(&w.account)
	w.changes = append(w.changes, do)
}

// keep writes what was learned; nothing of it, when the address was changed
// meanwhile.
func (w *ways) keep(ctx context.Context) error {
	if len(w.changes) == 0 {
		return nil
	}
	base, changes := w.account.BaseURL, w.changes
	w.changes = nil
	return w.outbox.UpdateAccount(ctx, w.account.Name, func(a *account.Row) {
		for _, do := range changes {
			if a.BaseURL == base {
				do(a)
			}
		}
	})
}
