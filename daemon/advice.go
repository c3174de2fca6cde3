package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Explain implements [control.API].
func (c *api) Explain(ctx context.Context, id int64) (out control.Explanation, err error) {
	out.Explanation, err = c.d.store.Explain(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return out, &control.Fault{Code: control.CodeNotFound, Message: fmt.Sprintf("there is no entry %d", id), Hint: "filmspool queue list"}
	}
	english := c.d.catalogue.In(words.English)
	for i := range out.Steps {
		out.Steps[i].Text = english.Step(out.Steps[i])
	}
	for i, r := range out.Requests {
		if r.Cause != nil {
			out.Requests[i].Error = english.Message(*r.Cause)
		}
	}
	if err == nil {
		out.Candidates, err = c.d.store.Candidates(ctx, id)
	}
	if err != nil {
		return out, err
	}
	return out, c.advise(ctx, &out)
}

// advise adds to an explanation why the entry stands where it does and the
// command that moves it on.
func (c *api) advise(ctx context.Context, x *control.Explanation) error {
	if x.State == viewing.StatePending {
		return c.adviseWaiting(ctx, x)
	}
	x.Why, x.Hint = control.Advice(x.Entry)
	return nil
}

// adviseWaiting says what an entry waits for, in the order and in the words of
// [api.Status], so that both say the same.
func (c *api) adviseWaiting(ctx context.Context, x *control.Explanation) error {
	if t := c.d.trouble(); t != nil {
		x.Why, x.Hint = t.Text()+".", t.Hint(c.d.o.Paths.State)
		return nil
	}
	if c.d.pairing == nil { // the command line looks into the queue alone
		x.Why, x.Hint = "Filmspool is not running.", service.StartHint(c.d.o.Paths.System)
		return nil
	}
	a := c.d.account(x.Account)
	if a == nil {
		x.Why, x.Hint = fmt.Sprintf("There is no account %s in the configuration.", x.Account), "filmspool config show"
		return nil
	}
	look, err := c.d.accountStatus(ctx, a)
	x.Why, x.Hint = control.WaitingFor(x.Explanation, look, time.Now())
	return err
}
