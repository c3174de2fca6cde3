package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Status implements [control.API].
func (d *Daemon) Status(ctx context.Context) (control.Status, error) {
	s, err := d.examined(ctx, false)
	s.Problems = health.Roots(s.Problems)
	return s, err
}

// Check implements [control.API].
func (d *Daemon) Check(ctx context.Context) (control.Status, error) { return d.examined(ctx, true) }

// examined is how things stand, with every problem that there is.
func (d *Daemon) examined(ctx context.Context, atOnce bool) (control.Status, error) {
	s, err := d.status(ctx)
	if err != nil {
		return s, err
	}
	return d.judged(ctx, s, atOnce)
}

// judged adds to a status what is wrong, also what has just begun.
func (d *core) judged(ctx context.Context, s control.Status, atOnce bool) (control.Status, error) {
	if len(s.Accounts) > 1 {
		counts, err := d.store.CountsOf(ctx)
		if err != nil {
			return s, err
		}
		for i, a := range s.Accounts {
			one := counts[a.Name]
			s.Accounts[i].Counts = &one
			if s.Accounts[i].Oldest, _, err = d.store.OldestPending(ctx, a.Name); err != nil {
				return s, err
			}
		}
	}
	var found []control.Problem
	if free, err := sqlite.Free(d.o.Paths.State); err == nil && free < lowRoom {
		room := viewing.Said(fmt.Sprintf("%d MB", free>>20))
		found = append(found, control.Problem{Code: health.DiskLow, What: &room})
	}
	s.Problems = health.Judge(health.Conditions{Status: &s, Troubles: found, Now: time.Now(), AtOnce: atOnce})
	s.State = health.State(&s, s.Problems)
	return s, nil
}

// lowRoom is how little room on the disk is told of, in bytes: some months of viewings,
// and less than other programs take in a day.
const lowRoom = 100 << 20

// status is how the queue, the accounts and the sources stand, without a sentence for
// it, at the same cost whatever waits. look looks at an account, and library at a library.
func (d *core) status(
	ctx context.Context, look func(context.Context, string) (control.Account, error), library func(*kodi.Importer) kodi.Status,
) (s control.Status, err error) {
	s = control.Status{Version: d.o.Version, Sources: d.sourceStatus(library), Untitled: d.o.Config.IgnoreUntitled}
	for _, name := range d.accountNames() {
		one, err := look(ctx, name)
		if err != nil {
			return s, err
		}
		s.Accounts = append(s.Accounts, one)
	}
	var faults [4]error
	var oldest time.Time
	var waits bool
	s.Counts, faults[0] = d.store.Counts(ctx)
	s.Waves, faults[1] = d.store.Waves(ctx)
	s.Notices, faults[2] = d.store.Notices(ctx)
	if oldest, waits, faults[3] = d.store.OldestPending(ctx, ""); waits {
		s.OldestPendingSeconds = max(0, int64(time.Since(oldest).Seconds()))
	}
	if err := errors.Join(faults[:]...); err != nil {
		return s, err
	}
	if t, ok := d.store.Trouble(); ok {
		s.Storage = &control.Storage{Reason: t.Message(), Since: t.Since.UTC(), Refused: t.Refused}
	}
	if !slices.ContainsFunc(s.Accounts, func(a control.Account) bool { return !a.Unused }) {
		for i := range s.Accounts {
			s.Accounts[i].Unused = false
		}
	}
	names, err := d.store.PendingAccounts(ctx)
	for _, name := range names {
		if _, known := d.o.Config.Accounts[name]; !known {
			s.Accounts = append(s.Accounts, control.Account{
				Name: name, State: account.Attention, Reason: viewing.Say("notConfigured"), Hint: viewing.Say("hint.moveAway", "name", name),
				Troubles: []control.Problem{{Code: health.AccountUnknown, About: name}},
			})
		}
	}
	return s, err
}

// status is how this instance stands, before it is judged.
func (d *Daemon) status(ctx context.Context) (control.Status, error) {
	s, err := d.core.status(ctx, d.accountStatus, (*kodi.Importer).Status)
	s.Listen = d.address
	if !slices.ContainsFunc(s.Accounts, func(a control.Account) bool { return a.Drops }) {
		s.Playing = d.playing.list()
	}
	return s, err
}

// accountStatus is how one account stands.
func (d *Daemon) accountStatus(ctx context.Context, name string) (control.Account, error) {
	a := d.account(name)
	l := a.conn.Load()
	out, err := d.accountOf(ctx, a.loop.Health(), l.credential, l.problem)
	if t := l.clock(); t != nil {
		out.Troubles = append(out.Troubles, *t)
	}
	return out, err
}

// accountOf is how an account stands, by its loop, its key and address, and what is kept
// of it. problem is why there is no client.
func (d *core) accountOf(ctx context.Context, h replay.Health, c config.Credential, problem viewing.Message) (control.Account, error) {
	out := standing(h, c, problem)
	kept, err := d.store.Account(ctx, c.Account)
	if err != nil {
		return out, err
	}
	out.LastDelivered = control.Known(kept.LastDelivered)
	if can, asked := replay.Resolves(kept); asked {
		out.Resolves = &can
	}
	if s, asked := kept.Support[replay.SupportItems]; asked && !s.Has {
		out.Note = viewing.Say("noItems")
	}
	implied := len(d.o.Config.Accounts) == 1 && c.Account == viewing.DefaultAccount
	if implied && h.State == account.NoKey && c.BaseURL == "" && c.KeyProblem.Code == "noKey" && kept.LastDelivered.IsZero() {
		out.Local, out.State, out.Reason, out.Hint, out.Troubles = true, account.OK, viewing.Say("why.local"), viewing.Message{}, nil
	}
	if h.State == account.NoKey {
		counts, err := d.store.CountsOf(ctx)
		if out.Unused = counts[c.Account].Pending == 0; err != nil {
			return out, err
		}
	}
	out.Unresolved, err = d.store.Unresolved(ctx, c.Account)
	return out, err
}
