package main

import (
	"context"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

// move queues the history of one account for another one as well, after a preview.
func (p *program) move(ctx context.Context, _ []string) error {
	m := control.HistoryMove{From: p.given.from, To: p.given.to, DryRun: p.given.dryRun || !p.given.yes}
	if m.From == "" || m.To == "" {
		return mistake("usage.accounts").next(control.Command("filmspool move --from NAME --to NAME"))
	}
	return p.instance(ctx, daemon.OfflineExisting, func(ctl control.API) error {
		did, err := ctl.MoveHistory(ctx, m)
		decided := p.given.yes || p.given.dryRun
		switch {
		case err != nil:
			return misuse(err)
		case decided && p.given.json:
			return p.stdout.JSON(did)
		case decided || did.New() == 0:
			p.sayMoved(did)
			return nil
		case p.given.json || !terminal.IsTerminal(p.stdin):
			return mistake("usage.agreeMove", "n", strconv.Itoa(did.New()), "account", m.To).next(viewing.Say("hint.agree"))
		}
		p.sayMoved(did)
		if !p.confirm(ctx, "cli.move.sure", "n", did.New(), "to", m.To) {
			return viewing.Say("fault.notAgreed")
		}
		m.DryRun = false
		if did, err = ctl.MoveHistory(ctx, m); err == nil {
			p.sayMoved(did)
		}
		return err
	})
}

// sayMoved prints what a move did, or would do.
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
	p.sayCount("cli.move.films", did.Films)
	p.sayCount("cli.move.episodes", did.Episodes)
	p.sayCount("cli.move.watchlist", did.Watchlist)
	p.sayCount("cli.move.lists", did.Lists)
	p.sayCount("cli.move.known", did.Known, "to", to)
	p.sayCount("cli.move.atService", did.AtService)
	p.sayUnread([]control.KodiService{{Account: to, Readable: did.Readable, Reason: did.Reason}})
	if did.SendSeconds > 0 {
		p.stdout.Say("cli.move.time", "time", time.Duration(did.SendSeconds)*time.Second)
	}
}
