package health

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

func today() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// well is an instance of which nothing is to be said.
func well() Conditions {
	seen := today()
	return Conditions{Now: today(), Status: &control.Status{
		Accounts: []control.Account{{Name: "default", State: account.OK}},
		Sources:  []control.Source{{Name: "browser:1", Kind: viewing.SourceBrowser, State: account.OK, Detail: "Chrome", LastSeen: &seen}},
	}}
}

// breaks makes a condition hold that is found in the status, since long ago.
func breaks() map[string]func(*Conditions) {
	long := today().Add(-60 * day)
	offline := func(code string) func(*Conditions) {
		return func(c *Conditions) {
			a := &c.Status.Accounts[0]
			c.Status.Counts.Pending, a.State, a.Reason = 2, account.Offline, "no way"
			a.Troubles = append(a.Troubles, control.Trouble{Code: code, About: a.Name, Detail: "no way", Since: long})
		}
	}
	return map[string]func(*Conditions){
		"notice": func(c *Conditions) {
			c.Status.Notices = []sqlite.Notice{{ID: 3, At: long, Text: "The file was damaged."}}
		},
		"nothing-delivered": func(c *Conditions) { c.Status.Counts.Pending, c.Status.OldestPendingSeconds = 2, 60*24*3600 },
		Unreachable:         offline(Unreachable),
		Throttled:           offline(Throttled),
		"paused-long":       func(c *Conditions) { c.Status.Accounts[0].State, c.Status.Accounts[0].Since = account.Paused, long },
		"same-account": func(c *Conditions) {
			one := control.Account{Name: "one", State: account.OK, User: "u", BaseURL: "https://service.example/api/v1"}
			two := one
			two.Name = "two"
			c.Status.Accounts = append(c.Status.Accounts, one, two)
		},
		codeWave: func(c *Conditions) {
			c.Status.Counts.Held += 2
			c.Status.Waves = []entry.Wave{{Source: "cli", Held: 2}}
		},
		"entries-in-doubt":   func(c *Conditions) { c.Status.Counts.InDoubt = 2 },
		"entries-rejected":   func(c *Conditions) { c.Status.Counts.Rejected = 2 },
		"entries-held":       func(c *Conditions) { c.Status.Counts.Held += 2 },
		"entries-unresolved": func(c *Conditions) { c.Status.Counts.Held += 2; c.Status.Accounts[0].Unresolved = 2 },
		"site-unread":        func(c *Conditions) { c.Status.Sources[0].Unread = []string{"Nordlicht"} },
		"browser-silent":     func(c *Conditions) { c.Status.Sources[0].LastSeen = &long },
		"nothing-connected":  func(c *Conditions) { c.Status.Sources = nil },
	}
}

// broken is the condition of a row, beside what is there already.
func broken(t *testing.T, r row, c *Conditions) {
	t.Helper()
	does := breaks()[r.code]
	switch {
	case r.find == nil:
		c.Troubles = append(c.Troubles, control.Trouble{Code: r.code, About: "default", Detail: "a detail", Count: 2, Since: today().Add(-60 * day)})
	case does == nil:
		t.Fatalf("no test has shown %s", r.code)
	default:
		does(c)
	}
}

// of is the problem with a code; nil for none.
func of(v Verdict, code string) *control.Problem {
	i := slices.IndexFunc(v.Problems, func(p control.Problem) bool { return p.Code == code })
	if i < 0 {
		return nil
	}
	return &v.Problems[i]
}

// TestEveryProblemIsShownAndGone: each row is told while its condition holds, in each
// language, with what mends it; no sooner than it says; and no longer.
func TestEveryProblemIsShownAndGone(t *testing.T) {
	all := catalogue(t)
	for _, r := range table() {
		for tag := range all {
			on := well()
			broken(t, r, &on)
			v := Judge(all.In(tag), on)
			p := of(v, r.code)
			if p == nil || p.Severity != r.severity || p.Cause != nil {
				t.Errorf("%s is not shown: %+v", r.code, p)
				continue
			}
			if (v.State == account.Attention) != (r.severity == control.NeedsYou) {
				t.Errorf("%s: the state is %s", r.code, v.State)
			}
			for part, text := range map[string]string{"text": p.Text, "why": p.Why, "act": p.Act.Text} {
				checkText(t, tag+" "+r.code+" "+part, text)
			}
			if r.command != "" && (p.Act.Command == nil || strings.Contains(*p.Act.Command, "{")) {
				t.Errorf("%s: %+v", r.code, p.Act)
			}
			if r.page != "" && (!strings.HasPrefix(p.Act.Page, "/") || strings.Contains(p.Act.Page, "{")) {
				t.Errorf("%s: mended at %q", r.code, p.Act.Page)
			}
			if v = Judge(all.In(tag), well()); len(v.Problems) > 0 {
				t.Errorf("when all is well: %+v", v.Problems)
			}
			on.Now = on.Now.Add(-60*day + r.after - time.Second)
			if of(Judge(all.In(tag), on), r.code) != nil && r.after > 0 {
				t.Errorf("%s is shown too soon", r.code)
			}
			if on.AtOnce = true; r.after > 0 && of(Judge(all.In(tag), on), r.code) == nil {
				t.Errorf("%s is not shown to somebody who asks", r.code)
			}
		}
	}
}

