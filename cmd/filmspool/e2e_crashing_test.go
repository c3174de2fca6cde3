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

// crashAt is an environment variable "step:n" for the program under test: it kills itself when it
// reaches this step of the loop for the nth time.
const crashAt = "FILMSPOOL_TEST_CRASH_AT"

// quickReadBack is an environment variable that makes the program under test read the history
// back after a second instead of minutes.
const quickReadBack = "FILMSPOOL_TEST_QUICK_READ_BACK"

// crashSteps returns the steps in order: before and after an entry is marked as sending, and
// before its answer is stored.
func crashSteps() []string {
	return []string{string(replay.StepMark), string(replay.StepMarked), string(replay.StepSettle)}
}

// underTest is main with crashAt and quickReadBack.
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
