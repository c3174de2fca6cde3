package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) pauseCommand() *cobra.Command {
	var o control.Pause
	c := p.pausingCommand("pause [SPAN|until TIME]…", &o, func(ctl control.API) pauseCall { return ctl.Pause })
	c.Example = "  filmspool pause 2h\n  filmspool pause until 23:00 --drop"
	c.Flags().BoolVar(&o.Drop, "drop", false, "")
	c.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if len(args) > 0 {
			o.Until, err = typed.ParseEnd(strings.Join(args, " "), time.Now())
		}
		return misuse(err)
	}
	return c
}

func (p *program) resumeCommand() *cobra.Command {
	return p.pausingCommand("resume", &control.Pause{}, func(ctl control.API) pauseCall { return ctl.Resume })
}

// pauseCall is what begins or ends a pause.
type pauseCall = func(context.Context, control.Pause) ([]control.Account, error)

// pausingCommand is a command about how accounts stand.
func (p *program) pausingCommand(use string, o *control.Pause, do func(control.API) pauseCall) *cobra.Command {
	c := asking(p, use, daemon.Offline, func(ctx context.Context, ctl control.API, _ []string) ([]control.Account, error) {
		return do(ctl)(ctx, *o)
	},
		func(all []control.Account) {
			for _, a := range all {
				p.sayPause(a)
			}
		})
	c.Flags().StringVar(&o.Account, "account", "", "")
	return c
}

// sayPause tells how an account stands.
func (p *program) sayPause(a control.Account) {
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
