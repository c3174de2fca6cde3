package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) queueCommand() *cobra.Command {
	return group("queue", "Look into the outbox and change what it does",
		p.queueListCommand(), p.queueShowCommand(), p.retryCommand(), p.holdCommand(), p.releaseCommand(), p.dropCommand(),
		p.editCommand(), p.moveCommand(), p.settleCommand(), p.undoCommand(), p.exportCommand(), p.backupCommand(),
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
		return ask(c.Context(), p, daemon.Existing, *asJSON, func(ctl control.API) ([]queue.Entry, error) {
			wanted := f
			wanted.Limit++ // one more tells whether there are more
			entries, err := ctl.List(c.Context(), wanted)
			more = len(entries) > f.Limit
			return entries[:min(f.Limit, len(entries))], err
		}, func(entries []queue.Entry) error {
			err := report.Entries(p.stdout, entries)
			if more {
				p.stdout.Printf("\nOnly the newest %d are shown. --limit shows more, up to 10000.\n", f.Limit)
			}
			stuck := []viewing.State{viewing.StateHeld, viewing.StateInDoubt, viewing.StateRejected} // until a person does something
			if slices.ContainsFunc(entries, func(e queue.Entry) bool { return slices.Contains(stuck, e.State) }) {
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
	return cmp.Or(usage.OneOf("state", string(f.State), states()), usage.OneOf("kind", string(f.Kind), kinds()))
}

func (p *program) queueShowCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "show ID", Short: "Tell everything about one entry", Args: usage.Exactly("ID"),
		Aliases: []string{"explain"},
		Long: `Tells what was seen, and then in the order of time which rule did what, and every
request with its answer.`,
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := entryID(args[0])
		if err != nil {
			return err
		}
		explain := func(ctl control.API) (control.Explanation, error) {
			x, err := ctl.Explain(c.Context(), id)
			report.Write(p.stdout.Speech(), &x)
			return x, err
		}
		return ask(c.Context(), p, daemon.Existing, *asJSON, explain, func(e control.Explanation) error { return report.Explanation(p.stdout, e) })
	}
	return c
}
