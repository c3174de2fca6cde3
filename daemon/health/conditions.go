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

// Conditions are the facts from which [Evaluate] derives problems.
type Conditions struct {
	// Status is the status of the instance; nil if it is unknown.
	Status *control.Status
	// Troubles are problems that the caller found itself.
	Troubles []control.Problem
	Now      time.Time
	// AtOnce includes problems that have not lasted long enough to be reported by themselves.
	AtOnce bool
}

// Evaluate returns all problems, the most severe first, without their texts.
func Evaluate(c Conditions) []control.Problem {
	all := []control.Problem{}
	troubles := collect(c)
	for _, r := range table {
		for _, t := range troubles {
			if t.Code == r.code && (c.AtOnce || t.After == 0 || c.lasted(t.Since, t.After)) {
				all = append(all, r.withDefaults(t))
			}
		}
	}
	return Rank(all)
}

// lasted reports whether a condition has lasted for a time. An unknown start has not.
func (c Conditions) lasted(since *time.Time, least time.Duration) bool {
	return since != nil && c.Now.Sub(*since) >= least
}

// withDefaults adds the values of the problem's row.
func (r row) withDefaults(p control.Problem) control.Problem {
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

// Command returns the command line of an act, or "".
func Command(a control.Act) string {
	login := "filmspool login"
	if a.Target != viewing.DefaultAccount {
		login += " --account " + a.Target
	}
	return strings.NewReplacer("{login}", login, "{target}", a.Target).Replace(commands[a.Verb])
}

// CommandOf returns the command line that solves a problem, or nil.
func CommandOf(p control.Problem) *string { return rowOf(p.Code).withDefaults(p).Act.Command }

// Rank sorts problems, the most severe first, and sets their causes. A problem may be the cause
// of another one about the same thing; a problem about nothing in particular matches all.
func Rank(all []control.Problem) []control.Problem {
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

// Roots returns the problems that no other problem causes.
func Roots(all []control.Problem) []control.Problem {
	return slices.DeleteFunc(slices.Clone(all), func(p control.Problem) bool { return p.Cause != nil })
}

// State returns the state of an instance with these problems.
func State(s *control.Status, all []control.Problem) account.State {
	switch {
	case mostSevere(all) != nil:
		return account.Attention
	case s != nil && inState(s, account.Offline) != nil:
		return account.Offline
	case s != nil && inState(s, account.Paused) != nil:
		return account.Paused
	default:
		return account.OK
	}
}

// mostSevere returns the first problem that needs the user, or nil.
func mostSevere(all []control.Problem) *control.Problem {
	for i, p := range all {
		if p.Severity == control.NeedsYou && p.Cause == nil {
			return &all[i]
		}
	}
	return nil
}

// RenderProblems renders the texts of problems in a language.
func RenderProblems(s locale.Speech, all []control.Problem) {
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

// SeverityText returns the text of a severity.
func SeverityText(s locale.Speech, severity control.Severity) string {
	return s.Say("severity." + strings.ReplaceAll(string(severity), " ", "-"))
}

// collect returns the problems that the caller found and those that follow from the status.
func collect(c Conditions) []control.Problem {
	all := slices.Clone(c.Troubles)
	if c.Status == nil {
		return all
	}
	if disk := c.Status.Storage; disk != nil {
		t := control.Problem{Code: QueueUnwritable, What: &disk.Reason, Since: control.OptionalTime(disk.Since)}
		if disk.Reason.Code == DiskFull {
			t.Act = control.Act{Verb: "free"}
		}
		all = append(all, t)
	}
	for _, a := range c.Status.Accounts {
		for _, t := range a.Troubles {
			if !a.Unused && (t.Code != Unreachable || waiting(c, a) > 0) { // a temporary outage matters only if entries wait
				all = append(all, t)
			}
		}
	}
	for _, s := range c.Status.Sources {
		all = append(all, s.Troubles...)
	}
	for _, n := range c.Status.Notices {
		id := strconv.FormatInt(n.ID, 10)
		all = append(all, control.Problem{Code: notice, About: id, What: message(n.What), Since: control.OptionalTime(n.At)})
	}
	all = append(all, stalled(c)...)
	all = append(all, sameAccount(c)...)
	all = append(all, entries(c.Status)...)
	return append(all, sources(c)...)
}

// waiting returns how many entries wait for an account, or for all accounts if its counts are
// unknown.
func waiting(c Conditions, a control.Account) int64 {
	if a.Counts != nil {
		return a.Counts.Pending + a.Counts.Sending
	}
	return c.Status.Counts.Pending + c.Status.Counts.Sending
}

// stalled returns a problem for each account with waiting entries and no delivery for a week.
// After a long break, the week starts with the oldest waiting entry.
func stalled(c Conditions) (all []control.Problem) {
	since := c.Now.Add(-time.Duration(c.Status.OldestPendingSeconds) * time.Second)
	for _, a := range c.Status.Accounts {
		n := waiting(c, a)
		if a.Unused || a.Local || a.State == account.Paused || n == 0 {
			continue
		}
		t := control.Problem{Code: NothingDelivered, About: a.Name, Act: control.Act{Verb: "list", Target: string(viewing.StatePending)}, Count: n, Since: &since}
		if a.Oldest.After(since) { // the oldest entry of all belongs to another account
			t.Since = &a.Oldest
		}
		if a.LastDelivered != nil && a.LastDelivered.After(*t.Since) {
			t.Since = a.LastDelivered
		}
		if c.lasted(t.Since, week) {
			all = append(all, t)
		}
	}
	return all
}

// sameAccount returns a problem for each account that has the same user at the service as an
// earlier one.
func sameAccount(c Conditions) (all []control.Problem) {
	for i, a := range c.Status.Accounts {
		same := func(b control.Account) bool { return a.User != "" && a.User == b.User && a.BaseURL == b.BaseURL }
		if first := slices.IndexFunc(c.Status.Accounts, same); first >= 0 && first < i {
			all = append(all, control.Problem{Code: sameUser, About: a.Name, What: message(viewing.Verbatim(c.Status.Accounts[first].Name))})
		}
	}
	return all
}

// entries returns a problem for each kind of entry that needs the user.
func entries(s *control.Status) (all []control.Problem) {
	add := func(code string, n int64, verb, target string) {
		if n > 0 {
			all = append(all, control.Problem{Code: code, Count: n, Act: control.Act{Verb: verb, Target: target}})
		}
	}
	held := s.Counts.Held
	for _, w := range s.Bursts {
		from := viewing.Say("source", "source", w.Source)
		add(burst, w.Held, "release", viewing.ReasonBurst)
		all[len(all)-1].What = &from
		held -= w.Held
	}
	held -= s.LocalUnresolved()
	var unknown int64
	for _, a := range s.Accounts {
		if !a.Local {
			unknown += a.Unresolved
		}
	}
	unknown = min(unknown, held) // a burst may hold such titles, too
	add("entries-unknown", unknown, "list-reason", viewing.ReasonUnresolved)
	add("entries-in-doubt", s.Counts.InDoubt, "list", string(viewing.StateInDoubt))
	add("entries-rejected", s.Counts.Rejected, "list", string(viewing.StateRejected))
	add("entries-held", held-unknown, "list", string(viewing.StateHeld))
	return all
}

// sources returns problems of the sources: sites that a browser can no longer read, browsers
// silent for 30 days, and no source at all.
func sources(c Conditions) (all []control.Problem) {
	var sites []string
	reports := false
	for _, s := range c.Status.Sources {
		sites = append(sites, s.Unread...)
		reports = reports || slices.Contains([]string{viewing.SourceBrowser, viewing.SourceProgram, viewing.SourceKodi}, s.Kind)
		if s.Kind == viewing.SourceBrowser && c.lasted(s.LastSeen, 30*day) {
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

// message returns a pointer to m, or nil if m is empty.
func message(m viewing.Message) *viewing.Message {
	if m.Code == "" {
		return nil
	}
	return &m
}
