package daemon

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
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
	var found []control.Trouble
	if free, err := sqlite.Free(d.o.Paths.State); err == nil && free < lowRoom {
		room := viewing.Said(fmt.Sprintf("%d MB", free>>20))
		found = append(found, control.Trouble{Code: health.DiskLow, What: &room})
	}
	s.Problems = health.Judge(health.Conditions{Status: &s, Troubles: found, Now: time.Now(), AtOnce: atOnce})
	s.State = health.State(&s, s.Problems)
	return s, nil
}

// lowRoom is how little room on the disk is told of, in bytes: some months of viewings,
// and less than other programs take in a day.
const lowRoom = 100 << 20

// status is how the queue and the libraries stand, without a sentence for it, at the same
// cost whatever waits.
func (d *core) status(ctx context.Context) (control.Status, error) {
	counts, err := d.store.Counts(ctx)
	if err != nil {
		return control.Status{}, err
	}
	waves, err := d.store.Waves(ctx)
	if err != nil {
		return control.Status{}, err
	}
	notices, err := d.store.Notices(ctx)
	if err != nil {
		return control.Status{}, err
	}
	s := control.Status{
		Version: d.o.Version, Counts: counts, Sources: d.sourceStatus(), Waves: waves, Notices: notices,
		Untitled: d.o.Config.IgnoreUntitled,
	}
	if s.Accounts, err = d.unknownAccounts(ctx); err != nil {
		return s, err
	}
	if t, ok, err := d.store.OldestPending(ctx, ""); err != nil {
		return s, err
	} else if ok {
		s.OldestPendingSeconds = max(0, int64(time.Since(t).Seconds()))
	}
	if t, ok := d.store.Trouble(); ok {
		s.Storage = &control.Storage{Reason: storageTrouble(t), Since: t.Since.UTC(), Refused: t.Refused, Trouble: diskTrouble(t)}
	}
	return s, nil
}

// unknownAccounts are those for which something waits that are not in the configuration.
func (d *core) unknownAccounts(ctx context.Context) ([]control.Account, error) {
	list := []control.Account{}
	names, err := d.store.PendingAccounts(ctx)
	for _, name := range names {
		if _, known := d.o.Config.Accounts[name]; !known {
			a := control.Account{
				Name: name, State: account.Attention, Reason: viewing.Say("notConfigured"),
				Hint:     viewing.Say("hint.moveAway", "name", name),
				Troubles: []control.Trouble{{Code: health.AccountUnknown, About: name}},
			}
			list = append(list, a)
		}
	}
	return list, err
}

// status adds how the accounts, the browsers and the programs stand.
func (d *Daemon) status(ctx context.Context) (control.Status, error) {
	s, err := d.core.status(ctx)
	if err != nil {
		return s, err
	}
	list := []control.Account{}
	for _, a := range d.accounts {
		look, err := d.accountStatus(ctx, a)
		if err != nil {
			return s, err
		}
		list = append(list, look)
	}
	if !slices.ContainsFunc(list, func(a control.Account) bool { return !a.Unused }) {
		for i := range list {
			list[i].Unused = false
		}
	}
	s.Accounts = append(list, s.Accounts...)
	s.Sources = append(browserSources(d.pairing), s.Sources...)
	s.Listen = d.address
	return s, nil
}

// browserSources are the paired browsers and the programs.
func browserSources(clients *pairing.Registry) []control.Source {
	list := []control.Source{}
	for _, k := range clients.List() {
		list = append(list, browserSource(k))
	}
	return list
}

// accountStatus is how one account stands.
func (d *Daemon) accountStatus(ctx context.Context, a *sender) (control.Account, error) {
	kept, err := d.store.Account(ctx, a.name)
	if err != nil {
		return control.Account{}, err
	}
	unresolved, err := d.store.Unresolved(ctx, a.name)
	if err != nil {
		return control.Account{}, err
	}
	credential, problem := a.look()
	out := standing(a.loop.Health(), credential, problem)
	if t := a.clock(); t != nil {
		out.Troubles = append(out.Troubles, *t)
	}
	out.LastDelivered, out.Unresolved = control.Known(kept.LastDelivered), unresolved
	if can, asked := replay.Resolves(kept); asked {
		out.Resolves = &can
	}
	if a.loop.Health().State == account.NoKey {
		counts, err := d.store.CountsOf(ctx)
		if out.Unused = counts[a.name].Pending == 0; err != nil {
			return out, err
		}
	}
	if s, asked := kept.Support[replay.SupportItems]; asked && !s.Has {
		out.Note = viewing.Say("noItems")
	}
	return out, nil
}

// visitLibraries looks at each library now, for the rows that stand for them.
func (d *core) visitLibraries(ctx context.Context, rows []control.Source) {
	for _, k := range d.libraries {
		s, err := k.Check(ctx)
		if err != nil {
			d.log.Warn("a library cannot be read", "userdata", s.Userdata, "state", s.State, "error", err)
		}
		found := kodiSource(s)
		for i := range rows {
			if rows[i].Name == found.Name {
				rows[i] = found
			}
		}
	}
}

// diskTrouble is what keeps the queue from being written, for package health.
func diskTrouble(t sqlite.Trouble) control.Trouble {
	why := storageTrouble(t)
	out := control.Trouble{Code: health.QueueUnwritable, What: &why, Since: t.Since}
	if t.Kind() == sqlite.Full {
		out.Act = &control.Act{Verb: "free"}
	}
	return out
}
