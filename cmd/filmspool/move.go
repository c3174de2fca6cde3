package main

import (
	"context"
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
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if m.From == "" || m.To == "" {
			return mistake("usage.accounts").next(control.Command("filmspool move --from NAME --to NAME"))
		}
		var did control.HistoryMoved
		move := func(m control.HistoryMove) error {
			return p.instance(c.Context(), daemon.Existing, func(ctl control.API) (err error) {
				did, err = ctl.MoveHistory(c.Context(), m)
				return misuse(err)
			})
		}
		if m.DryRun || !*yes {
			if done, err := p.moveAgreed(c.Context(), m, &did, move, *asJSON); done || err != nil {
				return err
			}
		}
		err := move(m)
		switch {
		case err != nil && c.Context().Err() != nil:
			return control.Refused(viewing.Say("fault.importCut"), viewing.Say("hint.importGoesOn"))
		case err != nil:
			return err
		case *asJSON:
			return p.stdout.JSON(did)
		case did.New() == 0:
			p.stdout.Say("cli.move.none", "from", m.From, "to", m.To)
		default:
			p.stdout.Say("cli.move.did", "n", did.New(), "to", m.To)
		}
		return nil
	}
	return c
}

// moveAgreed shows what a move would do, and asks a person. It is done where nothing is to be
// moved, or not now.
func (p *program) moveAgreed(ctx context.Context, m control.HistoryMove, would *control.HistoryMoved, move func(control.HistoryMove) error, asJSON bool) (done bool, err error) {
	preview := m
	preview.DryRun = true
	if err := move(preview); err != nil {
		return true, err
	}
	n, to := would.New(), m.To
	switch {
	case asJSON && (m.DryRun || n == 0):
		return true, p.stdout.JSON(would)
	case asJSON:
	case n == 0:
		p.stdout.Say("cli.move.none", "from", m.From, "to", to)
		return true, nil
	default:
		p.stdout.Say("cli.move.would", "n", n, "from", m.From, "to", to)
		for _, count := range []struct {
			key string
			n   int
		}{{"films", would.Films}, {"episodes", would.Episodes}, {"watchlist", would.Watchlist}, {"lists", would.Lists}, {"known", would.Known}, {"atService", would.AtService}} {
			if count.n > 0 {
				p.stdout.Printf("  %s\n", p.stdout.Speech().Say("cli.move."+count.key, "n", count.n, "to", to))
			}
		}
		if !would.Readable {
			p.stdout.Say("cli.unreadable", "account", to, "why", p.stdout.Speech().Message(would.Reason))
		}
		if would.SendSeconds > 0 {
			p.stdout.Say("cli.move.time", "time", time.Duration(would.SendSeconds)*time.Second)
		}
	}
	switch {
	case m.DryRun:
		return true, nil
	case asJSON || !terminal.IsTerminal(p.stdin):
		return true, mistake("usage.agreeMove", "n", strconv.Itoa(n), "account", to).next(viewing.Say("hint.agree"))
	case !p.stderr.Agreed(ctx, p.stdin, p.stdout.Speech().Say("cli.move.sure", "n", n, "to", to)):
		return true, viewing.Say("fault.notAgreed")
	}
	return false, nil
}
