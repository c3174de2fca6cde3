package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Status implements [control.API].
func (c *api) Status(ctx context.Context) (control.Status, error) {
	s, err := c.d.status(ctx)
	if err != nil || len(s.Accounts) < 2 {
		return s, err
	}
	counts, err := c.d.store.CountsOf(ctx)
	for i, a := range s.Accounts {
		one := counts[a.Name]
		s.Accounts[i].Counts = &one
	}
	return s, err
}

// status is how things stand, at the same cost whatever waits.
func (d *Daemon) status(ctx context.Context) (control.Status, error) {
	d.store.Look()
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
	if t, ok, err := d.store.OldestPending(ctx); err != nil {
		return s, err
	} else if ok {
		s.OldestPendingSeconds = max(0, int64(time.Since(t).Seconds()))
	}
	s.Summarise()
	if t := d.trouble(); t != nil {
		s.PutFirst(t, d.o.Paths.State)
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
		if d.account(name) == nil {
			list = append(list, control.Account{
				Name: name, State: account.Attention, Reason: "It is not in the configuration, and entries wait for it.",
				Hint: "filmspool queue list --state pending --account " + name + "; then filmspool queue move ID --account NAME",
			})
		}
	}
	return list, err
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
	out.LastDelivered, out.Unresolved = known(kept.LastDelivered), unresolved
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

// standing is how an account stands, in a person's words: by its loop, and by
// the key and the address. problem is why there is no client. A login does not
// help where a stronger source of key or address wins over it.
func standing(h replay.Health, c config.Credential, problem, file string) control.Account {
	out := control.Account{
		Name: c.Account, State: h.State, Reason: h.Reason, Hint: h.Hint, NextTry: known(h.NextTry), PausedUntil: known(h.PausedUntil), Drops: h.Drops, BaseURL: c.BaseURL, User: c.UserName,
	}
	switch {
	case h.State == account.Offline && h.Reason == "":
		out.Reason = "The service is being asked."
	case h.State == account.NoKey:
		out.State, out.Reason, out.Hint = account.Attention, problem, "filmspool login"
		if c.BaseURL == "" {
			out.Hint = "filmspool login --base-url https://…/api/v1"
		}
	}
	switch {
	case h.Pause == account.PausedAddress && c.URLSource != "" && c.URLSource != "login":
		out.Hint = fmt.Sprintf("change base_url of [accounts.%s] in %s, then restart filmspool", c.Account, file)
	case h.Pause == account.PausedKey && c.KeySource == "systemd credential":
		out.Hint = "change the systemd credential of account " + c.Account + ", then restart the service"
	}
	out.Hint = loginOf(c.Account, out.Hint)
	return out
}

// loginOf is a hint whose login is that of an account.
func loginOf(account, hint string) string {
	if account == viewing.DefaultAccount || strings.Contains(hint, " --account ") {
		return hint
	}
	return strings.Replace(hint, "filmspool login", "filmspool login --account "+account, 1)
}

// connectorStatus is what a paired browser may know.
func (d *Daemon) connectorStatus(ctx context.Context) connector.Status {
	s, err := d.status(ctx)
	if err != nil {
		return connector.Status{}
	}
	out := connector.Status{
		Online: true, Pending: s.Counts.Pending + s.Counts.Sending, Attention: control.NeedUser(s.Counts),
	}
	for _, a := range s.Accounts {
		if a.Unused {
			continue
		}
		out.Online = out.Online && a.State == account.OK
		if a.State == account.Attention {
			out.Attention++
		}
		if a.LastDelivered != nil && a.LastDelivered.After(out.LastDelivered) {
			out.LastDelivered = *a.LastDelivered
		}
	}
	return out
}

// onNews calls push once, and then whenever the queue or an account's health
// has changed, until ctx ends.
func (d *Daemon) onNews(ctx context.Context, push func()) {
	changed, stop := d.store.Subscribe()
	defer stop()
	var workers sync.WaitGroup
	defer workers.Wait()
	for _, a := range d.accounts {
		mood, stop := a.loop.Subscribe()
		defer stop()
		workers.Go(func() { pass(ctx, mood, push) })
	}
	push()
	pass(ctx, changed, push)
}

// pass calls push for each nudge until ctx ends.
func pass(ctx context.Context, nudges <-chan struct{}, push func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-nudges:
			push()
		}
	}
}
