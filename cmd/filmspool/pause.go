package main

import (
	"context"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// pause stops sending, optionally until a given time.
func (p *program) pause(ctx context.Context, args []string) (err error) {
	o := control.Pause{Account: p.given.account, Drop: p.given.drop}
	if len(args) > 0 {
		if o.Until, err = typed.ParseEnd(strings.Join(args, " "), time.Now()); err != nil {
			return misuse(err)
		}
	}
	return ask(ctx, p, daemon.Offline, func(ctl control.API) ([]control.Account, error) { return ctl.Pause(ctx, o) }, p.sayPaused)
}

// resume continues sending.
func (p *program) resume(ctx context.Context, _ []string) error {
	return ask(ctx, p, daemon.Offline, func(ctl control.API) ([]control.Account, error) {
		return ctl.Resume(ctx, control.Pause{Account: p.given.account})
	}, p.sayPaused)
}

// sayPaused prints whether accounts are paused.
func (p *program) sayPaused(all []control.Account) {
	for _, a := range all {
		switch {
		case a.State == account.OK:
			p.stdout.Say("cli.sends", "account", a.Name)
		case a.State != account.Paused:
			p.stdout.Say("cli.needsYou", "account", a.Name, "why", p.stdout.Speech().Tell(a.Reason))
			p.stdout.Hint(a.Hint)
		case a.PausedUntil == nil:
			p.stdout.Say("cli.paused", "account", a.Name)
		case a.Drops:
			p.stdout.Say("cli.pausedDrops", "account", a.Name, "at", a.PausedUntil)
		default:
			p.stdout.Say("cli.pausedUntil", "account", a.Name, "at", a.PausedUntil)
		}
	}
}
