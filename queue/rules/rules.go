// Package rules decides what becomes of a viewing: which account it belongs
// to, and whether it may leave or must wait for a person.
//
// It owns the reasons for which an entry is held. It promises to be pure: the
// same viewing, settings and time give the same decision, and every decision
// says why in plain sentences. It refuses to look anything up, to keep
// anything, and to guess: what is not certain is held.
package rules

import (
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The states that a decision can give, in the queue's words.
const (
	Pending = "pending"
	Held    = "held"
)

// The reasons for which an entry is held.
const (
	Unresolved = "unresolved" // no identifier that the service takes
	Review     = "review"     // its time makes no sense
	Backdated  = "backdated"  // older than the reading of the library before
	Bulk       = "bulk"       // marked together with others in one act
	Future     = "future"     // more than five minutes ahead of this machine
)

// DefaultAccount is the account of every source without a route.
const DefaultAccount = "default"

// clockTolerance is how far ahead a source's clock may be.
const clockTolerance = 5 * time.Minute

// Settings is what the user has decided.
type Settings struct {
	// Routes maps a source ("browser:3f2a") or a kind of source ("browser") to
	// the name of an account. The exact name wins over the kind.
	Routes map[string]string
	// Grace is how long an entry stays here before it may leave, so that it can
	// be dropped first; from 0 to 24 hours.
	Grace time.Duration
}

// Decision is what becomes of one entry.
type Decision struct {
	Account string
	State   string   // Pending or Held
	Reason  string   // for Held: one of the reasons
	Steps   []string // why, one plain sentence each; the first is about the account
	// Backfill is set for imports: they leave when nothing live is due.
	Backfill bool
	// NotBefore is when the entry may leave at the earliest; zero without a grace.
	NotBefore time.Time
}

// Decide decides about one item of v, reported by source. The item m is nil
// for a list; now is this machine's time.
func Decide(s Settings, source string, v viewing.Viewing, m *viewing.Media, now time.Time) Decision {
	d := Decision{State: Pending}
	d.route(s, source)
	d.line(s, source, v, now)
	switch reason, why := hold(v, m, now); reason {
	case "":
		d.say("Nothing holds it back: " + d.leave())
	default:
		d.State, d.Reason = Held, reason
		d.say(why)
	}
	return d
}

// route chooses the account.
func (d *Decision) route(s Settings, source string) {
	kind := viewing.SourceKind(source)
	for _, name := range []string{source, kind} {
		if account := s.Routes[name]; account != "" {
			d.Account = account
			d.say(fmt.Sprintf("The route for %s leads to the account %s.", name, account))
			return
		}
	}
	d.Account = DefaultAccount
	d.say(fmt.Sprintf("No route names %s: it goes to the account %s.", source, DefaultAccount))
}

func (d *Decision) say(sentence string) { d.Steps = append(d.Steps, sentence) }

// hold is the reason to hold an item and a sentence that explains it, or "".
// A time that makes no sense comes first: nothing else can mend it.
func hold(v viewing.Viewing, m *viewing.Media, now time.Time) (reason, why string) {
	if v.Kind == viewing.KindViewing && v.WatchedAt.Time().After(now.Add(clockTolerance)) {
		return Future, "Held as future: its time lies more than 5 minutes ahead of this machine's clock."
	}
	switch v.Class {
	case viewing.ClassBulk:
		return Bulk, "Held as bulk: it was marked as watched together with others in one act."
	case viewing.ClassBackdated:
		return Backdated, "Held as backdated: it is older than the reading of the library before."
	case viewing.ClassReview:
		return Review, "Held for review: its time makes no sense; a person must look."
	}
	if m != nil && !m.Identified() {
		return Unresolved, "Held as unresolved: it has no identifier that the service takes."
	}
	return "", ""
}
