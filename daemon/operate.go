package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Operate implements [control.API]. A retry has the loops look at once; it ends
// no pause.
func (c *api) Operate(ctx context.Context, o control.Order) (queue.Changed, error) {
	verbs := map[string]func(context.Context, queue.Selection, bool) (queue.Changed, error){
		control.Retry: c.d.store.Retry, control.Hold: c.d.store.Hold,
		control.Release: c.d.store.ReleaseHeld, control.Drop: c.d.store.Drop,
		control.Settle: func(ctx context.Context, sel queue.Selection, dry bool) (queue.Changed, error) {
			return c.d.store.SettleByHand(ctx, sel, o.As, dry)
		},
		control.Move: func(ctx context.Context, sel queue.Selection, dry bool) (queue.Changed, error) {
			if err := c.known(o.To); err != nil {
				return queue.Changed{}, err
			}
			return c.d.store.Reassign(ctx, sel.IDs, o.To, dry)
		},
	}
	verb, ok := verbs[o.Verb]
	if !ok {
		return queue.Changed{}, &control.Fault{Code: control.CodeInvalid, Message: fmt.Sprintf("%q is not retry, hold, release, settle, drop or move", o.Verb)}
	}
	did, err := verb(ctx, o.Selection, o.DryRun)
	if err != nil {
		return queue.Changed{}, operatorFault(err)
	}
	if o.Verb == control.Retry && !o.DryRun {
		c.d.wake()
	}
	return did, nil
}

// wake has every account's loop try again at once.
func (d *Daemon) wake() {
	for _, a := range d.accounts {
		a.loop.Wake()
	}
}

// Edit implements [control.API].
func (c *api) Edit(ctx context.Context, e control.Edit) (queue.Entry, error) {
	after, err := c.d.store.Edit(ctx, e.ID, e.Edit)
	return after, operatorFault(err)
}

// Export implements [control.API].
func (c *api) Export(ctx context.Context, w io.Writer) error {
	_, err := c.d.store.Export(ctx, w)
	return err
}

// Import implements [control.API].
func (c *api) Import(ctx context.Context, r io.Reader, dry bool) (queue.Imported, error) {
	sum, err := c.d.store.Import(ctx, r, dry)
	if errors.Is(err, viewing.ErrInvalid) {
		hint := "FILE is what filmspool queue export has written"
		switch {
		case sum.Lines == 0:
			hint += "; what another diary has goes in one by one: filmspool add movie ID --watched-at DAY"
		case !dry:
			hint += "; the lines before that one were taken"
		}
		err = &control.Fault{Code: control.CodeInvalid, Message: err.Error(), Hint: hint}
	}
	return sum, err
}

// copies are the folders in which copies of the queue are made.
const copies = ".copy-"

// sweepCopies removes copies that nobody came to fetch before the process
// ended. The state folder is held.
func sweepCopies(state string) {
	left, _ := filepath.Glob(filepath.Join(state, copies+"*")) // none is well
	for _, dir := range left {
		_ = os.RemoveAll(dir) // it only takes room
	}
}

// Backup implements [control.API]. The copy is made beside the queue, which
// may be all that this process can write, and goes when it was handed over.
func (c *api) Backup(ctx context.Context, w io.Writer) error {
	dir, err := os.MkdirTemp(c.d.o.Paths.State, copies)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "copy.db")
	if err := c.d.store.Backup(ctx, file); err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(w, f); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	return nil
}

// Pause implements [control.API].
func (c *api) Pause(ctx context.Context, p control.Pause) ([]control.Account, error) {
	now := time.Now()
	timed := !p.Until.IsZero()
	switch {
	case p.Drop && !timed:
		return nil, &control.Fault{Code: control.CodeInvalid, Message: "a pause that drops needs an end", Hint: "filmspool pause 2h --drop"}
	case timed && !p.Until.After(now):
		return nil, &control.Fault{Code: control.CodeInvalid, Message: "the pause would be over already", Hint: "filmspool pause 2h"}
	}
	return c.setPause(ctx, p.Account, func(a *account.Row) {
		if timed || a.Pause.Reason != account.PausedUser || !a.Pause.Until.IsZero() {
			a.Pause = account.ByUser(now, p.Until.Local(), p.Drop)
		}
	})
}

