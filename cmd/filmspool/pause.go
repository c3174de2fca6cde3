package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
)

func (p *program) pauseCommand() *cobra.Command {
	return p.pausingCommand("pause", "Stop sending until you resume", `Stops sending; everything is still taken and kept, and nothing is relabelled. It
lasts until "filmspool resume", also over a restart.`)
}

func (p *program) resumeCommand() *cobra.Command {
	return p.pausingCommand("resume", "Send again after a pause", `Ends the pause that you began. What else keeps an account back is tried at once.`)
}

// pausingCommand is a command about how accounts stand.
func (p *program) pausingCommand(use, short, long string) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long, Args: usage.Exactly()}
	account := c.Flags().String("account", "", "only this account (default: all)")
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return ask(c.Context(), p, daemon.Offline, *asJSON, func(ctl control.API) ([]control.Account, error) {
			do := ctl.Pause
			if use == "resume" {
				do = ctl.Resume
			}
			return do(c.Context(), control.Pause{Account: *account})
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
			p.stdout.Printf("Account %s is paused: nothing is sent until filmspool resume.\n", a.Name)
		default:
			p.stdout.Printf("Account %s is not paused by you, but needs you: %s\n", a.Name, a.Reason)
			p.stdout.Hint(a.Hint)
		}
	}
	return nil
}
