package doubt

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Anchor is a viewing that the service has answered with success, and what a
// complete reading shows of its item.
type Anchor struct {
	Media   viewing.Media
	Watched time.Time   // its time, as it was sent
	Sent    time.Time   // when it was sent, by this machine's clock
	Shown   []time.Time // the item's records
}

// live is how close to its end a viewing may be sent for the time of arrival
// to pass for its own.
const live = 2 * time.Minute

// Learn is how a service keeps times: the coarsest way that explains all
// anchors that are shown, and [Unknown] when none is. A viewing at a whole
// minute cannot tell seconds from minutes; one that was sent the moment it
// ended cannot tell its time from that of its arrival. Others can.
func Learn(anchors []Anchor) Precision {
	fits, shown := -1, 0
	for _, a := range anchors {
		if len(a.Shown) > 0 { // else it was taken away since
			fits &= a.fits()
			shown++
		}
	}
	if shown == 0 {
		return Unknown
	}
	way := Arrival // also when they contradict each other
	for i, w := range ways() {
		if fits&(1<<i) != 0 {
			way = w
		}
	}
	if way == Day && shown == 1 {
		return Unknown // one that merely arrived at a whole quarter would look the same
	}
	return way
}

// ways are the precisions that can be learned, the finest first.
func ways() [4]Precision { return [...]Precision{Exact, Minute, Day, Arrival} }

// fits is the ways that explain the anchor, as a set of bits. Of several
// records of its item the one that is closest is taken for it.
func (a Anchor) fits() int {
	closest := a.Shown[0]
	for _, t := range a.Shown {
		if t.Sub(a.Watched).Abs() < closest.Sub(a.Watched).Abs() {
			closest = t
		}
	}
	set := 0
	for i, way := range ways() {
		if a.explains(way, closest) {
			set |= 1 << i
		}
	}
	return set
}

func (a Anchor) explains(way Precision, shown time.Time) bool {
	switch way {
	case Exact:
		return Exact.Same(shown, a.Watched)
	case Minute:
		return whole(shown, time.Minute) && Minute.Same(shown, a.Watched)
	case Day:
		// A day's begin or noon in some zone; zones are quarters of an hour apart.
		return whole(shown, 15*time.Minute) && Day.Same(shown, a.Watched)
	default:
		// That the milliseconds agree, or all is round, is no accident.
		agree := shown.Equal(a.Watched) && !whole(shown, time.Second)
		near := Minute.Same(shown, a.Watched)
		return !agree && (near && a.Sent.Sub(a.Watched).Abs() < live || !near && !whole(shown, 15*time.Minute))
	}
}

func whole(t time.Time, unit time.Duration) bool { return t.UTC().Truncate(unit).Equal(t) }
