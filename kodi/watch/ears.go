package watch

import "errors"

// Ears is how changes are heard of.
type Ears struct {
	Deaf string // why changes are found by looking alone, a clause; "" when events tell of them
	Hint string // what would help; "" for nothing
}

// errSilent: the self-test has failed. Each change that the poll finds should
// have sent an event before.
var errSilent = errors.New("changes were found that no event told of")

// manySilent is how many changes in a row without an event are no accident.
const manySilent = 2

// judge looks, when a change has settled, whether an event told of it. The
// quiet time before was long enough for one to come.
func (l *loop) judge() {
	switch {
	case l.heard:
		l.quiet = 0
	case l.found:
		l.quiet++
	}
	if l.quiet == manySilent {
		l.o.Logger.Warn("events of a folder do not come, only looking at it now and then", "dir", l.o.Dir, "every", l.o.Poll)
		l.tell(Ears{Deaf: errSilent.Error()})
	}
	l.heard, l.found = false, false
}

// distance is what is to be expected of the folder that is listened to.
func (l *loop) distance() Ears {
	if l.target != l.o.Dir {
		return Ears{}
	}
	if why := l.far(l.o.Dir); why != "" {
		return Ears{Deaf: why}
	}
	return Ears{}
}

// tell tells of ears that have changed.
func (l *loop) tell(e Ears) {
	if l.o.Ears != nil && e != l.told {
		l.o.Ears(e)
	}
	l.told = e
}
