package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) pauseCommand() *cobra.Command {
	var o control.Pause
	c := p.pausingCommand("pause", "Stop sending for a while, or until you resume", `Stops sending; everything is still taken and kept, and nothing is relabelled. It
lasts until "filmspool resume", also over a restart. With a time it ends by itself.

With --drop, what ends before that time is not sent later either: it is kept as
dropped. "queue release ID" takes it in after all. What you add by hand is not dropped.`, &o)
	c.Use = "pause [SPAN | until TIME]"
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 || args[0] == "until" || strings.ContainsAny(args[0], "0123456789") {
			return nil
		}
		return usage.Exactly()(c, args)
	}
	c.Example = `  filmspool pause 2h
  filmspool pause until 23:00 --drop`
	c.Flags().BoolVar(&o.Drop, "drop", false, "drop what is watched until then")
	c.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if len(args) > 0 {
			o.Until, err = typed.ParseEnd(strings.Join(args, " "), time.Now())
		}
		if err == nil && o.Drop && o.Until.IsZero() {
			err = &typed.Error{Problem: "--drop needs an end: a pause that is forgotten would drop all you watch", Next: "filmspool pause 2h --drop"}
		}
		return err
	}
	return c
}

func (p *program) resumeCommand() *cobra.Command {
	return p.pausingCommand("resume", "Send again after a pause", `Ends the pause that you began. What else keeps an account back is tried at once.`, &control.Pause{})
}

// pausingCommand is a command about how accounts stand.
func (p *program) pausingCommand(use, short, long string, o *control.Pause) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long, Args: usage.Exactly()}
	c.Flags().StringVar(&o.Account, "account", "", "only this account (default: all)")
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return ask(c.Context(), p, daemon.Offline, *asJSON, func(ctl control.API) ([]control.Account, error) {
			do := ctl.Pause
			if use == "resume" {
				do = ctl.Resume
			}
			return do(c.Context(), *o)
		}, p.sayPauses)
	}
	return c
}

// sayPauses tells how accounts stand.
func (p *program) sayPauses(accounts []control.Account) error {
	for _, a := range accounts {
		switch a.State {
		case account.OK:
			p.stdout.Printf("Account %s sends: nothing is paused.\n", a.Name)
		case account.Paused:
			p.stdout.Printf("Account %s is paused: nothing is sent until %s.\n", a.Name, pauseEnd(a))
		default:
			p.stdout.Printf("Account %s is not paused by you, but needs you: %s\n", a.Name, a.Reason)
			p.stdout.Hint(a.Hint)
		}
	}
	return nil
}

// pauseEnd says when a pause ends, and what becomes of what is watched until then.
func pauseEnd(a control.Account) string {
	switch {
	case a.PausedUntil == nil:
		return "filmspool resume"
	case a.Drops:
		return terminal.Minute(*a.PausedUntil) + ", and what is watched until then is dropped"
	default:
		return terminal.Minute(*a.PausedUntil) + ", or filmspool resume"
	}
}
