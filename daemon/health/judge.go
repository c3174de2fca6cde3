package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue/account"
)

// Conditions are the facts that are judged.
type Conditions struct {
	// Status is how an instance stands, still without its sentence; nil where none
	// can be asked.
	Status *control.Status
	// Troubles are what checks found beside it.
	Troubles []control.Trouble
	Now      time.Time
	// AtOnce tells also of what has not lasted long enough to be worth a word: somebody
	// asks what is wrong now.
	AtOnce bool
}

// Verdict is how things stand. Problems are all of them, the worst first, also those
// that another one causes.
type Verdict struct {
	State         account.State
	Summary, Hint string
	Problems      []control.Problem
}

// Judge tells how things stand, in one language. Hint is what to type next, or to do.
func Judge(s words.Speech, c Conditions) Verdict {
	found := find(c)
	v := Verdict{State: account.OK, Problems: make([]control.Problem, len(found))}
	for i, f := range found {
		v.Problems[i] = f.problem(s, found)
	}
	first := slices.IndexFunc(v.Problems, func(p control.Problem) bool { return p.Severity == control.NeedsYou && p.Cause == nil })
	switch {
	case first >= 0:
		v.State, v.Hint = account.Attention, found[first].hint(v.Problems[first])
		v.Summary = v.Problems[first].Text
		if c.Status != nil {
			v.Summary = teller{s, c.Status}.worst(found[first], v.Summary)
		}
	case c.Status != nil:
		v.State, v.Summary, v.Hint = teller{s, c.Status}.calm()
	default:
		v.Summary = s.Say("health.well")
	}
	return v
}

// Roots are the problems that no other one causes.
func Roots(all []control.Problem) []control.Problem {
	return slices.DeleteFunc(slices.Clone(all), func(p control.Problem) bool { return p.Cause != nil })
}

// finding is a row of the table that holds now.
type finding struct {
	row
	control.Trouble
}

// find goes through the table. Those of one severity stay in the table's order.
func find(c Conditions) (found []finding) {
	told := troubles(c)
	for _, r := range table() {
		all := told
		if r.find != nil {
			all = nil
			if c.Status != nil {
				all = r.find(c)
			}
		}
		for _, t := range all {
			if (r.find != nil || t.Code == r.code) && (c.AtOnce || r.after == 0 || c.longer(t.Since, r.after)) {
				found = append(found, finding{r, t})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int { return rank(a.severity) - rank(b.severity) })
	return found
}

// longer reports whether something has lasted; what began at a time that nobody knows
// has not.
func (c Conditions) longer(since time.Time, least time.Duration) bool {
	return !since.IsZero() && c.Now.Sub(since) >= least
}

func rank(s control.Severity) int {
	return slices.Index([]control.Severity{control.NeedsYou, control.Soon, control.Note}, s)
}

// Ranked are problems from several judgements, the worst first.
func Ranked(all []control.Problem) []control.Problem {
	slices.SortStableFunc(all, func(a, b control.Problem) int { return rank(a.Severity) - rank(b.Severity) })
	return all
}

// Word is a severity in a language.
func Word(s words.Speech, severity control.Severity) string {
	return s.Say("severity." + strings.ReplaceAll(string(severity), " ", "-"))
}

// troubles are those that the parts of the program and the checks tell of. A part
// that needs a person and does not say more is told in its own words.
func troubles(c Conditions) []control.Trouble {
	all := slices.Clone(c.Troubles)
	if c.Status == nil {
		return all
	}
	if c.Status.Storage != nil {
		all = append(all, c.Status.Storage.Trouble)
	}
	for _, a := range c.Status.Accounts {
		if a.Unused {
			continue
		}
		if a.State == account.Attention && !slices.ContainsFunc(a.Troubles, needs) {
			all = append(all, control.Trouble{Code: codeAccount, About: a.Name, Detail: a.Reason, Hint: a.Hint, Since: a.Since})
		}
		all = append(all, a.Troubles...)
	}
	for _, src := range c.Status.Sources {
		if src.State == account.Attention && !slices.ContainsFunc(src.Troubles, needs) {
			all = append(all, control.Trouble{Code: codeSource, About: src.Name, Detail: src.Detail, Hint: src.Hint})
		}
		all = append(all, src.Troubles...)
	}
	return all
}

// needs reports whether a trouble needs a person.
func needs(t control.Trouble) bool {
	return slices.ContainsFunc(table(), func(r row) bool { return r.code == t.Code && r.severity == control.NeedsYou })
}

// problem is a finding in words of a language. A cause hides what is about the same
// thing, or where either is about all.
func (f finding) problem(s words.Speech, all []finding) control.Problem {
	detail, _ := s.Retell(strings.TrimSuffix(f.Detail, "."))
	detail = strings.ReplaceAll(detail, "\n", s.Say("health.and"))
	values := []any{"about", f.About, "detail", detail, "n", f.Count, "since", f.Since}
	say := func(part string) string {
		return strings.ReplaceAll(s.Say("problem."+f.code+part, values...), "?.", "?")
	}
	p := control.Problem{
		Code: f.code, Severity: f.severity, Text: say(".text"), Why: say(".why"), About: f.About,
		Act: control.Act{Text: say(".act"), Page: f.typed(f.page)},
	}
	if command := f.typed(f.command); command != "" {
		p.Act.Command = &command
	}
	if !f.Since.IsZero() {
		since := f.Since.UTC()
		p.Since = &since
	}
	for _, other := range all {
		if slices.Contains(f.causes, other.code) && (f.About == other.About || f.About == "" || other.About == "") {
			p.Cause = &other.code
			break
		}
	}
	return p
}

// typed puts what it is about into a command or an address.
func (f finding) typed(text string) string {
	login := "filmspool login"
	if f.About != "default" {
		login += " --account " + f.About
	}
	return strings.NewReplacer("{login}", login, "{about}", f.About, "{n}", fmt.Sprint(f.Count)).Replace(text)
}

// hint is what the status says to do.
func (f finding) hint(p control.Problem) string {
	if p.Act.Command != nil {
		return cmp.Or(f.Hint, *p.Act.Command)
	}
	return cmp.Or(f.Hint, p.Act.Text)
}
