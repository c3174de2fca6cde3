// Package account is one account at the service, as values: how it stands, what the queue
// keeps of it, why it is paused, and what its service supports. The queue stores what is
// here, the loop decides with it, and the daemon shows it.
//
// A pause by a refused key or a wrong address ends when a probe is answered well. The
// service is asked again after 5 minutes, and then after twice as long each time, up to 6
// hours. A pause by the user ends when the user resumes, or at the time that the user has
// set.
//
// The owner is the first user whose key was used at this address. What waits was watched by
// that person, so nothing is sent with another person's key.
package account

import (
	"maps"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// State is how an account stands, in one word. An instance stands in the same
// words. A source is ok, waiting or attention.
type State string

// The states.
const (
	OK        State = "ok"        // entries are sent as they come
	Offline   State = "offline"   // the service cannot be reached, or asks to wait; it is tried again by itself
	Paused    State = "paused"    // the user has paused it
	Attention State = "attention" // the user must act: a refused key, a wrong address, a full disk
	NoKey     State = "no_key"    // there is no key yet; people are told Attention
)

// Row is what the queue keeps about one account.
type Row struct {
	Name          string
	BaseURL       string // the address it was last used with
	Proven        bool   // that address has answered as the service does
	Pause         Pause  // why nothing is sent; the zero value while entries are sent
	LastDelivered time.Time
	// Owner is the service's id of the user whose key is used; "" when the
	// service has not told.
	Owner string
	// Keeps is how the service keeps times: "exact", "minute", "day",
	// "arrival", or "" as long as that is not known.
	Keeps   string
	Support Support
	// MovedAt is when the address was last changed. What was sent before, was
	// sent elsewhere.
	MovedAt time.Time
	// OfflineAt is since when the service is out of reach, or asks to wait; zero where
	// it is not.
	OfflineAt time.Time
}

// SignIn takes note of a login: whose key it is, where the service tells, and
// that its optional endpoints are to be asked for again.
func (r *Row) SignIn(owner string) {
	r.Support = nil
	if owner != "" {
		r.Owner = owner
	}
}

// MoveTo takes another address: what was known of the last one counts no more.
func (r *Row) MoveTo(baseURL string, now time.Time) {
	if r.BaseURL == baseURL {
		return
	}
	if r.BaseURL != "" {
		r.MovedAt = now
	}
	r.BaseURL, r.Proven, r.Keeps, r.Support, r.Owner, r.OfflineAt = baseURL, false, "", nil, "", time.Time{}
}

// ClaimOwner takes note of whose key is used, "" where nobody can tell. The first user
// known is the owner. It reports whether the key may be the owner's.
func (r *Row) ClaimOwner(user string) bool {
	if r.Owner == "" {
		r.Owner = user
	}
	return user == "" || r.Owner == user
}

// SupportLasts is how long it is believed that an endpoint is not there.
const SupportLasts = 24 * time.Hour

// Support is what is known of the service's optional endpoints, by their names:
// "me", "history", "status", "lists", "list_items", "resolve", "resolve_batch".
type Support map[string]Endpoint

// Endpoint is whether the service has an optional endpoint.
type Endpoint struct {
	Has bool      `json:"has"`
	At  time.Time `json:"at"` // when it was asked
}

// MayUse reports whether an endpoint is worth asking: it is not known to be
// missing, or that was long ago.
func (s Support) MayUse(name string, now time.Time) bool {
	e, known := s[name]
	return !known || e.Has || now.Sub(e.At).Abs() >= SupportLasts
}

// WithEndpoint is the table after the service has shown whether it has the endpoint.
func (s Support) WithEndpoint(name string, has bool, now time.Time) Support {
	all := Support{}
	maps.Copy(all, s)
	all[name] = Endpoint{Has: has, At: now}
	return all
}

// Silence is a pause in which what is watched is dropped.
type Silence struct {
	Account     string
	From, Until time.Time // Until is not part of it
}

// The reasons for a pause.
const (
	PausedKey     = "key"     // the service refuses the key
	PausedAddress = "address" // the address does not answer as the service does
	PausedUser    = "user"    // the user wishes it; it ends when the user says so, or at its time
)

// The waits between two probes of a paused account. They have no jitter: the
// user is told the time.
const (
	firstProbe = 5 * time.Minute
	lastProbe  = 6 * time.Hour
	lastStep   = 7 // the first step whose wait is the longest
)

// Pause is why nothing is sent for an account, since when and until when, and
// what to do about it. The zero value is none.
type Pause struct {
	Reason  string          // "", [PausedKey], [PausedAddress] or [PausedUser]
	Problem viewing.Message // what is wrong
	Hint    viewing.Message // what to do about it
	Since   time.Time
	// ProbeAt is when the service is asked whether the reason is gone; zero for
	// a pause that no answer ends.
	ProbeAt   time.Time
	ProbeStep int // how often it was asked in vain
	// Until is when the user's pause ends by itself; zero for one without an end.
	Until time.Time
	Drops bool // what is watched until then is dropped
}

// ByUser is the pause of a user who wishes it, until a time unless that is zero.
func ByUser(now, until time.Time, drops bool) Pause {
	until = until.UTC() // stored with the offset that some zones had then, the zero time would not be zero
	p := Pause{Reason: PausedUser, Problem: viewing.Say("paused"), Hint: viewing.Say("hint.command", "command", "filmspool resume"), Since: now, Until: until, Drops: drops}
	if !until.IsZero() {
		p.Problem = viewing.Say("pausedUntil", "until", until.Format(time.RFC3339))
	}
	if drops {
		p.Problem = viewing.Say("pausedDrops").Because(p.Problem)
	}
	return p
}

// EndsByProbe reports whether a probe can end the pause.
func (p Pause) EndsByProbe() bool { return p.Reason == PausedKey || p.Reason == PausedAddress }

// Refuse is the pause after the service refused: it begins, or goes on. The
// next probe is still to be planned.
func (p Pause) Refuse(reason string, problem, hint viewing.Message, now time.Time) Pause {
	if p.Reason == "" {
		p.Since, p.ProbeStep = now, -1
	}
	p.Reason, p.Problem, p.Hint = reason, problem, hint
	return p
}

// PlanProbe plans the next probe. After a probe that was due the wait doubles. After
// one that somebody asked for it does not. A wrong address is asked every 5 minutes:
// often it is the sign-in page of a network that the machine leaves soon.
func (p Pause) PlanProbe(now time.Time, onRequest bool) Pause {
	if !onRequest {
		p.ProbeStep = min(p.ProbeStep+1, lastStep)
	}
	p.ProbeAt = now.Add(p.probeInterval())
	return p
}

// probeInterval is how long the next probe is put off.
func (p Pause) probeInterval() time.Duration {
	if p.Reason == PausedAddress {
		return firstProbe
	}
	return min(firstProbe<<min(max(0, p.ProbeStep), lastStep), lastProbe)
}

// At is the pause as it stands now. The probe is moved to now when none is
// planned, or when a wrong clock had put it too far ahead. The user's pause is none
// after its end. Where the clock was set back behind its beginning it begins now,
// and is as long as it was.
func (p Pause) At(now time.Time) Pause {
	switch {
	case p.EndsByProbe() && (p.ProbeAt.IsZero() || p.ProbeAt.Sub(now) > p.probeInterval()):
		p.ProbeAt = now
	case p.Reason != PausedUser || p.Until.IsZero():
	case now.Before(p.Since):
		return ByUser(now, now.Add(p.Until.Sub(p.Since)), p.Drops)
	case !now.Before(p.Until):
		return Pause{}
	}
	return p
}

// State is how an account with this pause stands, as far as the pause tells.
func (p Pause) State() State {
	switch p.Reason {
	case "":
		return OK
	case PausedUser:
		return Paused
	default:
		return Attention
	}
}
