package replay

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/viewing"
)

type keepsDoubts = Doubts

// unwritable keeps doubts as the queue does, but may refuse to write what a read-back
// has found, or to read what it needs.
type unwritable struct {
	keepsDoubts
	full atomic.Bool
	what string
	hits atomic.Int64
}

func (u *unwritable) fails(what string) error {
	if what != u.what || !u.full.Load() {
		return nil
	}
	u.hits.Add(1)
	return errDisk
}

func (u *unwritable) RecordReadBack(ctx context.Context, m queue.ReadBack) error {
	if err := u.fails("resolve"); err != nil {
		return err
	}
	return u.keepsDoubts.RecordReadBack(ctx, m)
}

func (u *unwritable) Claims(ctx context.Context, account string, keys []string) ([]queue.Entry, error) {
	if err := u.fails("claims"); err != nil {
		return nil, err
	}
	return u.keepsDoubts.Claims(ctx, account, keys)
}

func (u *unwritable) Answered(ctx context.Context, account string, since time.Time, n int) ([]entry.Sent, error) {
	if err := u.fails("answered"); err != nil {
		return nil, err
	}
	return u.keepsDoubts.Answered(ctx, account, since, n)
}

func (u *unwritable) NextReadBack(ctx context.Context, account string) (time.Time, bool, error) {
	if err := u.fails("plan"); err != nil {
		return time.Time{}, false, err
	}
	return u.keepsDoubts.NextReadBack(ctx, account)
}

func (u *unwritable) WatchedSince(ctx context.Context, account string, m viewing.Media, since time.Time) (bool, error) {
	if err := u.fails("watched"); err != nil {
		return false, err
	}
	return u.keepsDoubts.WatchedSince(ctx, account, m, since)
}

// TestLookThatCannotBeKeptIsTakenAgain: whatever fails on our own disk while the
// service is read back, the user is told, nothing is decided, and it is mended
// once the disk is well.
func TestLookThatCannotBeKeptIsTakenAgain(t *testing.T) {
	film := ago(1, 26*time.Hour)
	for name, c := range map[string]struct {
		what, path   string
		v            viewing.Event
		contractOnly bool
	}{
		"viewing":            {"resolve", "POST /history", film, false},
		"viewing, unread":    {"resolve", "POST /history", film, true},
		"its claims":         {"claims", "POST /history", film, false},
		"what was answered":  {"answered", "POST /history", film, false},
		"the plan":           {"plan", "POST /history", film, false},
		"wish":               {"resolve", "POST /watchlist", wish(1), false},
		"wish, watched":      {"watched", "POST /watchlist", wish(1), true},
		"list":               {"resolve", "POST /lists", listNamed("Noir"), false},
		"list, unread":       {"resolve", "POST /lists", listNamed("Noir"), true},
		"by another's key":   {"resolve", "POST /history", film, false},
		"with the same key":  {"resolve", "POST /history", film, false},
		"a setting's resend": {"resolve", "POST /history", film, true},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unwritable{what: c.what}
			inBed(t, c.contractOnly, func(o *Options) {
				u.keepsDoubts, o.Doubts = o.Doubts, u
				o.Idempotent = name == "with the same key"
				if name == "a setting's resend" {
					o.InDoubt = doubt.Resend
				}
			}, func(b *bed) {
				b.armAt(c.path, "drop-after", 1)
				u.full.Store(true)
				c.v.WatchedAt = viewing.Instant{}
				if c.v.Kind == viewing.KindViewing {
					c.v.WatchedAt = viewing.At(time.Now().Add(-26 * time.Hour))
				}
				b.commit(c.v)
				if name == "by another's key" {
					b.pass(time.Second)
					err := b.store.UpdateAccount(b.Context(), "default", func(a *account.Row) { a.MovedAt = time.Now() })
					if err != nil {
						b.Fatal(err)
					}
				}
				b.pass(6 * time.Minute)
				if n := u.hits.Load(); n < 2 || n > 1000 { // it backs off, to at most a minute
					b.Fatalf("%d refusals", n)
				}
				if h := b.loop.Health(); h.State != account.Attention && c.what != "plan" || b.entry(1).State != viewing.StateInDoubt {
					b.Fatalf("health %+v after %d refusals, entry is %s", h, u.hits.Load(), b.entry(1).State)
				}
				u.full.Store(false)
				before := len(b.said(1))
				b.pass(15 * time.Minute)
				if h := b.loop.Health(); h.State != account.OK || len(b.said(1)) == before {
					b.Errorf("health %+v, entry is %s: %q", h, b.entry(1).State, b.said(1))
				}
			})
		})
	}
}

// TestItemInDoubtThatCannotBeKept is that for an item of a list: what needs no
// reading is settled anew once the disk is well.
func TestItemInDoubtThatCannotBeKept(t *testing.T) {
	for name, c := range map[string]struct {
		idempotent bool
		says       string
	}{
		"with the same key": {true, "same Idempotency-Key"},
		"by the setting":    {false, "does not show what is on its lists"},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unwritable{what: "resolve"}
			inBed(t, false, func(o *Options) {
				u.keepsDoubts, o.Doubts = o.Doubts, u
				o.Idempotent, o.InDoubt = c.idempotent, doubt.Assume
			}, func(b *bed) {
				b.commit(listNamed("Noir"))
				b.pass(time.Minute)
				b.armAt(itemsPath, "drop-after", 1)
				u.full.Store(true)
				b.commit(onList(1, 603))
				b.pass(6 * time.Minute)
				if h := b.loop.Health(); h.State != account.Attention || b.entry(2).State != viewing.StateInDoubt {
					b.Fatalf("health %+v after %d refusals, item is %s", h, u.hits.Load(), b.entry(2).State)
				}
				u.full.Store(false)
				b.pass(15 * time.Minute)
				b.ends(2, viewing.StateDelivered, c.says)
				if h := b.loop.Health(); h.State != account.OK {
					b.Errorf("health %+v", h)
				}
			})
		})
	}
}
