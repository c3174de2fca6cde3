// Package rules decides what becomes of a viewing: which accounts it belongs to, and
// whether it may leave or must wait for a person. It is pure: the same viewing,
// settings and time give the same decision. Every decision says why, as steps.
package rules

import (
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
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
	Steps  []entry.Step  // why; the first is about the accounts
	Why    entry.Step    // the one of them that decided
	Lane   viewing.Lane
	// NotBefore is when the entry may leave at the earliest; zero for at once.
	NotBefore time.Time
}

// Decide decides about one item of v, reported by source. The item m is nil
// for a list; now is this machine's time. What a filter and the class of a
// viewing say both count, and the stricter of the two wins.
func Decide(s Settings, source string, v viewing.Event, m *viewing.Media, now time.Time) Decision {
	d := Decision{State: viewing.StatePending}
	_, route := s.route(source)
	d.Steps = append(d.Steps, route)
	d.line(s, v, now)
	filter, place := &Filter{Action: Send}, s.choose(source, v, m)
	if place >= 0 {
		filter = &s.Filters[place]
	}
	class, silence := s.class(v), s.silenced(source, v)
	switch {
	case filter.Action == Ignore:
		d.end(viewing.StateDropped, viewing.ReasonFiltered, "rule.ignored.filter", filter.args(place))
	case silence != nil:
		d.end(viewing.StateDropped, viewing.ReasonPaused, "rule.ignored.pause", entry.Args{"from": entry.Time(silence.From), "until": entry.Time(silence.Until)})
	case class == Ignore:
		d.end(viewing.StateDropped, string(v.Class), "rule.ignored.class", entry.Args{"class": string(v.Class)})
	case Ahead(v, now):
		d.end(viewing.StateHeld, viewing.ReasonFuture, "rule.future", nil)
	case filter.Action == Hold:
		d.end(viewing.StateHeld, viewing.ReasonFiltered, "rule.held.filter", filter.args(place))
	default:
		if place >= 0 {
			d.say("rule.sent.filter", filter.args(place))
		}
		d.weigh(s, v, m)
	}
	return d
}

// weigh decides what no filter stops.
func (d *Decision) weigh(s Settings, v viewing.Event, m *viewing.Media) {
	class := s.class(v)
	switch byDefault := (Settings{}).class(v); {
	case class == Hold && v.Elsewhere:
		d.end(viewing.StateHeld, viewing.ReasonReview, "rule.marked", nil)
	case class == Hold && byDefault == Hold:
		d.end(viewing.StateHeld, string(v.Class), "rule."+string(v.Class), nil)
	case class == Hold:
		d.end(viewing.StateHeld, string(v.Class), "rule.held.class", entry.Args{"class": string(v.Class)})
	case v.Unsure:
		d.end(viewing.StateHeld, viewing.ReasonReview, "rule.unsure", nil)
	case m != nil && !m.Identified():
		d.end(viewing.StateHeld, viewing.ReasonUnresolved, "rule.unresolved", nil)
	case s.Approve && v.Kind == viewing.KindViewing && v.Class != viewing.ClassImport:
		d.end(viewing.StateHeld, viewing.ReasonApprove, "rule.approve", nil)
	default:
		if byDefault == Hold {
			d.say("rule.sent.class", entry.Args{"class": string(v.Class)})
		}
		d.free()
	}
}

// end decides.
func (d *Decision) end(state viewing.State, reason, code string, args entry.Args) {
	d.State, d.Reason = state, reason
	d.say(code, args)
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
func (s Settings) route(source string) (accounts []string, why entry.Step) {
	code, via := "rule.route.none", source
	for _, name := range s.names(source) {
		if accounts = s.Routes[name]; len(accounts) > 0 {
			code, via = "rule.route", name
			break
		}
	}
	if len(accounts) == 0 {
		accounts = s.Routes[""]
	}
	if len(accounts) == 0 {
		accounts = []string{viewing.DefaultAccount}
	}
	return accounts, entry.Step{Code: code, Args: entry.Args{"source": via, "accounts": strings.Join(accounts, ", ")}}
}

// names are what a source is called, the most exact first.
func (s Settings) names(source string) []string {
	kind := viewing.SourceKind(source)
	if s.Label != nil && s.Label(source) != "" {
		return []string{source, kind + ":" + s.Label(source), kind}
	}
	return []string{source, kind}
}

// say adds a step. The last one decides.
func (d *Decision) say(code string, args entry.Args) {
	d.Why = entry.Step{Code: code, Args: args}
	d.Steps = append(d.Steps, d.Why)
}
