package watch

import (
	"reflect"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Ears is how changes are heard of.
type Ears struct {
	Deaf viewing.Message // why changes are found by looking alone; none when events tell of them
	// Limit is the sysctl that allows no more watches, if that is why.
	Limit string
}

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
		l.tell(Ears{Deaf: viewing.Say("deafSilent")})
	}
	l.heard, l.found = false, false
}

// distance is what is to be expected of the folder that is listened to.
func (l *loop) distance() Ears {
	if l.target != l.o.Dir {
		return Ears{}
	}
	if drive := l.far(l.o.Dir); drive != "" {
		return Ears{Deaf: viewing.Say("deafDrive", "name", drive)}
	}
	return Ears{}
}

// tell tells of ears that have changed.
func (l *loop) tell(e Ears) {
	if l.o.Ears != nil && !reflect.DeepEqual(e, l.told) {
		l.o.Ears(e)
	}
	l.told = e
}
