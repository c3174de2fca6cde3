package daemon

import (
	"context"
	"sync"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
)

// maxNews is how many changes one answer tells.
const maxNews = 100

// Watch implements [control.API]. Nothing wakes while nothing is new.
func (c *api) Watch(ctx context.Context, q control.Watch) (control.News, error) {
	nudges, stop := c.d.changes()
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return control.News{}, ctx.Err()
		case <-c.d.ends:
			return control.News{}, control.NotRunning("")
		case <-nudges:
		}
		news, err := c.d.news(ctx, q)
		if err != nil || q.After < 0 || len(news.Entries) > 0 || news.Summary != q.Summary {
			return news, err
		}
	}
}

// news is what is new now.
func (d *Daemon) news(ctx context.Context, q control.Watch) (control.News, error) {
	changes, last := d.store.ChangesSince(q.After)
	if q.After < 0 {
		q.After, changes = last, nil
	}
	before := last - int64(len(changes))
	changes = changes[:min(len(changes), maxNews)]
	news := control.News{Last: before + int64(len(changes)), Missed: before - q.After, Entries: []entry.Entry{}}
	for _, change := range changes {
		found, err := d.store.Entries(ctx, entry.Filter{UpTo: change.Entry, Limit: 1})
		if err != nil {
			return news, err
		}
		if len(found) == 0 || found[0].ID != change.Entry {
			continue // it was trimmed
		}
		e := found[0]
		if e.State != change.State { // it has gone on
			e.State, e.Reason = change.State, ""
		}
		news.Entries = append(news.Entries, e)
	}
	s, err := (&api{d: d}).Status(ctx)
	news.State, news.Summary, news.Hint = s.State, s.Summary, s.Hint
	return news, err
}

// changes gives a channel of one slot that is nudged when the queue or an account
// has changed, and a function that ends that.
func (d *Daemon) changes() (<-chan struct{}, func()) {
	out := make(chan struct{}, 1)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.onNews(ctx, func() {
			select {
			case out <- struct{}{}:
			default:
			}
		})
	}()
	return out, func() { stop(); <-done }
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
