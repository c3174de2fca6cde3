package doubt

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Setting is what becomes of an entry in doubt that reading back cannot settle.
type Setting string

// The settings.
const (
	Hold   Setting = "hold"      // it waits for the user
	Resend Setting = "resend"    // it is sent again, and may be recorded twice
	Assume Setting = "delivered" // it is taken to have arrived, and may be lost
)

// Valid reports whether s is one of the settings.
func (s Setting) Valid() bool { return s == Hold || s == Resend || s == Assume }

const (
	resendFirst = 30 * time.Second    // before the first resend with the same Idempotency-Key
	resendLast  = 15 * time.Minute    // the longest wait before another one
	resendFor   = 12 * time.Hour      // how long a service is trusted to remember a key
	readFor     = 30 * 24 * time.Hour // how long an entry is read back that the user must settle
	maxResends  = 3                   // requests of an entry that may each be recorded
	maxWishes   = 8                   // how often a wish is repeated by itself
	listLooks   = 5                   // how often lists are read that cannot be read whole
)

// Policy is how an account's doubts are handled.
type Policy struct {
	Setting Setting
	// Idempotent says that the service records a request with the same
	// Idempotency-Key once.
	Idempotent bool
	Waits      Waits
}

// Case is one entry in doubt.
type Case struct {
	Attempts int       // its requests so far
	Since    time.Time // when it was first in doubt
	LastByte time.Time // the end of its last attempt
	ReadAt   time.Time // when it is read back next; zero is never
	Taken    int       // how often it was read back
	// Stranger says that its last request went to another address, or with
	// another person's key.
	Stranger bool
	// Early says that this read-back can only prove arrival: that something is
	// missing so soon says nothing.
	Early bool
}

// Outcome is what becomes of an entry in doubt.
type Outcome struct {
	State    viewing.State // in doubt: it stays
	Reason   string        // one sentence for a person
	ReadAt   time.Time     // it stays: when it is read back next; zero is never
	Taken    int
	Resend   bool   // it is sent again under the same Idempotency-Key
	RemoteID string // the service's id of a list
}

// Resends reports whether an entry that is in doubt since then is sent again
// with the same Idempotency-Key, instead of being read back.
func (p Policy) Resends(since, now time.Time) bool {
	age := now.Sub(since)
	return p.Idempotent && age >= 0 && age < resendFor
}

// Begin is the first read-back of an entry that came into doubt at that instant. With
// an Idempotency-Key it is the next resend, by the number of earlier requests.
func (p Policy) Begin(attempts int, at time.Time) time.Time {
	if !p.Idempotent {
		return at.Add(p.Waits.first())
	}
	wait := min(resendFirst, cmp.Or(p.Waits.First, resendFirst))
	for range attempts {
		wait = min(2*wait, resendLast)
	}
	return at.Add(wait)
}

// Unread settles an entry of which nothing has to be read; ok is false when it
// has to be read back.
func (p Policy) Unread(c Case, now time.Time) (o Outcome, ok bool) {
	switch {
	case c.Stranger:
		return p.Unsettled(c, "the key or the address is not the one that it was sent with", now), true
	case p.Resends(c.Since, now):
		return Outcome{
			State: viewing.StatePending, Resend: true,
			Reason: "Sent again with the same Idempotency-Key, which the service is trusted to record once.",
		}, true
	default:
		return Outcome{}, false
	}
}

// Unsettled has the setting decide about an entry that reading back cannot
// settle. What another person's key says settles nothing either.
func (p Policy) Unsettled(c Case, why string, now time.Time) Outcome {
	o := Outcome{State: viewing.StateInDoubt, Taken: c.Taken}
	setting := p.Setting
	if p.Idempotent || c.Stranger || c.Early || setting == Resend && c.Attempts >= maxResends {
		setting = Hold
	}
	switch setting {
	case Resend:
		o.State = viewing.StatePending
		o.Reason = fmt.Sprintf("Read back: %s. It is sent again because in_doubt is resend, and may be recorded twice.", why)
	case Assume:
		o.State = viewing.StateDelivered
		o.Reason = fmt.Sprintf("Read back: %s. It is taken as delivered because in_doubt is delivered, and may be missing.", why)
	default:
		o.Reason = fmt.Sprintf("Read back: %s. It waits for you.", why)
		if now.Sub(c.LastByte).Abs() < readFor {
			o.ReadAt = now.Add(seldom)
		}
	}
	return o
}

