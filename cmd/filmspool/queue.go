package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) queueCommand() *cobra.Command {
	return group("queue", "Look into the outbox and change what it does",
		p.queueListCommand(), p.queueShowCommand(), p.retryCommand(), p.holdCommand(), p.releaseCommand(), p.dropCommand(),
		p.editCommand(), p.moveCommand(), p.settleCommand(), p.undoCommand(), p.exportCommand(), p.importCommand(), p.backupCommand(),
	)
}

// states are those that an entry can be in.
func states() []string {
	all := viewing.States()
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return words
}

// kinds are what an entry can ask for.
func kinds() []string { return []string{"viewing", "watchlist", "list", "list_item"} }

// entryID reads an entry's id.
func entryID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, &typed.Error{
			Problem: typed.Quoted(text) + " is not an entry's id, which is a number", Next: "filmspool queue list",
		}
	}
	return id, nil
}

func (p *program) queueListCommand() *cobra.Command {
	var f entry.Filter
	c := &cobra.Command{Use: "list", Short: "List entries, newest first", Args: usage.Exactly()}
	asJSON := jsonFlag(c)
	filterFlags(c, &f, "only entries")
	c.Flags().IntVar(&f.Limit, "limit", 100, "at most this many, 1 to 10000")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := checkFilter(f); err != nil {
			return err
		}
		if f.Limit < 1 || f.Limit > 10000 {
			return usage.Errorf("--limit %d is not from 1 to 10000", f.Limit)
		}
		more := false
		return ask(c.Context(), p, daemon.Reading, *asJSON, func(ctl control.API) ([]queue.Entry, error) {
			wanted := f
			wanted.Limit++ // one more tells whether there are more
			entries, err := ctl.List(c.Context(), wanted)
			more = len(entries) > f.Limit
			return entries[:min(f.Limit, len(entries))], err
		}, func(entries []queue.Entry) error {
			err := p.printEntries(entries)
			if more {
				p.stdout.Printf("\nOnly the newest %d are shown. --limit shows more, up to 10000.\n", f.Limit)
			}
			if slices.ContainsFunc(entries, needsYou) {
				p.stdout.Printf("\nhint:  filmspool queue show ID says why an entry stands there, and what to do\n")
			}
			if f.Chooses() && !more && len(entries) > 1 && !slices.ContainsFunc(entries, func(e queue.Entry) bool { return e.State != viewing.StateHeld }) {
				p.stdout.Hint(fmt.Sprintf("for these, and none that comes later: filmspool queue release, or drop, with the same filters and --up-to %d", entries[0].ID))
			}
			return err
		})
	}
	return c
}

// needsYou reports whether an entry stands where it is until a person does something.
func needsYou(e queue.Entry) bool {
	return e.State == viewing.StateHeld || e.State == viewing.StateInDoubt || e.State == viewing.StateRejected
}

// filterFlags are the flags of a filter; which says of what they are the choice.
func filterFlags(c *cobra.Command, f *entry.Filter, which string) {
	flags := c.Flags()
	flags.StringVar((*string)(&f.State), "state", "", which+" in this state: "+strings.Join(states(), ", "))
	flags.StringVar(&f.Reason, "reason", "", which+" that stand there for this reason, such as bulk")
	flags.StringVar(&f.Account, "account", "", which+" of this account")
	flags.StringVar(&f.Source, "source", "", which+" from this source, or kind of source: "+strings.Join(viewing.Sources(), ", "))
	flags.StringVar((*string)(&f.Kind), "kind", "", which+" of this kind: "+strings.Join(kinds(), ", "))
	flags.Int64Var(&f.UpTo, "up-to", 0, which+" up to this id, and none that came later")
}

// checkFilter refuses words that no entry has.
func checkFilter(f entry.Filter) error {
	if f.UpTo < 0 {
		return usage.Errorf("--up-to %d is not an entry's id", f.UpTo)
	}
	return cmp.Or(typed.OneOf("state", string(f.State), states()), typed.OneOf("kind", string(f.Kind), kinds()))
}

