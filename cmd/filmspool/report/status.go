package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Status prints the sentence, the next step, and the details.
func Status(w *terminal.Printer, s control.Status) error {
	w.Println(s.Summary)
	w.Hint(s.Hint)
	for _, n := range s.Notices {
		w.Printf("\nnotice %d, %s: %s\n", n.ID, terminal.Minute(n.At), n.Text)
		w.Printf("hint:  %s; then filmspool status --seen %d\n", n.Hint, n.ID)
	}
	printUnread(w, s.Sources)
	if err := printStandings(w, s); err != nil {
		return err
	}
	for _, a := range s.Accounts {
		if a.Unresolved > 0 {
			w.Printf("\nwithout identifier %d, account %s: %s\n", a.Unresolved, a.Name, resolution(a, s.Sources))
		}
	}
	return nil
}

// Problems prints a block for each problem. What another problem causes goes with that.
func Problems(w *terminal.Printer, problems []control.Problem) {
	roots := health.Roots(problems)
	if len(roots) == 0 {
		w.Println(w.Speech().Say("health.well"))
	}
	for i, p := range roots {
		if i > 0 {
			w.Println()
		}
		w.Printf("%s: %s\n  %s\n  %s\n", health.Word(w.Speech(), p.Severity), p.Text, p.Why, p.Act.Text)
		if p.Act.Command != nil {
			w.Printf("    %s\n", *p.Act.Command)
		}
	}
}

// printUnread tells of sites that a browser cannot read any more, each once.
func printUnread(w *terminal.Printer, sources []control.Source) {
	var all []string
	for _, src := range sources {
		all = append(all, src.Unread...)
	}
	slices.Sort(all)
	for _, site := range slices.Compact(all) {
		w.Printf("\n%s looks different now; what you watch there is kept and asked.\n", site)
		w.Hint("click Filmspool's button in that browser, and copy the report for its makers")
	}
}

// counted says how many entries there are in the states that matter to a person.
func counted(n entry.Counts) string {
	return fmt.Sprintf("waiting %d   held %d   in doubt %d   rejected %d   delivered %d", n.Pending+n.Sending, n.Held, n.InDoubt, n.Rejected, n.Delivered)
}

// standing is one account or source of the status: a short line, and what
// there is to say about it beside.
type standing struct {
	name, last string
	state      account.State
	below      []string
}

// widest is the longest name that leaves room for the other columns on a
// terminal of 80.
const widest = 33

// accountRows are the accounts.
func accountRows(w *terminal.Printer, s control.Status) (list []standing) {
	for _, a := range s.Accounts {
		row := standing{
			name: "account " + a.Name, last: "last delivered " + terminal.Ago(a.LastDelivered), state: a.State, below: said(w, a.Reason, a.Again(time.Now()), a.Note),
		}
		if a.Counts != nil {
			row.below = append([]string{counted(*a.Counts)}, row.below...)
		}
		row.below = append(row.below, hint(w, a.Hint, s.Hint)...)
		list = append(list, row)
	}
	return list
}

// said are messages as sentences.
func said(w *terminal.Printer, all ...viewing.Message) (lines []string) {
	for _, m := range all {
		lines = append(lines, w.Speech().Tell(m))
	}
	return lines
}

// hint is a line with what to do, unless the status says so above.
func hint(w *terminal.Printer, m viewing.Message, above string) []string {
	text := w.Speech().Message(m)
	if text == "" || text == above {
		return nil
	}
	return []string{"hint:  " + text}
}

