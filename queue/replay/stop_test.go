package replay

import (
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A request in progress gets five seconds for its response. After that the entry is in
// doubt.
func TestStopWaitsFiveSecondsForAResponse(t *testing.T) {
	for name, c := range map[string]struct {
		delay, takes time.Duration
		state        viewing.State
	}{
		"answered": {4 * time.Second, 4 * time.Second, viewing.StateDelivered},
		"cut off":  {time.Minute, stopGrace, viewing.StateInDoubt},
	} {
		t.Run(name, func(t *testing.T) {
			withScript(t, nil, func(b *fixture) {
				b.script.set(func() { b.script.delay = c.delay })
				b.watch(1, 2)
				began := time.Now()
				b.stop()
				if took := time.Since(began); took != c.takes {
					b.Errorf("stopping took %s, want %s", took, c.takes)
				}
				b.expectState(1, c.state, 1)
				b.expectState(2, viewing.StatePending, 0)
			})
		})
	}
}

func TestStopWhileMarkingSendsNothing(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.disk.markSlowly(time.Second)
		b.watch(1)
		b.stop()
		b.expectState(1, viewing.StatePending, 0)
		if n, _ := b.script.requestCounts(); n != 0 {
			b.Errorf("%d sends", n)
		}
	})
}

func TestPauseDuringStopIsSaved(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.answerAll(refused)
		b.script.set(func() { b.script.delay = time.Second })
		b.watch(1)
		b.stop()
		if reason := b.accountRow().Pause.Reason; reason != account.PausedKey || b.counts().Pending != 1 {
			b.Errorf("paused %q, %+v", reason, b.counts())
		}
	})
}

// An entry that cannot be marked as sending is not sent.
func TestFullDiskSendsNothing(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.disk.fail(StepMark)
		b.watch(1, 2, 3)
		b.advance(time.Hour)
		calls, _ := b.disk.counts()
		if n, _ := b.script.requestCounts(); n != 0 || calls > 500 {
			b.Fatalf("%d requests, %d calls to a full disk in an hour", n, calls)
		}
		if h := b.loop.Health(); h.State != account.Attention || !strings.Contains(h.Reason.Error(), errDisk.Error()) || h.Hint.Code == "" {
			b.Errorf("health %+v", h)
		}
		b.disk.fail()
		b.advance(diskCap)
		if n := b.counts().Delivered; n != 3 {
			b.Errorf("%d delivered after a minute", n)
		}
		b.expectHealth(account.OK)
	})
}

// A failed write of a result is repeated; meanwhile nothing is sent.
func TestUnsavedResultIsWrittenBeforeTheNextSend(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.disk.fail(StepSettle)
		b.watch(1)
		b.watch(2)
		b.advance(time.Hour)
		if n, _ := b.script.requestCounts(); n != 1 {
			b.Fatalf("%d sends while a result is not written", n)
		}
		b.expectHealth(account.Attention)
		b.disk.fail()
		b.advance(diskCap)
		b.expectState(1, viewing.StateDelivered, 1)
		b.expectState(2, viewing.StateDelivered, 1)
		b.expectHealth(account.OK)
	})
}

func TestUnsavedPauseStopsSending(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.answerAll(refused)
		b.disk.fail(StepSave)
		b.watch(1)
		b.watch(2)
		b.advance(time.Hour)
		if n, _ := b.script.requestCounts(); n != 1 {
			b.Fatalf("%d sends", n)
		}
		b.expectHealth(account.Attention)
		b.disk.fail()
		b.advance(diskCap)
		if reason := b.accountRow().Pause.Reason; reason != account.PausedKey {
			b.Errorf("paused %q", reason)
		}
	})
}

// If a decision about an entry in doubt cannot be written, the health reports it, the entry
// stays in doubt, and it is read back again once the disk works.
func TestUnsavedReadBackIsRepeated(t *testing.T) {
	withSandbox(t, false, func(o *Options) { o.InDoubt = doubt.Resend }, func(b *fixture) {
		b.armHistoryFault("drop-after", 1)
		b.commit(filmAgo(1, 26*time.Hour))
		b.advance(time.Second)
		b.disk.fail(StepSave)
		b.advance(6 * time.Minute)
		_, hits := b.disk.counts()
		if hits < 2 || hits > 1000 || b.entry(1).State != viewing.StateInDoubt { // it backs off, to at most a minute
			b.Fatalf("%d refusals, entry is %s", hits, b.entry(1).State)
		}
		b.expectHealth(account.Attention)
		b.disk.fail()
		b.advance(15 * time.Minute)
		b.expectHealth(account.OK)
		b.expectState(1, viewing.StateDelivered, 1)
	})
}