// Viewing decides about a viewing. The evidence holds at least one reading, and
// c has not counted the last one yet.
func (p Policy) Viewing(c Case, e Evidence, now time.Time) Outcome {
	c.Taken++
	e.LastByte, e.Taken, e.Waits = c.LastByte, c.Taken, p.Waits
	d := decide(e)
	said := "Read back: " + d.Sentence + "."
	switch {
	case d.fate == delivered:
		return Outcome{State: viewing.StateDelivered, Reason: said}
	case d.fate == again:
		return Outcome{State: viewing.StatePending, Reason: said + " It is sent again."}
	case d.Final:
		return p.Unsettled(c, d.Sentence, now)
	default:
		at := e.Readings[len(e.Readings)-1].At.Add(d.Wait)
		return Outcome{State: viewing.StateInDoubt, Reason: said, ReadAt: at, Taken: c.Taken}
	}
}

// Lists are what is known when the creation of a list is in doubt.
type Lists struct {
	Shown    []tracker.RemoteList // what the service shows
	Complete bool                 // that is all
	Doubts   []viewing.List       // all lists of ours in doubt
}

// List decides about a list: it is ours only if it was not there before and is
// all that we asked for. before are the ids that were there; nil is unknown.
func (p Policy) List(c Case, list viewing.List, before []string, known Lists, now time.Time) Outcome {
	c.Taken++
	ours := slices.DeleteFunc(slices.Clone(known.Shown), func(r tracker.RemoteList) bool {
		return r.ID == "" || !sameList(list, r) || slices.Contains(before, r.ID)
	})
	twins := 0
	for _, other := range known.Doubts {
		if sameList(list, remoteOf(other)) {
			twins++
		}
	}
	switch {
	case before == nil:
		return p.Unsettled(c, "the service's lists were not read before this one was sent, so none can be told to be it", now)
	case !known.Complete && c.Taken <= listLooks:
		return Outcome{
			State: viewing.StateInDoubt, Reason: "Read back: the service's lists could not be read whole.",
			ReadAt: now.Add(firstLook), Taken: c.Taken,
		}
	case len(ours) == 1 && twins == 1:
		return Outcome{
			State: viewing.StateDelivered, RemoteID: ours[0].ID,
			Reason: "Read back: the service has this list, and did not before it was sent.",
		}
	case len(ours) == 0:
		return p.Unsettled(c, "the service shows no list like this one that was not there before", now)
	default:
		return p.Unsettled(c, fmt.Sprintf("the service shows %d such lists for %d in doubt", len(ours), twins), now)
	}
}

// remoteOf is a list as the service would show it.
func remoteOf(l viewing.List) tracker.RemoteList {
	r := tracker.RemoteList{Name: l.Name, Description: l.Description, Visibility: l.Visibility}
	if r.Visibility == "" {
		r.Visibility = "PRIVATE"
	}
	return r
}

func sameList(l viewing.List, r tracker.RemoteList) bool {
	r.ID = ""
	return remoteOf(l) == r
}

// Wish decides about a wish for the watchlist. To wish twice is to wish once. But an
// item that was watched since has left the list.
func Wish(c Case, watched bool) Outcome {
	o := Outcome{State: viewing.StateInDoubt, Taken: c.Taken + 1}
	switch {
	case watched:
		o.Reason = "Read back: the item was watched since, so it is not put on the watchlist again by itself."
	case c.Attempts >= maxWishes:
		o.Reason = fmt.Sprintf("Read back: this wish was sent %d times and never answered.", c.Attempts)
	default:
		o.State, o.Reason = viewing.StatePending, "Read back: a wish may be repeated without harm. It is sent again."
	}
	return o
}