// TestWhatIsLongAgo: a browser may be silent, and an account paused, for a while.
func TestWhatIsLongAgo(t *testing.T) {
	s := catalogue(t).In("")
	for code, after := range map[string]time.Duration{"browser-silent": 30 * day, "paused-long": week} {
		for _, early := range []time.Duration{0, time.Second} {
			on := well()
			breaks()[code](&on)
			on.Now, on.AtOnce = on.Now.Add(-60*day+after-early), true
			if shown := of(Judge(s, on), code) != nil; shown != (early == 0) {
				t.Errorf("%s, %s before its time: shown %v", code, early, shown)
			}
		}
	}
}

// TestNothingDeliveredWaitsAWeek, from the last delivery, or from when the oldest
// entry came.
func TestNothingDeliveredWaitsAWeek(t *testing.T) {
	s := catalogue(t).In("")
	for _, c := range []struct {
		delivered, waits time.Duration
		told             bool
	}{
		{30 * day, 8 * day, true}, {8 * day, 30 * day, true}, {6 * day, 30 * day, false}, {30 * day, time.Minute, false},
	} {
		on, last := well(), today().Add(-c.delivered)
		on.Status.Counts.Pending, on.Status.OldestPendingSeconds = 1, int64(c.waits/time.Second)
		on.Status.Accounts[0].LastDelivered = &last
		if told := of(Judge(s, on), "nothing-delivered") != nil; told != c.told {
			t.Errorf("delivered %s ago, waits for %s: told %v", c.delivered, c.waits, told)
		}
	}
}

// TestNothingDeliveredIsOfItsOwnEntries: what another account has kept for weeks is not
// this one's.
func TestNothingDeliveredIsOfItsOwnEntries(t *testing.T) {
	on, one := well(), entry.Counts{Pending: 1}
	on.Status.Counts.Pending, on.Status.OldestPendingSeconds = 2, int64(30*day/time.Second)
	on.Status.Accounts = []control.Account{
		{Name: "anna", State: account.Paused, Counts: &one, Oldest: today().Add(-30 * day)},
		{Name: "ben", State: account.Offline, Counts: &one, Oldest: today().Add(-time.Minute)},
	}
	if p := of(Judge(catalogue(t).In(""), on), "nothing-delivered"); p != nil {
		t.Errorf("told: %s", p.Text)
	}
}

// TestACauseHidesItsEffects: what comes from another problem names it, and is no root.
func TestACauseHidesItsEffects(t *testing.T) {
	s, rows := catalogue(t).In(""), table()
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
			p := of(Judge(s, c), r.code)
			if p == nil || p.Cause == nil || !slices.Contains(r.causes, *p.Cause) {
				t.Errorf("%s beside %s: %+v", r.code, cause, p)
			} else if roots := Roots([]control.Problem{*p}); len(roots) > 0 {
				t.Errorf("%s is a root beside %s", r.code, cause)
			}
		}
	}
}

// TestACauseIsOfTheSameAccount: what is wrong with one account hides nothing of another.
func TestACauseIsOfTheSameAccount(t *testing.T) {
	c := well()
	c.Status.Counts.Pending, c.Status.OldestPendingSeconds = 2, 60*24*3600
	c.Status.Accounts = append(c.Status.Accounts, control.Account{
		Name: "anna", State: account.Attention, Troubles: []control.Trouble{{Code: KeyRefused, About: "anna"}},
	})
	for _, p := range Judge(catalogue(t).In(""), c).Problems {
		if hidden := p.Code == "nothing-delivered" && p.About == "anna"; (p.Cause != nil) != hidden {
			t.Errorf("%s of %s: cause %v", p.Code, p.About, p.Cause)
		}
	}
}

// TestTheCatalogueHasNoOtherProblems: a text of a row that is gone would stay for ever.
func TestTheCatalogueHasNoOtherProblems(t *testing.T) {
	for _, key := range catalogue(t).In("").Keys() {
		rest, ours := strings.CutPrefix(key, "problem.")
		code, part, _ := strings.Cut(rest, ".")
		if ours && (!slices.ContainsFunc(table(), func(r row) bool { return r.code == code }) || !slices.Contains([]string{"text", "why", "act"}, part)) {
			t.Errorf("no row has %s", key)
		}
	}
}

// TestWithoutAnInstanceChecksAloneAreJudged: where none can be asked, nothing is said
// of browsers or accounts.
func TestWithoutAnInstanceChecksAloneAreJudged(t *testing.T) {
	s := catalogue(t).In("")
	if v := Judge(s, Conditions{Now: today()}); v.State != account.OK || v.Summary != "Everything is well." || len(v.Problems) > 0 {
		t.Errorf("%+v", v)
	}
	v := Judge(s, Conditions{Now: today(), Troubles: []control.Trouble{{Code: ServiceStopped}}})
	if v.State != account.Attention || v.Summary != "The service is installed, but does not run." || v.Hint != "filmspool service start" {
		t.Errorf("%+v", v)
	}
}

func catalogue(t *testing.T) words.Catalogue {
	t.Helper()
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkText: a text is whole, with all its values.
func checkText(t *testing.T, name, text string) {
	t.Helper()
	if text == "" || strings.ContainsAny(text, "{}") || strings.HasPrefix(text, "problem.") {
		t.Errorf("%s is %q", name, text)
	}
}
