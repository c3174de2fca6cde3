package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// explain tells everything about one entry, and what moves it on unless it waits.
func (d *core) explain(ctx context.Context, id int64) (out control.Explanation, err error) {
	out.Explanation, err = d.store.Explain(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return out, &control.Fault{Code: control.CodeNotFound, Message: fmt.Sprintf("there is no entry %d", id), Hint: "filmspool queue list"}
	}
	english := d.catalogue.In(words.English)
	for i := range out.Steps {
		out.Steps[i].Text = english.Step(out.Steps[i])
	}
	for i, r := range out.Requests {
		if r.Cause != nil {
			out.Requests[i].Error = english.Message(*r.Cause)
		}
	}
	if err == nil {
		out.Candidates, err = d.store.Candidates(ctx, id)
	}
	out.Why, out.Hint = control.Advice(out.Entry)
	return out, err
}

// Explain implements [control.API]. It says what a waiting entry waits for, in the order and
// in the words of [Daemon.Status].
func (d *Daemon) Explain(ctx context.Context, id int64) (control.Explanation, error) {
	x, err := d.explain(ctx, id)
	if err != nil || x.State != viewing.StatePending {
		return x, err
	}
	if t, ok := d.store.Trouble(); ok {
		x.Why, x.Hint = t.Text()+".", t.Hint(d.o.Paths.State)
		return x, nil
	}
	a := d.account(x.Account)
	if a == nil {
		x.Why, x.Hint = fmt.Sprintf("There is no account %s in the configuration.", x.Account), "filmspool config show"
		return x, nil
	}
	look, err := d.accountStatus(ctx, a)
	x.Why, x.Hint = control.WaitingFor(x.Explanation, look, time.Now())
	return x, err
}
