package main

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
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
		err := usage.Exactly()(c, args)
		var mistake *typed.Error
		if errors.As(err, &mistake) {
			mistake.Next = "filmspool pause 2h, or filmspool pause until 23:00"
		}
		return err
	}
	c.Example = `  filmspool pause 2h
  filmspool pause until 23:00 --drop`
	c.Flags().BoolVar(&o.Drop, "drop", false, "drop what is watched until then")
	c.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if len(args) > 0 {
			o.Until, err = typed.ParseEnd(strings.Join(args, " "), time.Now())
			err = usage.In("", err)
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
		}, func(all []control.Account) error { return report.Pauses(p.stdout, all) })
	}
	return c
}
