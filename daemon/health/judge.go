package health

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Conditions are the facts that are judged.
type Conditions struct {
	// Status is how an instance stands; nil where none can be asked.
	Status *control.Status
	// Troubles are what checks found beside it.
	Troubles []control.Problem
	Now      time.Time
	// AtOnce tells also what has not lasted long enough to be worth a word: somebody
	// asks what is wrong now.
	AtOnce bool
}

// Judge is what is wrong, the worst first, still without words.
func Judge(c Conditions) []control.Problem {
	all := []control.Problem{}
	troubles := found(c)
	for _, r := range table {
		for _, t := range troubles {
			if t.Code == r.code && (c.AtOnce || t.After == 0 || c.longer(t.Since, t.After)) {
				all = append(all, r.complete(t))
			}
		}
	}
	return Ranked(all)
}

// longer reports whether something has lasted; what began at a time that nobody knows
// has not.
func (c Conditions) longer(since *time.Time, least time.Duration) bool {
	return since != nil && c.Now.Sub(*since) >= least
}

// complete adds to a problem what its row says.
func (r row) complete(p control.Problem) control.Problem {
	p.Severity = r.severity
	if p.Act.Verb == "" {
		p.Act = control.Act{Verb: r.act, Target: p.About}
	}
	p.Act.Page = strings.ReplaceAll(r.page, "{about}", p.About)
	if command := Command(p.Act); command != "" {
		p.Act.Command = &command
	}
	return p
}

// Command is the command line of an act; "" where there is none.
func Command(a control.Act) string {
	login := "filmspool login"
	if a.Target != viewing.DefaultAccount {
		login += " --account " + a.Target
	}
	return strings.NewReplacer("{login}", login, "{target}", a.Target).Replace(commands[a.Verb])
}

// CommandOf is the command line that mends a problem; nil where there is none.
func CommandOf(p control.Problem) *string { return rowOf(p.Code).complete(p).Act.Command }

// Ranked are problems, the worst first, with their causes. A cause explains what is about
// the same thing, or where either is about all.
func Ranked(all []control.Problem) []control.Problem {
	rank := func(p control.Problem) int {
		return slices.Index([]control.Severity{control.NeedsYou, control.Soon, control.Note}, p.Severity)
	}
	slices.SortStableFunc(all, func(a, b control.Problem) int { return rank(a) - rank(b) })
	for i, p := range all {
		for _, other := range all {
			if slices.Contains(rowOf(p.Code).causes, other.Code) && (p.About == other.About || p.About == "" || other.About == "") {
				all[i].Cause = &other.Code
				break
			}
		}
	}
	return all
}

func rowOf(code string) row {
	if i := slices.IndexFunc(table, func(r row) bool { return r.code == code }); i >= 0 {
		return table[i]
	}
	return row{}
}

// Roots are the problems that no other one causes.
func Roots(all []control.Problem) []control.Problem {
	return slices.DeleteFunc(slices.Clone(all), func(p control.Problem) bool { return p.Cause != nil })
}

// State is how an instance stands with these problems.
func State(s *control.Status, all []control.Problem) account.State {
	switch {
	case first(all) != nil:
		return account.Attention
	case s != nil && inState(s, account.Offline) != nil:
		return account.Offline
	case s != nil && inState(s, account.Paused) != nil:
		return account.Paused
	default:
		return account.OK
	}
}

// first is the worst problem that needs a person; nil for none.
func first(all []control.Problem) *control.Problem {
	for i, p := range all {
		if p.Severity == control.NeedsYou && p.Cause == nil {
			return &all[i]
		}
	}
	return nil
}

// Write writes the texts of problems in a language.
func Write(s locale.Speech, all []control.Problem) {
	for i := range all {
		p := &all[i]
		values := []any{"about", p.About, "n", p.Count, "since", p.Since, "what", ""}
		if p.What != nil {
			what, _, _ := strings.Cut(s.Message(*p.What), "\n") // the lines of the file stand below
			values[len(values)-1] = strings.TrimSuffix(what, ".")
		}
		say := func(part string) string {
			text := s.Say("problem."+p.Code+part, values...)
			if p.About != "" && strings.HasPrefix(text, p.About) {
				return locale.Ended(text)
			}
			return locale.Sentence(text)
		}
		p.Text, p.Why, p.Act.Text = say(".text"), say(".why"), say(".act")
		if key := "act." + p.Act.Verb; s.Has(key) && p.Act.Verb != rowOf(p.Code).act {
			p.Act.Text = s.Say(key, "target", p.Act.Target, "about", p.About)
		}
	}
}

// Word is a severity in a language.
func Word(s locale.Speech, severity control.Severity) string {
	return s.Say("severity." + strings.ReplaceAll(string(severity), " ", "-"))
}

