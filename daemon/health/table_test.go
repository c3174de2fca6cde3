package health

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

func today() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// well returns the conditions of an instance without problems.
func well() Conditions {
	seen := today()
	return Conditions{Now: today(), Status: &control.Status{
		Accounts: []control.Account{{Name: "default", State: account.OK}},
		Sources:  []control.Source{{Name: "browser:1", Kind: viewing.SourceBrowser, State: account.OK, Label: "Chrome", LastSeen: &seen}},
	}}
}

// breaks maps a code to a function that creates its condition in the status, with a start long
// ago.
func breaks() map[string]func(*Conditions) {
	long := today().Add(-60 * day)
	return map[string]func(*Conditions){
		"notice": func(c *Conditions) {
			c.Status.Notices = []sqlite.Notice{{ID: 3, At: long, What: viewing.Verbatim("The file was damaged")}}
		},
		QueueUnwritable:     func(c *Conditions) { c.Status.Storage = &control.Storage{Reason: viewing.Say(DiskFull), Since: long} },
		"nothing-delivered": func(c *Conditions) { c.Status.Counts.Pending, c.Status.OldestPendingSeconds = 2, 60*24*3600 },
		"same-account": func(c *Conditions) {
			one := control.Account{Name: "one", State: account.OK, User: "u", BaseURL: "https://service.example/api/v1"}
			two := one
			two.Name = "two"
			c.Status.Accounts = append(c.Status.Accounts, one, two)
		},
		burst: func(c *Conditions) {
			c.Status.Counts.Held += 2
			c.Status.Bursts = []entry.Burst{{Source: "cli", Held: 2}}
		},
		"entries-in-doubt":  func(c *Conditions) { c.Status.Counts.InDoubt = 2 },
		"entries-rejected":  func(c *Conditions) { c.Status.Counts.Rejected = 2 },
		"entries-held":      func(c *Conditions) { c.Status.Counts.Held += 2 },
		"site-unread":       func(c *Conditions) { c.Status.Sources[0].Unread = []string{"Nordlicht"} },
		"browser-silent":    func(c *Conditions) { c.Status.Sources[0].LastSeen = &long },
		"nothing-connected": func(c *Conditions) { c.Status.Sources = nil },
	}
}

// broken creates the condition of a row.
func broken(t *testing.T, r row, c *Conditions) {
	t.Helper()
	does := breaks()[r.code]
	switch {
	case does == nil:
		what := viewing.Say("noWay")
		c.Troubles = append(c.Troubles, control.Problem{Code: r.code, About: "default", What: &what, Since: control.OptionalTime(today().Add(-60 * day))})
	default:
		does(c)
	}
}

