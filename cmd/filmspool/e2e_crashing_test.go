package main

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/replay/doubt"
)

// crashAt, in the environment of the program under test, is step:n: it kills
// itself when it comes to that step of the loop for the n-th time.
const crashAt = "FILMSPOOL_TEST_CRASH_AT"

// quickReadBack, in the environment of the program under test, has it read back
// what is in doubt after a second instead of minutes.
const quickReadBack = "FILMSPOOL_TEST_QUICK_READ_BACK"

// crashSteps are the steps in their order: before and after an entry is marked as
// sending, before its answer is written down.
func crashSteps() []string {
	return []string{string(replay.StepMark), string(replay.StepMarked), string(replay.StepSettle)}
}

// underTest is main, and does what crashAt and quickReadBack ask.
func underTest() {
	p := &program{loop: func(o *replay.Options) {
		if os.Getenv(quickReadBack) != "" {
			o.Waits = doubt.Waits{First: time.Second, Between: 200 * time.Millisecond}
		}
		step, times, ok := strings.Cut(os.Getenv(crashAt), ":")
		if n, err := strconv.ParseInt(times, 10, 64); ok && err == nil {
			var left atomic.Int64
			left.Store(n)
			o.Step = func(s replay.Step) error {
				if string(s) == step && left.Add(-1) == 0 {
					killSelf()
				}
				return nil
			}
		}
	}}
	p.main()
}

// killSelf kills the process.
func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}
