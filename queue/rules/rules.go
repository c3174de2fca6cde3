// Package rules decides what becomes of a viewing: which accounts it belongs to, and
// whether it may leave or must wait for a person. It is pure: the same viewing,
// settings and time give the same decision. Every decision says why, as steps.
package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// settleDelay is how long an entry waits that a library has just found. What was
// marked together is written within two seconds of each other and read within
// a second or two: by then it is known whether more follows.
const settleDelay = 5 * time.Second

// Settings is what the user has decided.
type Settings struct {
	// Routes maps a source ("browser:3f2a") or a kind of source ("browser") to
	// the names of its accounts. The exact name wins over the kind, and that over
	// "", which stands for every source.
	Routes map[string][]string
	// Label is the name that a person gave a source, "" for none: it is as good as
	// the source's own, as in "browser:living-room". It may change while the program
	// runs. nil is none.
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
	// BurstLimit is how many different items of one source may end within a minute; more
	// are held. 0 is no bound.
	BurstLimit int
	// Untitled are the sites whose videos without a title and without a number are ignored.
	Untitled []string
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
	_, route := s.route(source)
	d := Decision{State: viewing.StatePending, Steps: []entry.Step{route}}
	d.schedule(s.Grace, v.Class, now)
	filter, args := s.filterFor(source, v, m)
	class, usual := s.actionFor(v.Class), Settings{}.actionFor(v.Class)
	silence := s.findSilence(source, v)
	switch {
	case filter.Action == Ignore:
		d.decide(viewing.StateDropped, viewing.ReasonFiltered, "rule.ignored.filter", args)
	case silence != nil:
		d.decide(viewing.StateDropped, viewing.ReasonPaused, "rule.ignored.pause", entry.Args{"from": entry.Time(silence.From), "until": entry.Time(silence.Until)})
	case m != nil && m.Nameless() && slices.ContainsFunc(s.Untitled, func(site string) bool { return hostMatches(v.Origin.Site, site) }):
		d.decide(viewing.StateDropped, viewing.ReasonUntitled, "rule.ignored.untitled", entry.Args{"site": v.Origin.Site})
	case class == Ignore:
		d.decide(viewing.StateDropped, string(v.Class), "rule.ignored.class", entry.Args{"class": string(v.Class)})
	case v.Kind == viewing.KindViewing && v.WatchedAt.IsFuture(now):
		d.decide(viewing.StateHeld, viewing.ReasonFuture, "rule.future", nil)
	case filter.Action == Hold:
		d.decide(viewing.StateHeld, viewing.ReasonFiltered, "rule.held.filter", args)
	case class == Hold && usual == Hold:
		d.decide(viewing.StateHeld, string(v.Class), "rule."+string(v.Class), nil)
	case class == Hold:
		d.decide(viewing.StateHeld, string(v.Class), "rule.held.class", entry.Args{"class": string(v.Class)})
	case v.Unsure:
		d.decide(viewing.StateHeld, viewing.ReasonReview, "rule.unsure", nil)
	case m != nil && !m.Identified():
		d.decide(viewing.StateHeld, viewing.ReasonUnresolved, "rule.unresolved", nil)
	case s.Approve && v.Kind == viewing.KindViewing && v.Class != viewing.ClassImport:
		d.decide(viewing.StateHeld, viewing.ReasonApprove, "rule.approve", nil)
	default:
		if filter.Action == Send {
			d.addStep("rule.sent.filter", args)
		}
		if usual == Hold {
			d.addStep("rule.sent.class", entry.Args{"class": string(v.Class)})
		}
		if d.NotBefore.IsZero() {
			d.addStep("rule.free", nil)
		} else {
			d.addStep("rule.free.at", entry.Args{"at": entry.Time(d.NotBefore)})
		}
		if d.Lane == viewing.LaneBackfill {
			d.Steps = append(d.Steps, entry.Step{Code: "rule.backfill"})
		}
	}
	return d
}

// decide decides.
func (d *Decision) decide(state viewing.State, reason, code string, args entry.Args) {
	d.State, d.Reason = state, reason
	d.addStep(code, args)
}

// addStep adds a step. The last one decides.
func (d *Decision) addStep(code string, args entry.Args) {
	d.Why = entry.Step{Code: code, Args: args}
	d.Steps = append(d.Steps, d.Why)
}

// schedule sets behind whom the entry leaves, and when at the earliest.
func (d *Decision) schedule(wait time.Duration, class viewing.Class, now time.Time) {
	switch class {
	case viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassImport:
		d.Lane = viewing.LaneBackfill
	case viewing.ClassLive, viewing.ClassMarked, viewing.ClassCatchUp:
		wait = max(wait, settleDelay)
	}
	if wait > 0 {
		d.NotBefore = now.Add(wait)
	}
}

// actionFor is what the user wants to become of a class.
func (s Settings) actionFor(c viewing.Class) Action {
	if a := s.Classes[c]; a != "" {
		return a
	}
	switch c {
	case viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassReview:
		return Hold
	default:
		return Send
	}
}

// findSilence is the silence that a viewing ended in; nil for none. A day that is not
// wholly in one counts as outside. What a person adds by hand is wanted.
func (s Settings) findSilence(source string, v viewing.Event) *account.Silence {
	if v.Kind != viewing.KindViewing || source == viewing.SourceCLI {
		return nil
	}
	first := v.WatchedAt.Earliest()
	last := first
	if v.WatchedAt.Precision == viewing.Day {
		last = first.Add(24*time.Hour - 1)
	}
	for i, q := range s.Silences {
		if !first.Before(q.From) && last.Before(q.Until) {
			return &s.Silences[i]
		}
	}
	return nil
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
	return accounts, entry.Step{Code: code, Args: entry.Args{"route": via, "accounts": strings.Join(accounts, ", ")}}
}

// names are what a source is called, the most exact first.
func (s Settings) names(source string) []string {
	kind := viewing.SourceKind(source)
	if s.Label != nil && s.Label(source) != "" {
		return []string{source, kind + ":" + s.Label(source), kind}
	}
	return []string{source, kind}
}
