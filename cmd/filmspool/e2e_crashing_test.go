package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/viewing"
)

// crashAt, in the environment of the program under test, is step:n: it kills
// itself when it comes to that step for the n-th time. The steps are those
// between a lease and the settlement, as the outbox sees them.
const crashAt = "FILMSPOOL_TEST_CRASH_AT"

// quickReadBack, in the environment of the program under test, has it read back
// what is in doubt after a second instead of minutes.
const quickReadBack = "FILMSPOOL_TEST_QUICK_READ_BACK"

// crashSteps are the steps in their order: after leasing, before and after an
// entry is marked as sending, before and after its answer is written down.
func crashSteps() []string { return []string{"leased", "marking", "marked", "settling", "settled"} }

// underTest is main, and does what crashAt and quickReadBack ask.
func underTest() {
	p := &program{loop: func(o *replay.Options) {
		if os.Getenv(quickReadBack) != "" {
			o.Waits = doubt.Waits{First: time.Second, Between: 200 * time.Millisecond}
		}
		step, times, ok := strings.Cut(os.Getenv(crashAt), ":")
		if n, err := strconv.ParseInt(times, 10, 64); ok && err == nil {
			m := &crashingOutbox{Outbox: o.Outbox, step: step}
			m.left.Store(n)
			o.Outbox = m
		}
	}}
	p.main()
}

// crashingOutbox kills the process at a step.
type crashingOutbox struct {
	replay.Outbox
	step string
	left atomic.Int64
}

// reach kills the process if this is the step.
func (m *crashingOutbox) reach(step string) {
	if step != m.step || m.left.Add(-1) != 0 {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

func (m *crashingOutbox) Lease(ctx context.Context, account string, n int, ttl time.Duration, lanes ...viewing.Lane) ([]queue.Entry, error) {
	entries, err := m.Outbox.Lease(ctx, account, n, ttl, lanes...)
	if len(entries) > 0 {
		m.reach("leased")
	}
	return entries, err
}

func (m *crashingOutbox) Sending(ctx context.Context, e queue.Entry) (int64, error) {
	m.reach("marking")
	attempt, err := m.Outbox.Sending(ctx, e)
	m.reach("marked")
	return attempt, err
}

func (m *crashingOutbox) Settle(ctx context.Context, s queue.Settlement) error {
	m.reach("settling")
	err := m.Outbox.Settle(ctx, s)
	m.reach("settled")
	return err
}
