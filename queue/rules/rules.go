// Package rules decides what happens to a viewing: which accounts get it, and whether it is sent,
// held or dropped. It is pure: the same viewing, settings and time give the same decision. Every
// decision includes its steps.
package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// settleDelay is how long an entry waits that a library has just reported. Items that were marked
// together are written within two seconds and read within another second or two, so by then their
// number is known.
const settleDelay = 5 * time.Second

// Settings are the user's settings.
type Settings struct {
	// Routes maps a source ("browser:3f2a") or a kind of source ("browser") to the names
	// of its accounts. The exact name has precedence over the kind, and the kind over "",
	// which matches every source.
	Routes map[string][]string
	// Label returns the name that a person gave a source, "" if none exists. It can be
	// used instead of the source's own, as in "browser:living-room". It may change while
	// the program runs. Label may be nil.
	Label func(source string) string
	// Grace is the delay before an entry is sent, so that it can be dropped before; from
	// 0 to 24 hours.
	Grace time.Duration
	// Filters are tried in this order; the first match applies.
	Filters []Filter
	// Classes are the actions for the viewings of libraries by class. By default bulk,
	// backdated and review are held, the others sent.
	Classes map[viewing.Class]Action
	// Approve holds every viewing until a person approves it, except imports, which a
	// person has requested.
	Approve bool
	// BurstLimit is how many viewings of one source may end within a minute; more are
	// held. 0 means no limit.
	BurstLimit int
	// Untitled are the sites whose videos are dropped if they have neither title nor number.
	Untitled []string
	// Silences are the pauses of the account in which viewings are dropped.
	Silences []account.Silence
}

// Decision is what happens to one item. It is the same for each of its accounts.
type Decision struct {
	State  viewing.State // pending, held or dropped
	Reason string        // if held or dropped: one of the reasons
	Steps  []entry.Step  // the explanation; the first step is about the accounts
	Why    entry.Step    // the step that decided
	Lane   viewing.Lane
	// NotBefore is the earliest time to send the entry; zero means now.
	NotBefore time.Time
}

// Decide decides about one item of v, reported by source. The item m is nil for a list; now is
// the current time. If both a filter and the class of a viewing apply, the stricter action wins.
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

// decide sets the decision and adds its step.
func (d *Decision) decide(state viewing.State, reason, code string, args entry.Args) {
	d.State, d.Reason = state, reason
	d.addStep(code, args)
}

// addStep adds a step, which becomes the one that decided.
func (d *Decision) addStep(code string, args entry.Args) {
	d.Why = entry.Step{Code: code, Args: args}
	d.Steps = append(d.Steps, d.Why)
}

// schedule sets the lane of the entry and its earliest time.
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

// actionFor returns the action for a class.
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

// findSilence returns the silence in which a viewing ended; nil if none exists. A day must be
// completely within it. Viewings that a person adds by hand are never silenced.
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

// AccountsOf returns the accounts of a source, without duplicates; at least one.
func (s Settings) AccountsOf(source string) []string {
	accounts, _ := s.route(source)
	return accounts
}

// route returns the accounts of a source and the step that explains them.
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

// names returns the names of a source, the most specific first.
func (s Settings) names(source string) []string {
	kind := viewing.SourceKind(source)
	if s.Label != nil && s.Label(source) != "" {
		return []string{source, kind + ":" + s.Label(source), kind}
	}
	return []string{source, kind}
}