// found are all troubles: those that checks and parts of the program report, and those
// that are found in the status.
func found(c Conditions) []control.Problem {
	all := slices.Clone(c.Troubles)
	if c.Status == nil {
		return all
	}
	if disk := c.Status.Storage; disk != nil {
		t := control.Problem{Code: QueueUnwritable, What: &disk.Reason, Since: control.Known(disk.Since)}
		if disk.Reason.Code == DiskFull {
			t.Act = control.Act{Verb: "free"}
		}
		all = append(all, t)
	}
	for _, a := range c.Status.Accounts {
		for _, t := range a.Troubles {
			if !a.Unused && (t.Code != Unreachable || waiting(c, a) > 0) { // it passes, and matters where something waits
				all = append(all, t)
			}
		}
	}
	for _, s := range c.Status.Sources {
		all = append(all, s.Troubles...)
	}
	for _, n := range c.Status.Notices {
		id := strconv.FormatInt(n.ID, 10)
		all = append(all, control.Problem{Code: notice, About: id, What: message(n.What), Since: control.Known(n.At)})
	}
	all = append(all, stalled(c)...)
	all = append(all, sameAccount(c)...)
	all = append(all, entries(c.Status)...)
	return append(all, sources(c)...)
}

// waiting is how many entries wait for an account, of all where that is not told.
func waiting(c Conditions, a control.Account) int64 {
	if a.Counts != nil {
		return a.Counts.Pending + a.Counts.Sending
	}
	return c.Status.Counts.Pending + c.Status.Counts.Sending
}

// stalled are accounts for which something waits and nothing was delivered for a week.
// What was watched after a long holiday has waited for as long as it is there.
func stalled(c Conditions) (all []control.Problem) {
	since := c.Now.Add(-time.Duration(c.Status.OldestPendingSeconds) * time.Second)
	for _, a := range c.Status.Accounts {
		n := waiting(c, a)
		if a.Unused || a.Local || a.State == account.Paused || n == 0 {
			continue
		}
		t := control.Problem{Code: NothingDelivered, About: a.Name, Act: control.Act{Verb: "list", Target: string(viewing.StatePending)}, Count: n, Since: &since}
		if a.Oldest.After(since) { // what waits longer is another account's
			t.Since = &a.Oldest
		}
		if a.LastDelivered != nil && a.LastDelivered.After(*t.Since) {
			t.Since = a.LastDelivered
		}
		if c.longer(t.Since, week) {
			all = append(all, t)
		}
	}
	return all
}

// sameAccount are accounts that are one at the service.
func sameAccount(c Conditions) (all []control.Problem) {
	for i, a := range c.Status.Accounts {
		same := func(b control.Account) bool { return a.User != "" && a.User == b.User && a.BaseURL == b.BaseURL }
		if first := slices.IndexFunc(c.Status.Accounts, same); first >= 0 && first < i {
			all = append(all, control.Problem{Code: sameUser, About: a.Name, What: message(viewing.Said(c.Status.Accounts[first].Name))})
		}
	}
	return all
}

// entries are those that wait for a person, by what they wait for.
func entries(s *control.Status) (all []control.Problem) {
	add := func(code string, n int64, verb, target string) {
		if n > 0 {
			all = append(all, control.Problem{Code: code, Count: n, Act: control.Act{Verb: verb, Target: target}})
		}
	}
	held := s.Counts.Held
	for _, w := range s.Waves {
		from := viewing.Say("source", "source", w.Source)
		add(wave, w.Held, "release", viewing.ReasonWave)
		all[len(all)-1].What = &from
		held -= w.Held
	}
	var unknown int64
	for _, a := range s.Accounts {
		unknown += a.Unresolved
	}
	unknown = min(unknown, held) // a wave may hold such titles, too
	add("entries-unknown", unknown, "list-reason", viewing.ReasonUnresolved)
	add("entries-in-doubt", s.Counts.InDoubt, "list", string(viewing.StateInDoubt))
	add("entries-rejected", s.Counts.Rejected, "list", string(viewing.StateRejected))
	add("entries-held", held-unknown, "list", string(viewing.StateHeld))
	return all
}

// sources are what reports viewings: sites that a browser cannot read any more, browsers
// that have not been heard of for 30 days, and that there is nothing but the command line.
func sources(c Conditions) (all []control.Problem) {
	var sites []string
	reports := false
	for _, s := range c.Status.Sources {
		sites = append(sites, s.Unread...)
		reports = reports || slices.Contains([]string{viewing.SourceBrowser, viewing.SourceProgram, viewing.SourceKodi}, s.Kind)
		if s.Kind == viewing.SourceBrowser && c.longer(s.LastSeen, 30*day) {
			all = append(all, control.Problem{Code: "browser-silent", About: s.Label, Since: s.LastSeen})
		}
	}
	slices.Sort(sites)
	for _, site := range slices.Compact(sites) {
		all = append(all, control.Problem{Code: "site-unread", About: site})
	}
	if !reports {
		all = append(all, control.Problem{Code: "nothing-connected"})
	}
	return all
}

// message is a message that may be absent.
func message(m viewing.Message) *viewing.Message {
	if m.Code == "" {
		return nil
	}
	return &m
}
