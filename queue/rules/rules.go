// Package rules decides what becomes of a viewing: which accounts it belongs
// to, and whether it may leave or must wait for a person.
//
// It decides for which reason an entry is held; package viewing has the words. It promises to be pure: the
// same viewing, settings and time give the same decision, and every decision
// says why in plain sentences. It refuses to look anything up, to keep
// anything, and to guess: what is not certain is held.
package rules

import (
	"fmt"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// clockTolerance is how far ahead a source's clock may be.
const clockTolerance = 5 * time.Minute

// Settings is what the user has decided.
type Settings struct {
	// Routes maps a source ("browser:3f2a") or a kind of source ("browser") to
	// the names of its accounts. The exact name wins over the kind, and that over
	// "", which stands for every source.
	Routes map[string][]string
	// Label is the name that a person gave a source, "" for none: it is as good as
	// the source's own, as in "browser:living-room". nil is none.
	Label func(source string) string
	// Grace is how long an entry stays here before it may leave, so that it can
	// be dropped first; from 0 to 24 hours.
	Grace time.Duration
	// Filters are asked in this order; the first that fits has its say.
	Filters []Filter
	// Classes say what becomes of what libraries find, by its class. Without
	// a word bulk, backdated and review are held, the others sent.
	Classes map[viewing.Class]Action
	// Approve has every viewing wait until a person approves it. What is imported was
	// asked for by a person, and does not wait.
	Approve bool
	// Wave is how many different items of one source may end within a minute; more
	// are held. 0 is no bound.
	Wave int
	// Silences are the pauses of the account in which what is watched is dropped.
	Silences []account.Silence
}

// Decision is what becomes of one item, the same in each of its accounts.
type Decision struct {
	State  viewing.State // pending, held or dropped
	Reason string        // for Held and Dropped: one of the reasons
	Steps  []string      // why, one plain sentence each; the first is about the accounts
	Lane   viewing.Lane
	// NotBefore is when the entry may leave at the earliest; zero for at once.
	NotBefore time.Time
}

// Decide decides about one item of v, reported by source. The item m is nil
// for a list; now is this machine's time. What a filter and the class of a
// viewing say both count, and the stricter of the two wins.
func Decide(s Settings, source string, v viewing.Event, m *viewing.Media, now time.Time) Decision {
	d := Decision{State: viewing.StatePending}
	_, why := s.route(source)
	d.say(why)
	d.line(s, v, now)
	filter, place := &Filter{Action: Send}, s.choose(source, v, m)
	if place >= 0 {
		filter = &s.Filters[place]
	}
	class, silence := s.class(v), s.silenced(source, v)
	switch {
	case filter.Action == Ignore:
		d.end(viewing.StateDropped, viewing.ReasonFiltered, "Ignored by "+filter.words(place)+": it is kept for the record, and not sent.")
	case silence != nil:
		d.end(viewing.StateDropped, viewing.ReasonPaused, silence.Why())
	case class == Ignore:
		d.end(viewing.StateDropped, string(v.Class), "Ignored as "+string(v.Class)+", as the settings have it: it is kept for the record, and not sent.")
	case Ahead(v, now):
		d.end(viewing.StateHeld, viewing.ReasonFuture, "Held as future: its time lies more than 5 minutes ahead of this machine's clock.")
	case filter.Action == Hold:
		d.end(viewing.StateHeld, viewing.ReasonFiltered, "Held by "+filter.words(place)+".")
	default:
		if place >= 0 {
			d.say("Of the filters, " + filter.words(place) + " has it sent.")
		}
		d.weigh(s, v, m)
	}
	return d
}

// Why is the sentence that decided.
func (d Decision) Why() string { return d.Steps[len(d.Steps)-1] }

// weigh decides what no filter stops.
func (d *Decision) weigh(s Settings, v viewing.Event, m *viewing.Media) {
	class := s.class(v)
	switch byDefault := (Settings{}).class(v); {
	case class == Hold && v.Elsewhere:
		d.end(viewing.StateHeld, viewing.ReasonReview, "Held for review: it was marked, not played, so it may have been watched on another device that has told the service.")
	case class == Hold:
		d.end(viewing.StateHeld, string(v.Class), classWords(v.Class))
	case v.Unsure:
		d.end(viewing.StateHeld, viewing.ReasonReview, "Held for review, whatever the settings say: nobody but you can tell whether, or when, it was watched.")
	case m != nil && !m.Identified():
		d.end(viewing.StateHeld, viewing.ReasonUnresolved, "Held as unresolved: it has no identifier that the service takes.")
	case s.Approve && v.Kind == viewing.KindViewing && v.Class != viewing.ClassImport:
		d.end(viewing.StateHeld, viewing.ReasonApprove, "Held until you approve it, as the settings have it for every viewing.")
	case byDefault == Hold:
		d.say("It is " + string(v.Class) + ", which the settings have sent: " + d.leave())
	default:
		d.say("Nothing holds it back: " + d.leave())
	}
}

// end decides.
func (d *Decision) end(state viewing.State, reason, why string) {
	d.State, d.Reason = state, reason
	d.say(why)
}

// Ahead reports a viewing that no clock can have seen yet: one of more than five
// minutes after now.
func Ahead(v viewing.Event, now time.Time) bool {
	return v.Kind == viewing.KindViewing && v.WatchedAt.Begins().After(now.Add(clockTolerance))
}

// AccountsOf are the accounts that a source feeds: each once, at least one.
func (s Settings) AccountsOf(source string) []string {
	accounts, _ := s.route(source)
	return accounts
}

// route chooses the accounts, and says why.
func (s Settings) route(source string) (accounts []string, why string) {
	for _, name := range s.names(source) {
		if accounts = s.Routes[name]; len(accounts) > 0 {
			return accounts, fmt.Sprintf("The route for %s leads to %s.", name, inWords(accounts))
		}
	}
	if accounts = s.Routes[""]; len(accounts) == 0 {
		accounts = []string{viewing.DefaultAccount}
	}
	return accounts, fmt.Sprintf("No route names %s: it goes to %s.", source, inWords(accounts))
}

// names are what a source is called, the most exact first.
func (s Settings) names(source string) []string {
	kind := viewing.SourceKind(source)
	if s.Label != nil && s.Label(source) != "" {
		return []string{source, kind + ":" + s.Label(source), kind}
	}
	return []string{source, kind}
}

// inWords names accounts.
func inWords(accounts []string) string {
	if last := len(accounts) - 1; last > 0 {
		return "the accounts " + strings.Join(accounts[:last], ", ") + " and " + accounts[last]
	}
	return "the account " + accounts[0]
}

func (d *Decision) say(sentence string) { d.Steps = append(d.Steps, sentence) }