// printStandings prints the counts, then accounts and sources in three columns.
// What is longer stands below its line, and a longer name above it, so that the
// table fits 80 columns wherever it is shown.
func printStandings(w *terminal.Printer, s control.Status) error {
	list := accountRows(w, s)
	for _, src := range s.Sources {
		last := "last seen " + terminal.Ago(src.LastSeen)
		if src.Kind == "resolver" {
			last = ""
		}
		row := standing{name: src.Name, last: last, state: src.State, below: []string{w.Speech().Clauses(src.Details)}}
		if src.Kind == viewing.SourceBrowser || src.Kind == viewing.SourceProgram {
			row.name, row.below = src.Kind+" "+src.Label, nil
		}
		row.below = append(row.below, hint(w, src.Hint, s.Hint)...)
		list = append(list, row)
	}
	w.Println()
	t := w.Table(3, 0)
	t.Row(counted(s.Counts))
	for _, row := range list {
		if wide := utf8.RuneCountInString(row.name); wide > widest {
			t.Row(row.name)
			row.name = ""
		}
		t.Row(row.name, row.state, row.last)
		for _, text := range row.below {
			if text != "" {
				t.Row("    " + text)
			}
		}
	}
	return t.Flush()
}

// resolution says what is done about entries that have no identifier.
func resolution(a control.Account, sources []control.Source) string {
	var others []string
	for _, s := range sources {
		if s.Kind == "resolver" && s.State == account.OK {
			others = append(others, map[string]string{"tmdb": "TMDB", "wikidata": "Wikidata"}[s.Name])
		}
	}
	if a.Resolves == nil || *a.Resolves {
		others = append([]string{"the service"}, others...)
	}
	switch last := len(others) - 1; {
	case last > 0:
		all := strings.Join(others[:last], ", ") + " and " + others[last]
		return all + " are asked what they are; filmspool queue explain ID tells what they said"
	case last == 0 && others[0] != "the service":
		return others[0] + " is asked what they are; filmspool queue explain ID tells what it said"
	case a.Resolves == nil:
		return "the service will be asked what they are, as soon as it can be reached"
	case *a.Resolves:
		return "the service is asked what they are; filmspool queue explain ID tells what it said"
	default:
		return "this service has no endpoint to be asked what they are; filmspool queue edit ID says it"
	}
}

// Clients prints a table of browsers and programs.
func Clients(w *terminal.Printer, clients []control.ClientInfo) error {
	if len(clients) == 0 {
		w.Println("No browser is paired yet. To pair one: filmspool pair. To add a program: filmspool clients add NAME")
		return nil
	}
	t := w.Table(3, 1)
	t.Row("ID", "NAME", "KIND", "BROWSER", "PAIRED", "LAST SEEN")
	for _, c := range clients {
		t.Row(c.ID, c.Label, c.Kind, c.Browser, c.PairedAt.Local().Format("2006-01-02"), terminal.Ago(c.LastSeen))
	}
	return t.Flush()
}

// NoticeTests prints how each way of notices went.
func NoticeTests(w *terminal.Printer, list []control.NoticeTest) error {
	if len(list) == 0 {
		w.Println("No notices are set. filmspool config example shows how, under [notices].")
	}
	for _, t := range list {
		if t.Detail.Code == "" {
			w.Printf("%s: %s\n", t.Way, t.State)
			continue
		}
		w.Printf("%s: %s: %s\n", t.Way, t.State, t.Detail)
	}
	return nil
}

// Pauses tells how accounts stand.
func Pauses(w *terminal.Printer, accounts []control.Account) error {
	for _, a := range accounts {
		switch a.State {
		case account.OK:
			w.Printf("Account %s sends: nothing is paused.\n", a.Name)
		case account.Paused:
			w.Printf("Account %s is paused: nothing is sent until %s.\n", a.Name, pauseEnd(a))
		default:
			w.Printf("Account %s is not paused by you, but needs you: %s\n", a.Name, a.Reason)
			w.Hint(a.Hint)
		}
	}
	return nil
}

// pauseEnd says when a pause ends, and what becomes of what is watched until then.
func pauseEnd(a control.Account) string {
	switch {
	case a.PausedUntil == nil:
		return "filmspool resume"
	case a.Drops:
		return terminal.Minute(*a.PausedUntil) + ", and what is watched until then is dropped"
	default:
		return terminal.Minute(*a.PausedUntil) + ", or filmspool resume"
	}
}