// Resume implements [control.API]. It ends the user's pause alone; what
// else keeps an account back is tried again at once.
func (c *api) Resume(ctx context.Context, p control.Pause) ([]control.Account, error) {
	return c.setPause(ctx, p.Account, func(a *account.Row) {
		if a.Pause.Reason == account.PausedUser {
			a.Pause = account.Pause{}
		}
	})
}

// accountNames are those of the configuration.
func (c *api) accountNames() []string { return slices.Sorted(maps.Keys(c.d.o.Config.Accounts)) }

// known refuses an account that the configuration does not have.
func (c *api) known(name string) error {
	names := c.accountNames()
	if slices.Contains(names, name) {
		return nil
	}
	return &control.Fault{
		Code: control.CodeNotFound, Message: fmt.Sprintf("there is no account %q", name), Hint: "one of: " + strings.Join(names, ", "),
	}
}

// setPause changes one account, or all, and has the loops look.
func (c *api) setPause(ctx context.Context, only string, change func(*account.Row)) ([]control.Account, error) {
	names := c.accountNames()
	if only != "" {
		if err := c.known(only); err != nil {
			return nil, err
		}
		names = []string{only}
	}
	list := []control.Account{}
	for _, name := range names {
		var after account.Row
		err := c.d.store.UpdateAccount(ctx, name, func(a *account.Row) {
			change(a)
			after = *a
		})
		if err != nil {
			return nil, err
		}
		list = append(list, pauseOf(after))
	}
	c.d.wake()
	return list, nil
}

// pauseOf is what is known of an account right after its pause has changed:
// the loop will say the rest.
func pauseOf(a account.Row) control.Account {
	return control.Account{
		Name: a.Name, State: a.Pause.State(), Reason: a.Pause.Problem, Hint: a.Pause.Hint,
		BaseURL: a.BaseURL, LastDelivered: known(a.LastDelivered), PausedUntil: known(a.Pause.Until), Drops: a.Pause.Drops,
	}
}

// operatorFault is err in a person's words, with the command that does what
// may have been meant.
func operatorFault(err error) error {
	var state *queue.StateError
	switch {
	case errors.As(err, &state):
		return &control.Fault{Code: control.CodeRefused, Message: err.Error(), Hint: hintFor(state)}
	case errors.Is(err, entry.ErrState):
		return &control.Fault{Code: control.CodeInvalid, Message: err.Error()}
	case errors.Is(err, entry.ErrNotFound):
		return &control.Fault{Code: control.CodeNotFound, Message: err.Error(), Hint: "filmspool queue list"}
	case errors.Is(err, queue.ErrSelection):
		return &control.Fault{Code: control.CodeInvalid, Message: err.Error(), Hint: "name ids, or filters, or --all"}
	default:
		return err
	}
}

// hintFor is the verb that fits an entry in its state.
func hintFor(e *queue.StateError) string {
	hint := ""
	if e.Reason == viewing.ReasonDamaged {
		return fmt.Sprintf("filmspool queue drop %d, then add it again: filmspool add --help", e.ID)
	}
	switch e.State {
	case viewing.StateDelivered:
		hint = "filmspool queue undo %d"
	case viewing.StateSending:
		return "its request is under way: try again in a moment"
	case viewing.StateInDoubt:
		hint = "filmspool queue settle %d --as delivered, if you find it at the service"
		if e.Verb == control.Retry {
			hint += "; else: filmspool queue retry %[1]d --may-double"
		}
	case viewing.StateHeld:
		hint = "filmspool queue release %d"
		switch {
		case e.Verb == control.Move:
			hint = "filmspool queue show %d"
		case e.Verb == control.Release && e.Reason == viewing.ReasonFuture:
			hint = "filmspool queue edit %d --watched-at TIME"
		case e.Verb == control.Release:
			hint = "filmspool queue edit %d --movie ID, or --show ID --season N --episode N"
		}
	case viewing.StateRejected:
		hint = "filmspool queue retry %d"
	default:
		hint = "filmspool queue show %d"
	}
	return fmt.Sprintf(hint, e.ID)
}
