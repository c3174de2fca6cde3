package nudge

import "time"

// jump is how far the clocks must part to count.
const jump = time.Minute

// reading is one look at both clocks.
type reading struct {
	wall time.Time // as the user sees it, and may set it
	mono time.Time // with the clock that is never set
}

// read looks at the clocks of this machine.
func read() reading {
	now := time.Now()
	return reading{wall: now.Round(0), mono: now}
}

// jumped reports whether more than a minute has come or gone since was that a
// program could not see pass: the wall clock was set, or moved on while the
// other stood still in the machine's sleep. Where that one goes on in sleep,
// as on Windows, it shows in a look that comes far too late.
func (r reading) jumped(was reading) bool {
	wall, mono := r.wall.Sub(was.wall), r.mono.Sub(was.mono)
	apart := wall - mono
	return apart > jump || apart < -jump || mono-lookEvery > jump
}
