package daemon

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/viewing"
)

// MoveHistory implements [control.API].
func (d *core) MoveHistory(ctx context.Context, m control.HistoryMove) (did control.HistoryMoved, err error) {
	defer d.startJob()()
	did.HistoryMove = m
	if err := d.knownAccount(m.To); err != nil {
		return did, err
	}
	if m.From == m.To {
		return did, control.Invalid(viewing.Say("fault.sameAccount"), viewing.Message{})
	}
	var history *replay.History
	if m.DryRun {
		if history, err = d.history(ctx, m.To); err != nil {
			did.Reason = historyProblem(err)
		}
		did.Readable = err == nil
	}
	err = d.store.CopyHistory(ctx, m.From, m.To, m.DryRun, func(e queue.Entry, known bool) {
		switch {
		case known:
			did.Known++
		case e.Kind == viewing.KindWatchlist:
			did.Watchlist++
		case e.Kind != viewing.KindViewing:
			did.Lists++
		case e.Media.Type == viewing.Movie:
			did.Films++
		default:
			did.Episodes++
		}
		if !known && history != nil && e.Kind == viewing.KindViewing && history.Has(*e.Media, e.WatchedAt.Instant, time.Duration(e.Minutes)*time.Minute) {
			did.AtService++
		}
	})
	if err == nil && did.New()+did.Known == 0 {
		err = d.knownAccount(m.From) // what an earlier account had can be moved, too
	}
	did.SendSeconds = d.sendSeconds(did.New() - did.AtService)
	return did, err
}
