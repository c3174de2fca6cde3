package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/machine"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// Status implements [control.API].
func (c *api) Status(ctx context.Context) (control.Status, error) {
	s, v, err := c.d.judged(ctx, control.HealthAsked{})
	s.State, s.Summary, s.Hint, s.Problems = v.State, v.Summary, v.Hint, health.Roots(v.Problems)
	return s, err
}

// Health implements [control.API].
func (c *api) Health(ctx context.Context, asked control.HealthAsked) (control.Health, error) {
	_, v, err := c.d.judged(ctx, asked)
	return control.Health{State: v.State, Summary: v.Summary, Problems: v.Problems}, err
}

// judged is how things stand, in the language that somebody wants.
func (d *Daemon) judged(ctx context.Context, asked control.HealthAsked) (control.Status, health.Verdict, error) {
	s, err := d.status(ctx)
	if err == nil && asked.Check && d.pairing == nil && d.waiting == nil {
		err = d.rest(ctx, &s)
	}
	if err != nil {
		return s, health.Verdict{}, err
	}
	if len(s.Accounts) > 1 {
		counts, err := d.store.CountsOf(ctx)
		if err != nil {
			return s, health.Verdict{}, err
		}
		for i, a := range s.Accounts {
			one := counts[a.Name]
			s.Accounts[i].Counts = &one
			if s.Accounts[i].Oldest, _, err = d.store.OldestPending(ctx, a.Name); err != nil {
				return s, health.Verdict{}, err
			}
		}
	}
	var found []control.Trouble
	if free, err := machine.Free(d.o.Paths.State); err == nil && free < lowRoom {
		found = append(found, control.Trouble{Code: health.DiskLow, Detail: fmt.Sprintf("%d MB", free>>20)})
	}
	return s, health.Judge(d.catalogue.In(asked.Language), health.Conditions{Status: &s, Troubles: found, Now: time.Now(), AtOnce: asked.Check}), nil
}

// lowRoom is how little room on the disk is told of, in bytes: some months of viewings,
// and less than other programs take in a day.
const lowRoom = 100 << 20

// status is how things stand, without a sentence for it, at the same cost whatever
// waits.
func (d *Daemon) status(ctx context.Context) (control.Status, error) {
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
		Version: d.o.Version, Listen: d.listening(), Counts: counts, Sources: d.sourceStatus(ctx), Waves: waves, Notices: notices,
	}
	if s.Accounts, err = d.standings(ctx); err != nil {
		return s, err
	}
	if t, ok, err := d.store.OldestPending(ctx, ""); err != nil {
		return s, err
	} else if ok {
		s.OldestPendingSeconds = max(0, int64(time.Since(t).Seconds()))
	}
	if t := d.trouble(); t != nil {
		s.Storage = &control.Storage{Reason: t.Text() + ".", Since: t.Since.UTC(), Refused: t.Refused, Trouble: health.OfDisk(t, d.o.Paths.State)}
	}
	return s, nil
}

// standings are how the accounts stand: those of the configuration, and those for
// which something waits that are not in it.
func (d *Daemon) standings(ctx context.Context) ([]control.Account, error) {
	list := []control.Account{}
	for _, a := range d.accounts {
		look, err := d.accountStatus(ctx, a)
		if err != nil {
			return list, err
		}
		list = append(list, look)
	}
	if !slices.ContainsFunc(list, func(a control.Account) bool { return !a.Unused }) {
		for i := range list {
			list[i].Unused = false
		}
	}
	names, err := d.store.PendingAccounts(ctx)
	for _, name := range names {
		if _, known := d.o.Config.Accounts[name]; !known {
			a := control.Account{
				Name: name, State: account.Attention, Reason: "It is not in the configuration, and entries wait for it.",
				Hint: "filmspool queue list --state pending --account " + name + "; then filmspool queue move ID --account NAME",
			}
			a.Troubles = []control.Trouble{{Code: health.AccountUnknown, About: name, Detail: a.Reason, Hint: a.Hint}}
			list = append(list, a)
		}
	}
	return list, err
}

// rest adds what else can be told while nothing runs: how the accounts stand, by their
// keys and by what is kept, who is paired, and what the libraries are like now.
func (d *Daemon) rest(ctx context.Context, s *control.Status) error {
	for _, name := range d.accountNames() {
		a, err := d.resting(ctx, name)
		if err != nil {
			return err
		}
		s.Accounts = append(s.Accounts, a)
	}
	d.visitLibraries(ctx, s.Sources)
	clients, err := pairing.New(ctx, records{d.store, "clients"})
	if err != nil {
		return err
	}
	for _, k := range clients.List() {
		s.Sources = append(s.Sources, browserSource(k))
	}
	return nil
}

// resting is an account while nothing runs.
func (d *Daemon) resting(ctx context.Context, name string) (control.Account, error) {
	c, err := d.keys.Find(name, d.o.Config.Accounts[name], d.o.Paths.File)
	if err != nil {
		c.KeyProblem = err.Error()
	}
	kept, err := d.store.Account(ctx, name)
	if err != nil && !errors.Is(err, sqlite.ErrStorage) { // one that was never used is not made now
		return control.Account{}, err
	}
	p := kept.Pause.Timely(time.Now())
	h := replay.Health{State: p.State(), Reason: p.Problem, Hint: p.Hint, Since: p.Since, Pause: p.Reason, PausedUntil: p.Until, Drops: p.Drops}
	why := lacking(c)
	if why != "" {
		h = replay.Health{State: account.NoKey}
	}
	out := standing(h, c, why, d.o.Paths.File)
	out.LastDelivered = control.Known(kept.LastDelivered)
	if h.State == account.NoKey && len(d.o.Config.Accounts) > 1 {
		waits, err := d.store.Waits(ctx, name)
		if out.Unused = !waits; err != nil {
			return out, err
		}
	}
	out.Unresolved, err = d.store.Unresolved(ctx, name)
	return out, err
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
	out := standing(a.loop.Health(), credential, problem, d.o.Paths.File)
	if t := a.clock(); t != nil {
		out.Troubles = append(out.Troubles, *t)
	}
	out.LastDelivered, out.Unresolved = control.Known(kept.LastDelivered), unresolved
	if can, asked := replay.Resolves(kept); asked {
		out.Resolves = &can
	}
	if a.loop.Health().State == account.NoKey {
		waits, err := d.store.Waits(ctx, a.name)
		if out.Unused = !waits; err != nil {
			return out, err
		}
	}
	if s, asked := kept.Support[replay.SupportItems]; asked && !s.Has {
		out.Note = "The service takes no items of lists: lists are created empty."
	}
	return out, nil
}

// visitLibraries looks at each library now, for the rows that stand for them.
func (d *Daemon) visitLibraries(ctx context.Context, rows []control.Source) {
	for _, k := range d.kodis() {
		report, err := k.Scan(ctx)
		if err != nil {
			d.log.Warn("a library cannot be read", "userdata", report.Userdata, "state", report.State, "error", err)
		}
		s := k.Status()
		s.Userdata, s.State, s.Summary, s.Hint, s.Reporters = report.Userdata, report.State, report.Problem, report.Hint, report.Reporters
		s.Since = time.Now()
		found := kodiSource(s)
		for i := range rows {
			if rows[i].Name == found.Name {
				rows[i] = found
			}
		}
	}
}