// printEntries prints a table of entries.
func (p *program) printEntries(entries []queue.Entry) error {
	if len(entries) == 0 {
		p.stdout.Println("No entries.")
		return nil
	}
	t := p.stdout.Table(2)
	cells := 6
	if slices.ContainsFunc(entries, func(e queue.Entry) bool { return e.Account != entries[0].Account }) {
		cells++
	}
	row := strings.Repeat("%v\t", cells-1) + "%v\n"
	t.Printf(row, []any{"ID", "STATE", "KIND", "WHAT", "WATCHED", "SOURCE", "ACCOUNT"}[:cells]...)
	for _, e := range entries {
		state := string(e.State)
		if e.State == viewing.StateHeld || e.State == viewing.StateDropped && rules.Ignored(e.Reason) {
			state += " (" + e.Reason + ")"
		}
		t.Printf(row, []any{e.ID, state, e.Kind, e.Label(), watched(e), viewing.SourceKind(e.Source), e.Account}[:cells]...)
	}
	return t.Flush()
}

// watched is when the entry was watched, in local time.
func watched(e queue.Entry) string {
	if e.WatchedAt.IsZero() {
		return "-"
	}
	return terminal.Minute(e.WatchedAt.Time())
}

func (p *program) queueShowCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "show ID", Short: "Tell everything about one entry", Args: usage.Exactly("ID"),
		Aliases: []string{"explain"},
		Long:    `Tells what was seen, which rule did what, and every request with its answer.`,
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := entryID(args[0])
		if err != nil {
			return err
		}
		explain := func(ctl control.API) (control.Explanation, error) { return ctl.Explain(c.Context(), id) }
		return ask(c.Context(), p, daemon.Reading, *asJSON, explain, p.printExplanation)
	}
	return c
}

// printExplanation prints one entry with its story.
func (p *program) printExplanation(e control.Explanation) error {
	p.stdout.Printf("%d  %s\n", e.ID, e.Label())
	t := p.stdout.Table(2)
	t.Printf("state\t%s\n", strings.TrimSpace(string(e.State)+"  "+e.Reason))
	if e.Why != "" {
		t.Printf("\t%s\n", e.Why)
	}
	if e.Hint != "" {
		t.Printf("hint\t%s\n", e.Hint)
	}
	if item, page := itemOf(e.Entry); item != "" {
		t.Printf("item\t%s  %s\n", item, page)
	}
	if e.Media != nil && e.Media.Site != nil {
		t.Printf("site\t%s\n", e.Media.Site)
	}
	t.Printf("watched\t%s\naccount\t%s\n", watched(e.Entry), e.Account)
	t.Printf("times\tlocal, UTC%s\n", e.CreatedAt.Local().Format("-07:00"))
	for _, seen := range e.Events {
		t.Printf("seen\t%s  by %s  as %s\n", terminal.Second(seen.At), seen.Source, seen.EventID)
		if seen.Seen.Origin.Note != "" {
			t.Printf("\t%s\n", seen.Seen.Origin.Note)
		}
	}
	for _, s := range e.Steps {
		t.Printf("%s\t%s  %s\n", terminal.Second(s.At), s.What, s.Detail)
	}
	for _, r := range e.Requests {
		t.Printf("%s\trequest  %s\n", terminal.Second(r.At), answer(r))
	}
	return t.Flush()
}

// itemOf names what an entry is about by its TMDB number, with its page there.
// Both are empty when the number is not known.
func itemOf(e queue.Entry) (item, page string) {
	const site = "https://www.themoviedb.org/"
	switch m := e.Media; {
	case m == nil:
		return "", ""
	case m.Placed():
		return fmt.Sprintf("series %d S%02dE%02d", m.Show.IDs.TMDB, *m.Season, *m.Episode),
			fmt.Sprintf("%stv/%d/season/%d/episode/%d", site, m.Show.IDs.TMDB, *m.Season, *m.Episode)
	case m.IDs.TMDB == 0:
		return "", ""
	case m.Type == viewing.Movie:
		return fmt.Sprintf("film %d", m.IDs.TMDB), fmt.Sprintf("%smovie/%d", site, m.IDs.TMDB)
	case m.Type == viewing.TV:
		return fmt.Sprintf("series %d", m.IDs.TMDB), fmt.Sprintf("%stv/%d", site, m.IDs.TMDB)
	default: // TMDB has no page for the number of an episode
		return fmt.Sprintf("episode %d", m.IDs.TMDB), ""
	}
}

// answer is what came of one request.
func answer(r entry.Attempt) string {
	var parts []string
	if r.Status != 0 {
		parts = append(parts, strconv.Itoa(r.Status))
	}
	if r.Error != "" {
		parts = append(parts, r.Error)
	}
	if r.Answer != "" {
		parts = append(parts, r.Answer)
	}
	if len(parts) == 0 {
		return "no answer yet"
	}
	return strings.Join(parts, "  ")
}
