package rule

import "time"

// Guard watches over a library that has suddenly lost most of what was
// watched: add-ons of media servers empty a library and fill it again. Counts
// that fall meanwhile are frozen: coming back is then no viewing.
type Guard struct {
	On      bool  `json:"on,omitempty"`
	Before  int   `json:"before,omitempty"`  // files with a count before
	Now     int   `json:"now,omitempty"`     // and at the last reading
	Changed int64 `json:"changed,omitempty"` // when that last changed, UTC ms
}

// A fall of fewer files is no wipe: it is a person who tidies up.
const wipeAtLeast = 10

// wipePatience is how long a wiped library must rest to be believed.
const wipePatience = 24 * time.Hour

// watchForWipe sets and lifts the guard.
func (r *reading) watchForWipe() {
	before, now := r.known.Meta.Watched, r.Meta.Watched
	g := &r.Meta.Guard
	switch {
	case !g.On && before-now >= wipeAtLeast && now*2 < before:
		*g = Guard{On: true, Before: before, Now: now, Changed: r.now.UnixMilli()}
	case g.On && now != g.Now:
		g.Now, g.Changed = now, r.now.UnixMilli()
	}
	due := time.UnixMilli(g.Changed).Add(wipePatience)
	switch {
	case !g.On:
	case now*2 >= g.Before || !r.now.Before(due):
		*g = Guard{}
	default:
		r.silent = true
		r.wakeAt(due)
	}
}
