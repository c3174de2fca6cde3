package daemon

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// watched is a daemon whose queue runs and that sends nothing.
func watched(t *testing.T, work func(context.Context, *Daemon, control.API)) {
	t.Helper()
	d, err := New(t.Context(), testOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.withQueue(t.Context(), func(ctx context.Context) error {
		work(ctx, d, d.Control())
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestNewsComeInTheirOrder: what came before is not told, then each change once, in
// the state that was come into.
func TestNewsComeInTheirOrder(t *testing.T) {
	watched(t, func(ctx context.Context, d *Daemon, ctl control.API) {
		addFilm(t, d, "before")
		first, err := ctl.Watch(ctx, control.Watch{After: -1})
		if err != nil || len(first.Entries) > 0 || first.Missed != 0 || first.Last != 1 || first.Summary == "" {
			t.Fatalf("%+v, %v", first, err)
		}
		addFilm(t, d, "e")
		if _, err := ctl.Operate(ctx, control.Order{Verb: control.Hold, Selection: entry.Selection{IDs: []int64{2}}}); err != nil {
			t.Fatal(err)
		}
		news, err := ctl.Watch(ctx, control.Watch{After: first.Last, Summary: first.Summary})
		if err != nil || len(news.Entries) != 2 || news.Last != 3 || news.Missed != 0 {
			t.Fatalf("%+v, %v", news, err)
		}
		for i, want := range []struct {
			state  viewing.State
			reason string
		}{{viewing.StatePending, ""}, {viewing.StateHeld, "user"}} {
			if e := news.Entries[i]; e.ID != 2 || e.State != want.state || e.Reason != want.reason {
				t.Errorf("change %d: %+v, want %v", i, e, want)
			}
		}
		for n := range maxNews + 1 {
			addFilm(t, d, strconv.Itoa(n))
		}
		some, err := ctl.Watch(ctx, control.Watch{After: news.Last})
		if err != nil || len(some.Entries) != maxNews || some.Last != news.Last+maxNews || some.Missed != 0 {
			t.Errorf("%d entries up to %d, %d missed, %v", len(some.Entries), some.Last, some.Missed, err)
		}
		if rest, err := ctl.Watch(ctx, control.Watch{After: some.Last}); err != nil || len(rest.Entries) != 1 {
			t.Errorf("%d entries, %v", len(rest.Entries), err)
		}
	})
}

// TestAWatchSleepsUntilThereIsNews: an entry, another sentence, the daemon's end, or
// that nobody listens any more.
func TestAWatchSleepsUntilThereIsNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watched(t, func(ctx context.Context, d *Daemon, ctl control.API) {
			ends := make(chan struct{})
			d.ends = ends
			news, err := ctl.Watch(ctx, control.Watch{After: -1})
			if err != nil {
				t.Fatal(err)
			}
			old := control.Watch{After: news.Last, Summary: "as it was"}
			if news, err = ctl.Watch(ctx, old); err != nil || news.Summary == old.Summary {
				t.Errorf("another sentence: %+v, %v", news, err)
			}
			var told bool
			sleeps := func(ctx context.Context) {
				told = false
				known := control.Watch{After: news.Last, Summary: news.Summary}
				go func() {
					news, err = ctl.Watch(ctx, known)
					told = true
				}()
				if synctest.Wait(); told {
					t.Fatalf("nothing was new, and it was told: %+v, %v", news, err)
				}
			}
			listens, leave := context.WithCancel(ctx)
			sleeps(listens)
			leave()
			if synctest.Wait(); !errors.Is(err, context.Canceled) {
				t.Errorf("who listens no more was told %v", err)
			}
			news, err = ctl.Watch(ctx, control.Watch{After: -1})
			sleeps(ctx)
			addFilm(t, d, "e")
			if synctest.Wait(); !told || err != nil || len(news.Entries) != 1 {
				t.Errorf("a new entry: %+v, %v", news, err)
			}
			sleeps(ctx)
			close(ends)
			if synctest.Wait(); !errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) {
				t.Errorf("at the end it was told %v", err)
			}
		})
	})
}
