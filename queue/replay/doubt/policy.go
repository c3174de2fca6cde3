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

// Setting is what becomes of an entry in doubt that reading back cannot settle.
type Setting string

// The settings.
const (
	Hold   Setting = "hold"      // it waits for the user
	Resend Setting = "resend"    // it is sent again, and may be recorded twice
	Assume Setting = "delivered" // it is taken to have arrived, and may be lost
)

const (
	resendFirst       = 30 * time.Second    // before the first resend with the same Idempotency-Key
	resendLast        = 15 * time.Minute    // the longest wait before another one
	resendMaxAge      = 12 * time.Hour      // how long a service is trusted to remember a key
	readBackMaxAge    = 30 * 24 * time.Hour // how long an entry is read back that the user must settle
	maxResends        = 3                   // requests of an entry that may each be recorded
	maxWatchlistSends = 8                   // how often a wish is repeated by itself
	maxListReads      = 5                   // how often lists are read that cannot be read whole
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
	queue.Doubt
	// Seen is when this run of the program first saw it in doubt since then. Its clock
	// cannot be set.
	Seen time.Time
	// Stranger says that its last request went to another address, or with
	// another person's key.
	OtherOwner bool
}

// age is how long ago its last request ended, by the clock that says less.
func (c Case) age(now time.Time) time.Duration { return min(now.Sub(c.At), now.Sub(c.Seen)) }

// Resends reports whether an entry that is in doubt since then is sent again
// with the same Idempotency-Key, instead of being read back.
func (p Policy) Resends(since, now time.Time) bool {
	age := now.Sub(since)
	return p.Idempotent && age >= 0 && age < resendMaxAge
}

// Begin is the first read-back of an entry that came into doubt at that instant. With
// an Idempotency-Key it is the next resend, by the number of earlier requests.
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

// Early reports whether reading back can only prove arrival yet.
func (p Policy) TooEarlyForAbsence(c Case, now time.Time) bool { return c.age(now) < p.Waits.first() }

// Due is when an entry is read back; zero for never. shows says that a reading may show
// it before its absence can be proven. A clock that was set back puts it off by a day
// at most.
func (p Policy) Due(c Case, shows bool, now time.Time) time.Time {
	if c.ReadAt.IsZero() {
		return time.Time{}
	}
	wait := min(c.ReadAt.Sub(now), slowInterval)
	if !shows && !p.Resends(c.Since, now) {
		wait = max(wait, p.Waits.first()-c.age(now))
	}
	return now.Add(wait)
}

// Unread settles an entry of which nothing has to be read; ok is false when it
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

// Unsettled has the setting decide about an entry that reading back cannot settle, once
// its absence could have been proven. What another person's key says settles nothing
// either.
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

// after is the end of a wait, in whole milliseconds, as it is stored. It is rounded up:
// a read-back before the end would find the same and plan itself again at once.
func endOfWait(at time.Time, wait time.Duration) time.Time {
	return at.Add(wait + time.Millisecond - 1).Truncate(time.Millisecond)
}

// Viewing decides about a viewing by its case and what the last reading showed.
func (p Policy) DecideViewing(c Case, e Evidence, now time.Time) queue.ReadBack {
	if e.Age, e.Waits = c.age(e.Reading.At), p.Waits; e.Age >= p.Waits.first() {
		c.ReadBacks++
	}
	e.Taken = c.ReadBacks
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

// Lists are what is known when the creation of a list is in doubt.
type Lists struct {
	Shown    []tracker.RemoteList // what the service shows
	Complete bool                 // that is all
	Doubts   []viewing.List       // all lists of ours in doubt
}

// List decides about a list: it is ours only if it was not there before and is
// all that we asked for.
func (p Policy) DecideList(c Case, known Lists, now time.Time) queue.ReadBack {
	list, before := *c.Entry.List, c.Before
	c.ReadBacks++
	ours := slices.DeleteFunc(slices.Clone(known.Shown), func(r tracker.RemoteList) bool {
		return r.ID == "" || !sameList(list, r) || slices.Contains(before, r.ID)
	})
	twins := 0
	for _, other := range known.Doubts {
		if sameList(list, asRemoteList(other)) {
			twins++
		}
	}
	switch {
	case before == nil:
		return p.ApplySetting(c, viewing.Say("doubt.listsBefore"), now)
	case !known.Complete && c.ReadBacks <= maxListReads:
		why := viewing.Say("doubt.read").Because(viewing.Say("doubt.listsCut"))
		return queue.ReadBack{State: viewing.StateInDoubt, Why: why, ReadAt: now.Add(absenceWait), ReadBacks: c.ReadBacks}
	case len(ours) == 1 && twins == 1:
		why := viewing.Say("doubt.read").Because(viewing.Say("doubt.listThere"))
		return queue.ReadBack{State: viewing.StateDelivered, RemoteID: ours[0].ID, Why: why}
	case len(ours) == 0:
		return p.ApplySetting(c, viewing.Say("doubt.noList"), now)
	default:
		return p.ApplySetting(c, viewing.Say("doubt.lists", "n", strconv.Itoa(len(ours)), "doubts", strconv.Itoa(twins)), now)
	}
}

// remoteOf is a list as the service would show it.
func asRemoteList(l viewing.List) tracker.RemoteList {
	r := tracker.RemoteList{Name: l.Name, Description: l.Description, Visibility: l.Visibility}
	if r.Visibility == "" {
		r.Visibility = "PRIVATE"
	}
	return r
}

func sameList(l viewing.List, r tracker.RemoteList) bool {
	r.ID = ""
	return asRemoteList(l) == r
}

// Wish decides about a wish for the watchlist. To wish twice is to wish once. But an
// item that was watched since has left the list.
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
