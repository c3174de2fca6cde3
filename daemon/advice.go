package daemon

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// explain tells everything about one entry, and what moves it on unless it waits.
func (d *core) explain(ctx context.Context, id int64) (out control.Explanation, err error) {
	out.Explanation, err = d.store.Explain(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return out, control.NotFound(ofEntry("fault.noEntry", id), control.Command("filmspool diary"))
	}
	if err == nil {
		out.Candidates, err = d.store.Candidates(ctx, id)
	}
	if err == nil {
		entitled := []queue.Entry{out.Entry, out.Ahead}
		err = d.store.Entitle(ctx, entitled)
		out.Entry, out.Ahead = entitled[0], entitled[1]
		d.titles.want(out.Entry)
		d.titles.offers(out.Candidates)
	}
	out.Why, out.Hint = control.Advice(out.Entry)
	return out, err
}

// Explain implements [control.API]. It says what a waiting entry waits for, in the order
// of [Daemon.Status].
func (d *Daemon) Explain(ctx context.Context, id int64) (control.Explanation, error) {
	x, err := d.explain(ctx, id)
	if err != nil || x.State != viewing.StatePending {
		return x, err
	}
	if t, ok := d.store.Trouble(); ok {
		x.Why, x.Hint = t.Message(), storageHint(t, d.o.Paths.State)
		return x, nil
	}
	if d.account(x.Account) == nil {
		x.Why, x.Hint = viewing.Say("why.noAccount", "name", x.Account), control.Command("filmspool config show")
		return x, nil
	}
	look, err := d.accountStatus(ctx, x.Account)
	x.Why, x.Hint = control.WaitingFor(x.Explanation, look, time.Now())
	return x, err
}

// ofEntry is a message about an entry.
func ofEntry(code string, id int64) viewing.Message {
	return viewing.Say(code, "id", strconv.FormatInt(id, 10))
}

// startHint is what to type where nothing runs.
func startHint(p config.Paths) viewing.Message { return service.StartHint(p.System) }

// storageHint says what to do about what keeps the queue from writing.
func storageHint(t sqlite.Trouble, folder string) viewing.Message {
	if t.Full() {
		return viewing.Say("hint.freeSpace", "path", folder)
	}
	return viewing.Say("hint.makeWritable", "path", folder)
}

// queueFault is an error of the queue in a person's words, with what can be done about the
// entry.
func queueFault(err error) error {
	var state *queue.StateError
	var missing entry.Missing
	switch {
	case errors.As(err, &state):
		var hint viewing.Message
		if state.ID != 0 { // else filters have selected it
			if _, hint = control.Advice(entry.Entry{ID: state.ID, State: state.State, Reason: state.Reason}); hint.Code == "" {
				hint = control.Command("filmspool show %d", state.ID)
			}
		}
		return control.Refused(stateMessage(state), hint)
	case errors.Is(err, entry.ErrState), errors.Is(err, viewing.ErrInvalid):
		return control.Invalid(viewing.MessagesOf(err)[0], viewing.Message{})
	case errors.As(err, &missing):
		return control.NotFound(ofEntry("fault.noEntry", int64(missing)), control.Command("filmspool diary"))
	case errors.Is(err, entry.ErrSelection):
		return control.Invalid(viewing.Say("fault.noSelection"), viewing.Say("hint.select"))
	default:
		return err
	}
}

// stateMessage says why a verb does not fit an entry.
func stateMessage(e *queue.StateError) viewing.Message {
	m := viewing.Say("fault.locked", "verb", e.Verb, "id", strconv.FormatInt(e.ID, 10), "state", string(e.State))
	switch {
	case e.ID == 0:
		m.Code = "fault.lockedAll"
	case e.Why.Code != "":
		m.Code = "fault.lockedWhy"
		return m.Because(e.Why)
	case e.Reason != "":
		m.Code, m.Args["reason"] = "fault.lockedFor", e.Reason
	}
	return m
}
