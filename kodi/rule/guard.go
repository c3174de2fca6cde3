package rule

import "time"

// Guard is on while a library has suddenly lost most of its play counts: add-ons of media
// servers empty a library and fill it again. Counts that fall meanwhile are frozen, so their
// return makes no viewing.
type Guard struct {
	On      bool  `json:"on,omitempty"`
	Before  int   `json:"before,omitempty"`  // files with a play count before the loss
	Now     int   `json:"now,omitempty"`     // files with a play count at the last read
	Changed int64 `json:"changed,omitempty"` // when Now last changed, UTC ms
}

// minWipe is how many files must lose their count to turn the guard on. Fewer are the user's edits.
const minWipe = 10

// wipeTimeout is how long a wiped library must stay unchanged until its counts are accepted.
const wipeTimeout = 24 * time.Hour

// updateGuard turns the guard on and off.
func (r *reading) updateGuard() {
	before, now := r.memory.Meta.Watched, r.Meta.Watched
	g := &r.Meta.Guard
	switch {
	case !g.On && before-now >= minWipe && now*2 < before:
		*g = Guard{On: true, Before: before, Now: now, Changed: r.now.UnixMilli()}
	case g.On && now != g.Now:
		g.Now, g.Changed = now, r.now.UnixMilli()
	}
	due := time.UnixMilli(g.Changed).Add(wipeTimeout)
	switch {
	case !g.On:
	case now*2 >= g.Before || !r.now.Before(due):
		*g = Guard{}
	default:
		r.freezeFalls = true
		r.wakeAt(due)
	}
}
