package health

import (
	"slices"
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
	slices.SortStableFunc(all, func(a, b control.Problem) int { return rank(a.Severity) - rank(b.Severity) })
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

func rank(s control.Severity) int {
	return slices.Index([]control.Severity{control.NeedsYou, control.Soon, control.Note}, s)
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
