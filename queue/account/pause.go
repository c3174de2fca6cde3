package account

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

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
	if until.IsZero() {
		until = time.Time{} // in UTC: stored with the offset that some zones had then, it would not be zero
	}
	p := Pause{Reason: PausedUser, Problem: viewing.Say("paused"), Hint: viewing.Say("hint.command", "command", "filmspool resume"), Since: now, Until: until, Drops: drops}
	if !until.IsZero() {
		p.Problem = viewing.Say("pausedUntil", "until", until.Format(time.RFC3339))
	}
	if drops {
		p.Problem = viewing.Say("pausedDrops").Because(p.Problem)
	}
	return p
}

// Probes reports whether a probe can end the pause.
func (p Pause) Probes() bool { return p.Reason == PausedKey || p.Reason == PausedAddress }

// Refuse is the pause after the service refused: it begins, or goes on. The
// next probe is still to be planned.
func (p Pause) Refuse(reason string, problem, hint viewing.Message, now time.Time) Pause {
	if p.Reason == "" {
		p.Since, p.ProbeStep = now, -1
	}
	p.Reason, p.Problem, p.Hint = reason, problem, hint
	return p
}

// Postpone plans the next probe. After a probe that was due the wait doubles. After
// one that somebody asked for it does not. A wrong address is asked every 5 minutes:
// often it is the sign-in page of a network that the machine leaves soon.
func (p Pause) Postpone(now time.Time, asked bool) Pause {
	if !asked {
		p.ProbeStep = min(p.ProbeStep+1, lastStep)
	}
	p.ProbeAt = now.Add(p.wait())
	return p
}

// wait is how long the next probe is put off.
func (p Pause) wait() time.Duration {
	if p.Reason == PausedAddress {
		return firstProbe
	}
	return min(firstProbe<<min(max(0, p.ProbeStep), lastStep), lastProbe)
}

// Timely is the pause as it stands now. The probe is moved to now when none is
// planned, or when a wrong clock had put it too far ahead. The user's pause is none
// after its end. Where the clock was set back behind its beginning it begins now,
// and is as long as it was.
func (p Pause) Timely(now time.Time) Pause {
	switch {
	case p.Probes() && (p.ProbeAt.IsZero() || p.ProbeAt.Sub(now) > p.wait()):
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
