package doubt

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Setting decides about an entry in doubt if reading back cannot.
type Setting string

// The settings.
const (
	Hold   Setting = "hold"      // the entry waits for the user
	Resend Setting = "resend"    // the entry is sent again, and may be recorded twice
	Assume Setting = "delivered" // the entry counts as delivered, and may be lost
)

const (
	resendFirst       = 30 * time.Second    // before the first resend with the same Idempotency-Key
	resendLast        = 15 * time.Minute    // longest wait before another resend
	resendMaxAge      = 12 * time.Hour      // how long a service is trusted to remember an Idempotency-Key
	readBackMaxAge    = 30 * 24 * time.Hour // how long a held entry is read back
	maxResends        = 3                   // requests for an entry that may each be recorded
	maxWatchlistSends = 8                   // automatic repeats of a watchlist add
	maxListReads      = 5                   // readings of lists that stay incomplete
)

// Policy decides about the entries in doubt of one account.
type Policy struct {
	Setting Setting
	// Idempotent says that the service records a request with the same
	// Idempotency-Key only once.
	Idempotent bool
	Waits      Waits
}

// Case is one entry in doubt.
type Case struct {
	queue.Doubt
	// FirstSeen is when this run of the program first saw this doubt. It has a monotonic
	// clock reading, so setting the clock does not change the age.
	FirstSeen time.Time
	// OtherOwner says that its last request went to another address, or with
	// another user's key.
	OtherOwner bool
}

// age returns how long ago its last request ended, by the wall clock or since FirstSeen,
// whichever is shorter.
func (c Case) age(now time.Time) time.Duration { return min(now.Sub(c.At), now.Sub(c.FirstSeen)) }

// Resends reports whether an entry in doubt since the given time is sent again with the
// same Idempotency-Key, instead of being read back.
func (p Policy) Resends(since, now time.Time) bool {
	age := now.Sub(since)
	return p.Idempotent && age >= 0 && age < resendMaxAge
}

// FirstReadBack returns the time of the first read-back of an entry in doubt since at. If
// the service is idempotent, it is the time of the next resend; the wait doubles with each attempt.
func (p Policy) FirstReadBack(attempts int, at time.Time) time.Time {
	if !p.Idempotent {
		return at.Add(min(firstReadWait, p.Waits.first()))
	}
	wait := min(resendFirst, cmp.Or(p.Waits.First, resendFirst))
	for range attempts {
		wait = min(2*wait, resendLast)
	}
	return at.Add(wait)
}

// TooEarlyForAbsence reports whether reading back can only prove arrival so far.
func (p Policy) TooEarlyForAbsence(c Case, now time.Time) bool { return c.age(now) < p.Waits.first() }

// Due returns when an entry is read back; zero for never. readable says that the service
// has a history, so an early reading may prove arrival. A clock that was set back delays
// the read-back by a day at most.
func (p Policy) Due(c Case, readable bool, now time.Time) time.Time {
	if c.ReadAt.IsZero() {
		return time.Time{}
	}
	wait := min(c.ReadAt.Sub(now), slowInterval)
	if !readable && !p.Resends(c.Since, now) {
		wait = max(wait, p.Waits.first()-c.age(now))
	}
	return now.Add(wait)
}

// DecideUnread decides about an entry without reading from the service; ok is false if it
// has to be read back.
func (p Policy) DecideUnread(c Case, now time.Time) (o queue.ReadBack, ok bool) {
	switch {
	case c.OtherOwner:
		return p.ApplySetting(c, viewing.Say("doubt.otherKey"), now), true
	case p.Resends(c.Since, now):
		return queue.ReadBack{State: viewing.StatePending, Resend: true, Why: viewing.Say("doubt.sameKey")}, true
	default:
		return queue.ReadBack{}, false
	}
}

// ApplySetting applies the setting to an entry that reading back cannot decide, but not
// before absence could have been proven. It always holds entries with OtherOwner or of
// idempotent services, and those that were sent maxResends times.
func (p Policy) ApplySetting(c Case, why viewing.Message, now time.Time) queue.ReadBack {
	o := queue.ReadBack{State: viewing.StateInDoubt, ReadBacks: c.ReadBacks}
	setting := p.Setting
	if p.Idempotent || c.OtherOwner || setting == Resend && c.Entry.Attempts >= maxResends {
		setting = Hold
	}
	switch left := p.Waits.first() - c.age(now); {
	case setting == Hold:
		o.Why = viewing.Say("doubt.waits").Because(why)
		if now.Sub(c.At).Abs() < readBackMaxAge {
			o.ReadAt = now.Add(slowInterval)
		}
	case left > 0:
		o.Why, o.ReadAt = viewing.Say("doubt.read").Because(why), endOfWait(now, left)
	case setting == Resend:
		o.State, o.Why = viewing.StatePending, viewing.Say("doubt.resend").Because(why)
	default:
		o.State, o.Why = viewing.StateDelivered, viewing.Say("doubt.assume").Because(why)
	}
	return o
}

