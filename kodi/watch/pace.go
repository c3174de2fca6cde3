package watch

import "time"

// pacer decides when a run of hints has settled: after a quiet time, or at
// the ceiling when the hints do not stop.
type pacer struct {
	quiet, ceiling time.Duration
	timer          *time.Timer
	first          time.Time // of this run of hints; zero when none waits
	fired          bool
}

func newPacer(quiet, ceiling time.Duration) *pacer {
	p := &pacer{quiet: quiet, ceiling: ceiling, timer: time.NewTimer(quiet)}
	p.timer.Stop()
	return p
}

// hint says that something changed just now. At the ceiling it is due at
// once: setting the timer again and again could starve it.
func (p *pacer) hint() {
	if p.first.IsZero() {
		p.first = time.Now()
	}
	left := p.ceiling - time.Since(p.first)
	if left <= 0 {
		p.fired = true
		return
	}
	p.timer.Reset(min(p.quiet, left))
}

// C delivers when the quiet time or the ceiling has passed; then call fire.
func (p *pacer) C() <-chan time.Time { return p.timer.C }

func (p *pacer) fire()       { p.fired = true }
func (p *pacer) armed() bool { return !p.first.IsZero() }
func (p *pacer) due() bool   { return p.fired }

// reset forgets the hints so far.
func (p *pacer) reset() {
	p.timer.Stop()
	p.first, p.fired = time.Time{}, false
}

func (p *pacer) stop() { p.timer.Stop() }
