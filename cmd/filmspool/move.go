package main

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

func (p *program) moveCommand() *cobra.Command {
	c := &cobra.Command{Use: "move", Example: "  filmspool move --from default --to new", SuggestFor: []string{"migrate", "copy", "sync"}}
	var m control.HistoryMove
	c.Flags().StringVar(&m.From, "from", "", "")
	c.Flags().StringVar(&m.To, "to", "", "")
	c.Flags().BoolVar(&m.DryRun, "dry-run", false, "")
	yes := c.Flags().Bool("yes", false, "")
	asJSON := c.Flags().Bool("json", false, "")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if m.From == "" || m.To == "" {
			return mistake("usage.accounts").next(control.Command("filmspool move --from NAME --to NAME"))
		}
		return p.instance(c.Context(), daemon.Existing, func(ctl control.API) error {
			decided := *yes || m.DryRun
			m.DryRun = !*yes || m.DryRun
			did, err := ctl.MoveHistory(c.Context(), m)
			switch {
			case err != nil:
				return misuse(err)
			case decided && *asJSON:
				return p.stdout.JSON(did)
			case decided || did.New() == 0:
				p.sayMoved(did)
				return nil
			case *asJSON || !terminal.IsTerminal(p.stdin):
				return mistake("usage.agreeMove", "n", strconv.Itoa(did.New()), "account", m.To).next(viewing.Say("hint.agree"))
			}
			p.sayMoved(did)
			if !p.stderr.Agreed(c.Context(), p.stdin, p.stdout.Speech().Say("cli.move.sure", "n", did.New(), "to", m.To)) {
				return viewing.Say("fault.notAgreed")
			}
			m.DryRun = false
			if did, err = ctl.MoveHistory(c.Context(), m); err == nil {
				p.sayMoved(did)
			}
			return err
		})
	}
	return c
}

// sayMoved says what a move did, or would do.
func (p *program) sayMoved(did control.HistoryMoved) {
	from, to := did.From, did.To
	switch {
	case did.New() == 0:
		p.stdout.Say("cli.move.none", "from", from, "to", to)
		return
	case !did.DryRun:
		p.stdout.Say("cli.move.did", "n", did.New(), "to", to)
		return
	}
	p.stdout.Say("cli.move.would", "n", did.New(), "from", from, "to", to)
	for _, count := range []struct {
		key string
		n   int
	}{{"films", did.Films}, {"episodes", did.Episodes}, {"watchlist", did.Watchlist}, {"lists", did.Lists}, {"known", did.Known}, {"atService", did.AtService}} {
		if count.n > 0 {
			p.stdout.Printf("  %s\n", p.stdout.Speech().Say("cli.move."+count.key, "n", count.n, "to", to))
		}
	}
	if !did.Readable {
		p.stdout.Say("cli.unreadable", "account", to, "why", p.stdout.Speech().Message(did.Reason))
	}
	if did.SendSeconds > 0 {
		p.stdout.Say("cli.move.time", "time", time.Duration(did.SendSeconds)*time.Second)
	}
}
