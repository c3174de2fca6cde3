package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func (p *program) statusCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Say how things stand",
		Long: `Says how things stand, in one sentence and then in detail.
Exit codes: 0 all is well or offline, 3 not running, 4 something needs you.`,
		Args: usage.Exactly(),
	}
	asJSON := jsonFlag(c)
	seen := c.Flags().Int64("seen", 0, "forget the notice with this `number`")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *seen != 0 {
			return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
				return ctl.Acknowledge(c.Context(), *seen)
			})
		}
		return p.instance(c.Context(), nil, func(ctl control.API) error {
			s, err := ctl.Status(c.Context())
			if err != nil {
				return err
			}
			if *asJSON {
				err = p.stdout.JSON(s)
			} else {
				err = printStatus(p.stdout, s)
			}
			if !*asJSON && err == nil {
				p.sayUpgraded(s.Version)
			}
			if err == nil && s.State == account.Attention {
				return &exitError{code: exitAttention}
			}
			return err
		})
	}
	return c
}

// sayUpgraded tells of a program that was replaced while it ran.
func (p *program) sayUpgraded(running string) {
	if running != version {
		p.stdout.Printf("\nversion %s runs, and this is %s; to use it: %s\n", running, version, service.Command(p.choice.System, "service restart"))
	}
}

// printStatus prints the sentence, the next step, and the details.
func printStatus(w *terminal.Printer, s control.Status) error {
	w.Println(s.Summary)
	w.Hint(s.Hint)
	for _, n := range s.Notices {
		w.Printf("\nnotice %d, %s: %s\n", n.ID, terminal.Minute(n.At), n.Text)
		w.Printf("hint:  %s; then filmspool status --seen %d\n", n.Hint, n.ID)
	}
	printUnread(w, s.Sources)
	w.Printf("\n%s\n", counted(s.Counts))
	printStandings(w, s)
	for _, a := range s.Accounts {
		if a.Unresolved > 0 {
			w.Printf("\nwithout identifier %d, account %s: %s\n", a.Unresolved, a.Name, resolution(a, s.Sources))
		}
	}
	return nil
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
	above      string // a name that is too long for its column
	below      []string
}

// widest is the longest name that leaves room for the other columns on a
// terminal of 80.
const widest = 33

// accountRows are the accounts.
func accountRows(s control.Status) (list []standing) {
	for _, a := range s.Accounts {
		row := standing{
			name: "account " + a.Name, last: "last delivered " + terminal.Ago(a.LastDelivered), state: a.State, below: []string{a.Reason, a.Again(time.Now()), a.Note},
		}
		if a.Counts != nil {
			row.below = append([]string{counted(*a.Counts)}, row.below...)
		}
		if a.Hint != "" && a.Hint != s.Hint {
			row.below = append(row.below, "hint:  "+a.Hint)
		}
		list = append(list, row)
	}
	return list
}

// printStandings prints accounts and sources in three columns. What is longer
// stands below its line, and a longer name above it, so that the table fits a
// terminal of 80 columns.
func printStandings(w *terminal.Printer, s control.Status) {
	list := accountRows(s)
	for _, src := range s.Sources {
		last := "last seen " + terminal.Ago(src.LastSeen)
		if src.Kind == "resolver" {
			last = ""
		}
		row := standing{name: src.Name, last: last, state: src.State, below: []string{src.Detail}}
		if src.Kind == viewing.SourceBrowser || src.Kind == viewing.SourceProgram {
			row.name, row.below = src.Kind+" "+src.Detail, nil
		}
		if src.Waiting > 0 {
			row.below = append(row.below, "waits there for your answer: "+terminal.Counted(int64(src.Waiting), "viewing"))
		}
		if src.Hint != "" && src.Hint != s.Hint {
			row.below = append(row.below, "hint:  "+src.Hint)
		}
		list = append(list, row)
	}
	name, state := 0, 0
	for i, row := range list {
		if width := utf8.RuneCountInString(row.name); width <= widest {
			name = max(name, width)
		} else {
			list[i].above, list[i].name = row.name, ""
		}
		state = max(state, len(row.state))
	}
	for _, row := range list {
		if row.above != "" {
			w.Println(row.above)
		}
		w.Println(terminal.Padded(row.name, name) + "   " + terminal.Padded(string(row.state), state) + "   " + row.last)
		for _, text := range row.below {
			if text != "" {
				w.Println("    " + text)
			}
		}
	}
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
