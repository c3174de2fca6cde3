// Package account defines the state of one account at the service: what the queue stores about
// it, why it is paused, and which optional endpoints its service has. The queue stores these
// values, the loop of package replay decides with them, and the daemon shows them.
//
// A pause because of a refused key or a wrong address ends when a probe succeeds. The service is
// probed after 5 minutes; the interval doubles each time up to 6 hours. A pause by the user ends
// when the user resumes, or at the time that the user has set.
//
// The owner is the first user whose key was used at this address. The pending entries are
// viewings of that person, so they are never sent with another person's key.
package account

import (
	"maps"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// State is the state of an account in one word. The program as a whole uses the same words; a
// source is ok, waiting or attention.
type State string

// The states.
const (
	OK        State = "ok"        // entries are sent
	Offline   State = "offline"   // the service cannot be reached, or asked us to wait; it is retried automatically
	Paused    State = "paused"    // paused by the user
	Attention State = "attention" // the user must act: a refused key, a wrong address, a full disk
	NoKey     State = "no_key"    // there is no key yet; shown as Attention
)

// Row is what the queue stores about one account.
type Row struct {
	Name          string
	BaseURL       string // the address that was last used
	Proven        bool   // the server at that address was recognized as the service
	Pause         Pause  // the zero value while entries are sent
	LastDelivered time.Time
	// Owner is the service's id of the user whose key is used; "" if unknown.
	Owner string
	// Keeps is the precision with which the service stores times: "exact", "minute", "day",
	// "arrival" (it stores when the request arrived), or "" if unknown.
	Keeps   string
	Support Support
	// MovedAt is when the address was last changed. Entries sent before that are at the
	// old address.
	MovedAt time.Time
	// OfflineAt is since when the service cannot be reached or asks us to wait; zero if
	// it is online.
	OfflineAt time.Time
}

// SignIn records a login: the user id of the new key, if known. It makes the optional endpoints
// be tried again.
func (r *Row) SignIn(owner string) {
	r.Support = nil
	if owner != "" {
		r.Owner = owner
	}
}

// MoveTo changes the address and clears what was known about the service at the old one.
func (r *Row) MoveTo(baseURL string, now time.Time) {
	if r.BaseURL == baseURL {
		return
	}
	if r.BaseURL != "" {
		r.MovedAt = now
	}
	r.BaseURL, r.Proven, r.Keeps, r.Support, r.Owner, r.OfflineAt = baseURL, false, "", nil, "", time.Time{}
}

// ClaimOwner records whose key is used, "" if unknown. The first known user becomes the owner. It
// reports false if the key belongs to another user than the owner.
func (r *Row) ClaimOwner(user string) bool {
	if r.Owner == "" {
		r.Owner = user
	}
	return user == "" || r.Owner == user
}

// SupportLasts is how long a missing endpoint is not tried again.
const SupportLasts = 24 * time.Hour

// Support is what is known about the service's optional endpoints, by name: "me", "history",
// "status", "lists", "list_items", "resolve", "resolve_batch".
type Support map[string]Endpoint

// Endpoint is whether the service has an optional endpoint.
type Endpoint struct {
	Has bool      `json:"has"`
	At  time.Time `json:"at"` // when that was found out
}

// MayUse reports whether an endpoint should be tried: it was not found missing within
// [SupportLasts].
func (s Support) MayUse(name string, now time.Time) bool {
	e, known := s[name]
	return !known || e.Has || now.Sub(e.At).Abs() >= SupportLasts
}

// WithEndpoint returns a copy in which the endpoint is recorded as existing or missing.
func (s Support) WithEndpoint(name string, has bool, now time.Time) Support {
	all := Support{}
	maps.Copy(all, s)
	all[name] = Endpoint{Has: has, At: now}
	return all
}

// Silence is the period of a pause in which viewings are dropped.
type Silence struct {
	Account     string
	From, Until time.Time // Until itself is excluded
}

// The reasons for a pause.
const (
	PausedKey     = "key"     // the service refuses the key
	PausedAddress = "address" // the server at the address is not the service
	PausedUser    = "user"    // paused by the user, until resumed or until a set time
)

// The intervals between two probes of a paused account. They have no jitter, because the
// user is shown the time of the next probe.
const (
	firstProbe = 5 * time.Minute
	lastProbe  = 6 * time.Hour
	lastStep   = 7 // the first step with the longest interval
)

// Pause is why nothing is sent for an account, since when, until when, and how to end it. The
// zero value means not paused.
type Pause struct {
	Reason  string          // "", [PausedKey], [PausedAddress] or [PausedUser]
	Problem viewing.Message // what is wrong
	Hint    viewing.Message // what to do about it
	Since   time.Time
	// ProbeAt is when the next probe is due; zero for a pause that a probe cannot end.
	ProbeAt   time.Time
	ProbeStep int // number of failed probes
	// Until is when the user's pause ends; zero if it ends only when resumed.
	Until time.Time
	Drops bool // viewings during the pause are dropped
}

// ByUser returns a pause by the user, until a time unless that is zero.
func ByUser(now, until time.Time, drops bool) Pause {
	until = until.UTC() // a zero time with the historical offset of a zone would not be zero once stored
	p := Pause{Reason: PausedUser, Problem: viewing.Say("paused"), Hint: viewing.Say("hint.command", "command", "filmspool resume"), Since: now, Until: until, Drops: drops}
	if !until.IsZero() {
		p.Problem = viewing.Say("pausedUntil", "until", until.Format(time.RFC3339))
	}
	if drops {
		p.Problem = viewing.Say("pausedDrops").Because(p.Problem)
	}
	return p
}

// EndsByProbe reports whether a successful probe ends the pause.
func (p Pause) EndsByProbe() bool { return p.Reason == PausedKey || p.Reason == PausedAddress }

// Refuse returns the pause after the service refused a request: a new one, or the same with a new
// reason. The caller then calls [Pause.PlanProbe].
func (p Pause) Refuse(reason string, problem, hint viewing.Message, now time.Time) Pause {
	if p.Reason == "" {
		p.Since, p.ProbeStep = now, -1
	}
	p.Reason, p.Problem, p.Hint = reason, problem, hint
	return p
}

// PlanProbe returns the pause with the time of the next probe. The interval doubles after a
// scheduled probe, but not after one on request. A wrong address is probed every 5 minutes,
// because it is often the login page of a network that the machine leaves soon.
func (p Pause) PlanProbe(now time.Time, onRequest bool) Pause {
	if !onRequest {
		p.ProbeStep = min(p.ProbeStep+1, lastStep)
	}
	p.ProbeAt = now.Add(p.probeInterval())
	return p
}

// probeInterval returns the time to the next probe.
func (p Pause) probeInterval() time.Duration {
	if p.Reason == PausedAddress {
		return firstProbe
	}
	return min(firstProbe<<min(max(0, p.ProbeStep), lastStep), lastProbe)
}

// At returns the pause as it is at now. A probe without a time, or with one that is too far ahead
// because the clock was wrong, is due now. A user's pause whose end has passed is over. If the
// clock was set back to before its start, the pause starts now and keeps its length.
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

// State returns the state of an account with this pause.
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
