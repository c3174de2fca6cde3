package daemon

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
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
		x.Why, x.Hint = storageTrouble(t), storageHint(t, d.o.Paths.State)
		return x, nil
	}
	a := d.account(x.Account)
	if a == nil {
		x.Why, x.Hint = viewing.Say("why.noAccount", "name", x.Account), control.Command("filmspool config show")
		return x, nil
	}
	look, err := d.accountStatus(ctx, a)
	x.Why, x.Hint = control.WaitingFor(x.Explanation, look, time.Now())
	return x, err
}

// ofEntry is a message about an entry.
func ofEntry(code string, id int64) viewing.Message {
	return viewing.Say(code, "id", strconv.FormatInt(id, 10))
}

// startHint is what to type where nothing runs.
func startHint(p config.Paths) viewing.Message { return viewing.Said(service.StartHint(p.System)) }

// storageTrouble says why nothing can be written.
func storageTrouble(t sqlite.Trouble) viewing.Message {
	switch t.Kind() {
	case sqlite.Full:
		return viewing.Say("disk.full")
	case sqlite.ReadOnly:
		return viewing.Say("disk.readOnly")
	case sqlite.Denied:
		return viewing.Say("disk.denied")
	default:
		return viewing.Say("disk.trouble", "reason", strings.TrimPrefix(t.Cause.Error(), sqlite.ErrStorage.Error()+": "))
	}
}

// storageHint says what to do about it.
func storageHint(t sqlite.Trouble, folder string) viewing.Message {
	if t.Kind() == sqlite.Full {
		return viewing.Say("hint.freeSpace", "path", folder)
	}
	return viewing.Say("hint.makeWritable", "path", folder)
}