// of returns the problem with a code, or nil.
func of(all []control.Problem, code string) *control.Problem {
	i := slices.IndexFunc(all, func(p control.Problem) bool { return p.Code == code })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// Each problem is reported exactly while its condition holds, in each language and with a remedy.
func TestEveryProblemFollowsItsCondition(t *testing.T) {
	for _, r := range table {
		on := well()
		broken(t, r, &on)
		all := Evaluate(on)
		p := of(all, r.code)
		if p == nil || p.Severity != r.severity || p.Cause != nil || len(Roots(all)) != 1 {
			t.Errorf("%s is not shown, or not alone: %+v", r.code, all)
			continue
		}
		if state := State(on.Status, all); (state == account.Attention) != (r.severity == control.NeedsYou) {
			t.Errorf("%s: the state is %s", r.code, state)
		}
		if r.act != "" && (p.Act.Command == nil || *p.Act.Command == "" || strings.ContainsAny(*p.Act.Command, "{}")) {
			t.Errorf("%s: %+v", r.code, p.Act)
		}
		if r.page != "" && (!strings.HasPrefix(p.Act.Page, "/") || strings.Contains(p.Act.Page, "{")) {
			t.Errorf("%s: mended at %q", r.code, p.Act.Page)
		}
		for _, tag := range []string{"en", "de"} {
			RenderProblems(locale.In(tag), all)
			for _, text := range []string{p.Text, p.Why, p.Act.Text} {
				if text == "" || strings.ContainsAny(text, "{}") || strings.Contains(text, "problem.") || strings.Contains(text, "told.") {
					t.Errorf("%s in %s: %q", r.code, tag, text)
				}
			}
		}
		if all = Evaluate(well()); len(all) > 0 {
			t.Errorf("when all is well: %+v", all)
		}
	}
}

// A problem is reported after its delay, or at once with AtOnce.
func TestProblemsAreReportedAfterTheirDelay(t *testing.T) {
	for _, early := range []time.Duration{0, time.Second} {
		on := well()
		on.Status.Counts.Pending = 1
		on.Status.Accounts[0].Troubles = []control.Problem{{Code: Unreachable, About: "default", Since: control.OptionalTime(today().Add(early - day)), After: day}}
		if shown := of(Evaluate(on), Unreachable) != nil; shown != (early == 0) {
			t.Errorf("%s before its time: shown %v", early, shown)
		}
		on.AtOnce = true
		if of(Evaluate(on), Unreachable) == nil {
			t.Error("it is not shown to somebody who asks")
		}
		if on.Status.Counts.Pending = 0; of(Evaluate(on), Unreachable) != nil {
			t.Error("a service is away for which nothing waits, and that is told")
		}
		silent := well()
		seen := today().Add(early - 30*day)
		silent.Status.Sources[0].LastSeen = &seen
		if shown := of(Evaluate(silent), "browser-silent") != nil; shown != (early == 0) {
			t.Errorf("a browser, %s before its time: shown %v", early, shown)
		}
	}
}

// An act has a command with its target, and the text of its verb.
func TestActsHaveCommands(t *testing.T) {
	for _, c := range []struct {
		trouble       control.Problem
		command, text string
	}{
		{control.Problem{Code: KeyRefused, About: "default"}, "filmspool login", "Log in with a new key."},
		{control.Problem{Code: KeyRefused, About: "anna"}, "filmspool login --account anna", "Log in with a new key."},
		{control.Problem{Code: KeyMissing, About: "anna", Act: control.Act{Verb: "address", Target: "anna"}}, "filmspool login --account anna --base-url ADDRESS", "Log in with the address of your service and a key."},
		{control.Problem{Code: KeyRefused, About: "anna", Act: control.Act{Verb: "credential", Target: "anna"}}, "filmspool service restart", "Change the systemd credential of account anna, then restart the service."},
		{control.Problem{Code: PortTaken}, "", "Stop the other program, or give Filmspool another port."},
	} {
		all := Evaluate(Conditions{Now: today(), Troubles: []control.Problem{c.trouble}})
		RenderProblems(locale.In(""), all)
		if command := all[0].Act.Command; (command != nil) != (c.command != "") || command != nil && *command != c.command || all[0].Act.Text != c.text {
			t.Errorf("%+v: %+v", c.trouble, all[0].Act)
		}
	}
	for reason, verb := range map[string]string{DiskFull: "free", "disk.readOnly": ""} {
		on := well()
		on.Status.Storage = &control.Storage{Reason: viewing.Say(reason)}
		if p := of(Evaluate(on), QueueUnwritable); p == nil || p.Act.Verb != verb {
			t.Errorf("%s: %+v", reason, p)
		}
	}
}

// "nothing-delivered" is reported a week after the last delivery or the oldest entry.
func TestNothingDeliveredWaitsAWeek(t *testing.T) {
	for _, c := range []struct {
		delivered, waits time.Duration
		told             bool
	}{
		{30 * day, 8 * day, true}, {8 * day, 30 * day, true}, {6 * day, 30 * day, false}, {30 * day, time.Minute, false},
	} {
		on, last := well(), today().Add(-c.delivered)
		on.Status.Counts.Pending, on.Status.OldestPendingSeconds = 1, int64(c.waits/time.Second)
		on.Status.Accounts[0].LastDelivered = &last
		if told := of(Evaluate(on), "nothing-delivered") != nil; told != c.told {
			t.Errorf("delivered %s ago, waits for %s: told %v", c.delivered, c.waits, told)
		}
	}
}

// A diary without a service is not a problem, however many entries it has, and whether their
// numbers are known or not.
func TestDiaryWithoutServiceIsNoProblem(t *testing.T) {
	on := well()
	on.Status.Counts.Pending, on.Status.Counts.Held, on.Status.OldestPendingSeconds = 3, 2, int64(30*day/time.Second)
	on.Status.Accounts[0].Local, on.Status.Accounts[0].LastDelivered, on.Status.Accounts[0].Unresolved = true, nil, 2
	for _, code := range []string{"nothing-delivered", "entries-unknown", "entries-held"} {
		if p := of(Evaluate(on), code); p != nil {
			t.Errorf("told: %s", p.Code)
		}
	}
	Render(locale.In(locale.English), on.Status)
	if want := "Your diary is kept on this computer: 5 entries."; on.Status.Summary != want || on.Status.NeedUser() != 0 {
		t.Errorf("%q, want %q; %d need the user", on.Status.Summary, want, on.Status.NeedUser())
	}
}

// "nothing-delivered" ignores the entries of other accounts.
func TestNothingDeliveredIgnoresOtherAccounts(t *testing.T) {
	on, one := well(), entry.Counts{Pending: 1}
	on.Status.Counts.Pending, on.Status.OldestPendingSeconds = 2, int64(30*day/time.Second)
	on.Status.Accounts = []control.Account{
		{Name: "anna", State: account.Paused, Counts: &one, Oldest: today().Add(-30 * day)},
		{Name: "ben", State: account.Offline, Counts: &one, Oldest: today().Add(-time.Minute)},
	}
	if p := of(Evaluate(on), "nothing-delivered"); p != nil {
		t.Errorf("told: %s", p.Text)
	}
}

// A problem names its cause and is then not a root.
func TestCausedProblemsAreNoRoots(t *testing.T) {
	rows := table
	for _, r := range rows {
		for _, cause := range r.causes {
			i := slices.IndexFunc(rows, func(r row) bool { return r.code == cause })
			if i < 0 {
				t.Errorf("%s comes from %s, which is in no row", r.code, cause)
				continue
			}
			c := well()
			broken(t, r, &c)
			broken(t, rows[i], &c)
			p := of(Evaluate(c), r.code)
			if p == nil || p.Cause == nil || !slices.Contains(r.causes, *p.Cause) {
				t.Errorf("%s beside %s: %+v", r.code, cause, p)
			} else if roots := Roots([]control.Problem{*p}); len(roots) > 0 {
				t.Errorf("%s is a root beside %s", r.code, cause)
			}
		}
	}
}

// A problem of one account does not hide those of another.
func TestCausesAreOfTheSameAccount(t *testing.T) {
	c := well()
	c.Status.Counts.Pending, c.Status.OldestPendingSeconds = 2, 60*24*3600
	c.Status.Accounts = append(c.Status.Accounts, control.Account{
		Name: "anna", State: account.Attention, Troubles: []control.Problem{{Code: KeyRefused, About: "anna"}},
	})
	for _, p := range Evaluate(c) {
		if hidden := p.Code == "nothing-delivered" && p.About == "anna"; (p.Cause != nil) != hidden {
			t.Errorf("%s of %s: cause %v", p.Code, p.About, p.Cause)
		}
	}
}

// The catalogue contains no texts of problems that are not in the table.
func TestCatalogueHasNoOtherProblems(t *testing.T) {
	for _, key := range locale.In("").Keys() {
		rest, ours := strings.CutPrefix(key, "problem.")
		code, part, _ := strings.Cut(rest, ".")
		if ours && (!slices.ContainsFunc(table, func(r row) bool { return r.code == code }) || !slices.Contains([]string{"text", "why", "act"}, part)) {
			t.Errorf("no row has %s", key)
		}
	}
}

// Without a status only the caller's problems are reported, none about browsers or accounts.
func TestEvaluateWithoutStatus(t *testing.T) {
	if all := Evaluate(Conditions{Now: today()}); len(all) > 0 || State(nil, all) != account.OK {
		t.Errorf("%+v", all)
	}
	all := Evaluate(Conditions{Now: today(), Troubles: []control.Problem{{Code: NotRunning, Act: control.Act{Verb: "start"}}}})
	if len(all) != 1 || State(nil, all) != account.Attention || *all[0].Act.Command != "filmspool service start" {
		t.Errorf("%+v", all)
	}
}

// A problem is one line, although an error of the configuration quotes lines of the file.
func TestProblemIsOneLine(t *testing.T) {
	what := viewing.Verbatim("c.toml has a mistake\n1| a = b")
	all := Evaluate(Conditions{Now: today(), Troubles: []control.Problem{{Code: ConfigInvalid, What: &what}}})
	RenderProblems(locale.In(""), all)
	if want := "The configuration has a mistake: c.toml has a mistake."; all[0].Text != want {
		t.Errorf("%q, want %q", all[0].Text, want)
	}
}