// endOfWait returns at plus wait, rounded up to the milliseconds that are stored: a
// read-back before the end would change nothing and be due again at once.
func endOfWait(at time.Time, wait time.Duration) time.Time {
	return at.Add(wait + time.Millisecond - 1).Truncate(time.Millisecond)
}

// DecideViewing decides about a viewing after a reading of the history.
func (p Policy) DecideViewing(c Case, e Evidence, now time.Time) queue.ReadBack {
	if e.Age, e.Waits = c.age(e.Reading.At), p.Waits; e.Age >= p.Waits.first() {
		c.ReadBacks++
	}
	e.ReadBacks = c.ReadBacks
	d := decide(e)
	o := queue.ReadBack{State: d.state, Why: viewing.Say("doubt.read").Because(d.Why)}
	switch {
	case d.state == sendAgain:
		o.Why = viewing.Say("doubt.again").Because(d.Why)
	case d.Final:
		o = p.ApplySetting(c, d.Why, now)
	case d.state == stayInDoubt:
		o.ReadAt, o.ReadBacks = endOfWait(e.Reading.At, d.Wait), c.ReadBacks
	}
	o.Absent = d.Absent
	return o
}

// Lists is what a decision about the creation of a list is based on.
type Lists struct {
	Remote   []tracker.RemoteList // the lists read from the service
	Complete bool                 // all lists were read
	Doubts   []viewing.List       // all lists of the queue in doubt
}

// DecideList decides about a list. It is delivered if exactly one list on the service is
// new and equal to it, and no other list in doubt is.
func (p Policy) DecideList(c Case, known Lists, now time.Time) queue.ReadBack {
	list, before := *c.Entry.List, c.Before
	c.ReadBacks++
	matching := slices.DeleteFunc(slices.Clone(known.Remote), func(r tracker.RemoteList) bool {
		return r.ID == "" || !sameList(list, r) || slices.Contains(before, r.ID)
	})
	equalDoubts := 0
	for _, other := range known.Doubts {
		if sameList(list, asRemoteList(other)) {
			equalDoubts++
		}
	}
	switch {
	case before == nil:
		return p.ApplySetting(c, viewing.Say("doubt.listsBefore"), now)
	case !known.Complete && c.ReadBacks <= maxListReads:
		why := viewing.Say("doubt.read").Because(viewing.Say("doubt.listsCut"))
		return queue.ReadBack{State: viewing.StateInDoubt, Why: why, ReadAt: now.Add(absenceWait), ReadBacks: c.ReadBacks}
	case len(matching) == 1 && equalDoubts == 1:
		why := viewing.Say("doubt.read").Because(viewing.Say("doubt.listThere"))
		return queue.ReadBack{State: viewing.StateDelivered, RemoteID: matching[0].ID, Why: why}
	case len(matching) == 0:
		return p.ApplySetting(c, viewing.Say("doubt.noList"), now)
	default:
		return p.ApplySetting(c, viewing.Say("doubt.lists", "n", strconv.Itoa(len(matching)), "doubts", strconv.Itoa(equalDoubts)), now)
	}
}

// asRemoteList returns the list as the service would return it.
func asRemoteList(l viewing.List) tracker.RemoteList {
	r := tracker.RemoteList{Name: l.Name, Description: l.Description, Visibility: l.Visibility}
	if r.Visibility == "" {
		r.Visibility = "PRIVATE"
	}
	return r
}

// sameList reports whether r has the name, description and visibility of l.
func sameList(l viewing.List, r tracker.RemoteList) bool {
	r.ID = ""
	return asRemoteList(l) == r
}

// DecideWatchlist decides about a watchlist add. Repeating it is harmless, unless the item
// was watched since: that removed it from the watchlist.
func DecideWatchlist(c Case, watched bool) queue.ReadBack {
	o := queue.ReadBack{State: viewing.StateInDoubt, ReadBacks: c.ReadBacks + 1}
	switch {
	case watched:
		o.Why = viewing.Say("doubt.read").Because(viewing.Say("doubt.watchedSince"))
	case c.Entry.Attempts >= maxWatchlistSends:
		o.Why = viewing.Say("doubt.read").Because(viewing.Say("doubt.wishSent", "n", strconv.Itoa(c.Entry.Attempts)))
	default:
		o.State, o.Why = viewing.StatePending, viewing.Say("doubt.again").Because(viewing.Say("doubt.wishAgain"))
	}
	return o
}
