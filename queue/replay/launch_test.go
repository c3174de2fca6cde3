package replay

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// marking counts the entries that are to be marked as sending.
type marking struct {
	*memory
	marks atomic.Int64
}

func (m *marking) Sending(ctx context.Context, e queue.Entry) (int64, error) {
	m.marks.Add(1)
	return m.memory.Sending(ctx, e)
}

// An entry of which no request can be made is held. It is not marked, nothing is
// sent, and that is no trouble with the outbox.
func TestEntryWithoutARequestIsHeld(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		outbox := &marking{memory: m}
		l := newLoop(t, outbox, s)
		start(t, l)
		id := m.add(0)
		synctest.Wait()
		if e := m.entry(id); e.State != viewing.StateHeld || e.Reason != viewing.ReasonUnresolved {
			t.Errorf("entry is %s (%s)", e.State, e.Reason)
		}
		if n, _ := s.seen(); n != 0 || outbox.marks.Load() != 0 || l.Health().State != account.OK {
			t.Errorf("%d sends, %d marks, health %+v", n, outbox.marks.Load(), l.Health())
		}
		m.add(1)
		synctest.Wait()
		if n, _ := s.seen(); n != 1 || outbox.marks.Load() != 1 {
			t.Errorf("%d sends, %d marks of what can be sent", n, outbox.marks.Load())
		}
	})
}

// forgetful is an outbox that at times cannot read the account's row.
type forgetful struct {
	*memory
	fails atomic.Bool
}

func (f *forgetful) Account(ctx context.Context, name string) (account.Row, error) {
	if f.fails.Load() {
		return account.Row{}, errDisk
	}
	return f.memory.Account(ctx, name)
}

// Whether the service takes items stands in the account's row. One that cannot
// be read is trouble with the outbox, and the item waits for its end.
func TestItemWaitsWhileTheRowCannotBeRead(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, s *remote) {
		outbox := &forgetful{memory: m}
		l := newLoop(t, outbox, s)
		start(t, l)
		synctest.Wait()
		outbox.fails.Store(true)
		m.set(func(m *memory) {
			e := m.make(1)
			e.Kind, e.ListID = viewing.KindListItem, "noir"
			m.nudge()
		})
		synctest.Wait()
		if n, _ := s.seen(); n != 0 || l.Health().State != account.Attention {
			t.Errorf("%d sends, health %+v", n, l.Health())
		}
		outbox.fails.Store(false)
		time.Sleep(storageCap)
		synctest.Wait()
		if e := m.entry(1); e.State != viewing.StateDelivered || l.Health().State != account.OK {
			t.Errorf("entry is %s, health %+v", e.State, l.Health())
		}
	})
}
