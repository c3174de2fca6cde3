package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) retryCommand() *cobra.Command {
	c, o := p.verbCommand(control.Retry, "Send entries again, or at once", `Sends again what the service rejected, and at once what waits for a later time.
The service is asked again at once; a pause of yours stays.

Entries in doubt may have arrived: see what you find at the service, and tell with
"queue settle". With --may-double they are sent again all the same, and may then be
there twice.`, `  filmspool queue retry 12 13
  filmspool queue retry --state rejected --dry-run
  filmspool queue retry --all`)
	c.Flags().BoolVar(&o.MayDouble, "may-double", false, "also entries in doubt, which the service may then have twice")
	return c
}

func (p *program) holdCommand() *cobra.Command {
	c, _ := p.verbCommand(control.Hold, "Keep entries back until you release them", `Keeps pending entries back, with the reason "user".`,
		`  filmspool queue hold 12
  filmspool queue hold --source kodi`)
	return c
}

func (p *program) releaseCommand() *cobra.Command {
	c, _ := p.verbCommand(control.Release, "Let held entries go", `Lets held entries go, for whatever reason they are held. What has no identifier
cannot go: give it one with "queue edit".

What your filters ignored is taken in after all where you name it, or select it with
--state dropped. What you dropped yourself is taken back by its id: it stands where it
stood, and what may have arrived before is in doubt.`, `  filmspool queue release 12
  filmspool queue release --reason bulk --before 2026-03-01
  filmspool queue release --state dropped --reason filter --dry-run`)
	return c
}

func (p *program) dropCommand() *cobra.Command {
	c, _ := p.verbCommand(control.Drop, "Withdraw entries that have not arrived", `Withdraws entries before they leave; they stay in the record. What is in doubt may
have arrived: dropping it takes nothing back. More than one entry needs --yes.
"queue release" with its id takes a dropped entry in again.`, `  filmspool queue drop 12
  filmspool queue drop --state held --reason backdated --yes`)
	return c
}

func (p *program) settleCommand() *cobra.Command {
	c, o := p.verbCommand(control.Settle, "Say what became of entries in doubt", `An entry is in doubt when it may have arrived. Look for it at the service, and say
what you found: delivered, or rejected when it is not there ("queue retry" sends it
again then), or dropped when you want neither. More than one entry needs --yes.`, `  filmspool queue settle 12 --as delivered
  filmspool queue settle --state in_doubt --as delivered --dry-run`)
	c.Flags().StringVar((*string)(&o.As), "as", "", "delivered, rejected or dropped")
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		if !slices.Contains([]viewing.State{viewing.StateDelivered, viewing.StateRejected, viewing.StateDropped}, o.As) {
			return usage.Errorf("--as %q is not delivered, rejected or dropped; usage: %s", o.As, c.UseLine())
		}
		return nil
	}
	return c
}

func (p *program) moveCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "move ID… --account NAME", Short: "Give entries to another account", Args: cobra.ArbitraryArgs,
		Long: `Gives entries to another account, where a route led to the wrong one. They are held
or pending, and nothing of them has left. Where that account has the same playback
already, an entry is merged into it. To take it back, move it back.`,
		Example: `  filmspool queue move 12 --account ben
  filmspool queue move 12 13 --account ben --dry-run`,
	}
	o := control.Order{Verb: control.Move}
	c.Flags().StringVar(&o.To, "account", "", "the account that they belong to from now on")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would change, and change nothing")
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage.Errorf("ID is missing; usage: %s", c.UseLine())
		case o.To == "":
			return usage.Errorf("--account is missing; usage: %s", c.UseLine())
		}
		if err := readOrder(&o, args, ""); err != nil {
			return err
		}
		return ask(c.Context(), p, daemon.Offline, *asJSON, func(ctl control.API) (entry.Changed, error) {
			return ctl.Operate(c.Context(), o)
		}, func(did entry.Changed) error { return report.Changed(p.stdout, did) })
	}
	return c
}

// verbCommand is a command that applies one verb to ids, filters or all.
func (p *program) verbCommand(verb, short, long, example string) (*cobra.Command, *control.Order) {
	o := &control.Order{Verb: verb}
	c := &cobra.Command{Use: verb + " [ID]…", Short: short, Long: long, Example: example, Args: cobra.ArbitraryArgs}
	f := c.Flags()
	filterFlags(c, &o.Filter, "all")
	before := f.String("before", "", "all watched before this day or time")
	f.BoolVar(&o.All, "all", false, "all that can be changed so")
	f.BoolVar(&o.DryRun, "dry-run", false, "say what would change, and change nothing")
	lasting := verb == control.Drop || verb == control.Settle // these cannot be taken back
	yes := !lasting
	if lasting {
		f.BoolVar(&yes, "yes", false, verb+" more than one entry")
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := readOrder(o, args, *before); err != nil {
			return err
		}
		return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
			do := func() (entry.Changed, error) { return give(c.Context(), ctl, *o, yes) }
			if (!yes || verb == control.Release) && !o.DryRun && !*asJSON && len(o.IDs) == 0 && terminal.IsTerminal(p.stdin) {
				do = func() (entry.Changed, error) { return p.agree(c.Context(), ctl, *o) }
			}
			did, err := do()
			if err != nil {
				return err
			}
			if *asJSON {
				return p.stdout.JSON(did)
			}
			if o.Verb == control.Retry && did.Changed == 0 && !o.DryRun && len(did.Left) == 0 && p.sayStillWaiting(c.Context(), ctl, *o) {
				return nil
			}
			return report.Changed(p.stdout, did)
		})
	}
	return c, o
}

// readOrder completes an order, and refuses one that names nothing: never all
// by accident.
func readOrder(o *control.Order, args []string, before string) error {
	for _, text := range args {
		id, err := entryID(text)
		if err != nil {
			return err
		}
		o.IDs = append(o.IDs, id)
	}
	var err error
	if before != "" {
		o.Before, err = moment("before", before)
	}
	if err = cmp.Or(err, checkFilter(o.Filter)); err != nil {
		return err
	}
	filtered := o.Filter != entry.Filter{}
	switch {
	case len(o.IDs) > 0 && (filtered || o.All):
		return usage.Errorf("give either ids or filters, not both")
	case len(o.IDs) == 0 && !filtered && !o.All:
		return &typed.Error{
			Problem: "nothing is selected: which entries shall I " + o.Verb + "?",
			Next:    "give ids, or one or more of --state, --reason, --account, --source, --kind and --before, or --all",
		}
	}
	return nil
}

// moment reads a time; a day begins at midnight here.
func moment(flag, text string) (time.Time, error) {
	t, err := typed.ParseTime(text, time.Now())
	if err != nil {
		return time.Time{}, usage.In("--"+flag, err)
	}
	return t.Start(), nil
}

// shownRows is how many entries a question shows.
const shownRows = 10

// agree shows a person what an order would change, asks for a yes, and gives it. It
// changes what was shown, or nothing. A no is an error.
func (p *program) agree(ctx context.Context, ctl control.API, o control.Order) (entry.Changed, error) {
	newest, err := ctl.List(ctx, entry.Filter{Limit: 1})
	if err != nil {
		return entry.Changed{}, err
	}
	if o.UpTo == 0 && len(newest) > 0 {
		o.UpTo, o.All = newest[0].ID, false
	}
	dry := o
	dry.DryRun = true
	would, err := ctl.Operate(ctx, dry)
	if err != nil || would.Changed == 0 {
		return would, err
	}
	if would.Changed > 1 {
		if err := p.showChange(ctx, ctl, would); err != nil {
			return would, err
		}
	}
	if int(would.Changed) == len(would.IDs) {
		o.Selection = entry.Selection{IDs: would.IDs, MayDouble: o.MayDouble}
	} else if again, err := ctl.Operate(ctx, dry); err != nil || !reflect.DeepEqual(again, would) {
		return again, cmp.Or(err, overtaken(o.Verb))
	}
	did, err := ctl.Operate(ctx, o)
	if errors.Is(err, &control.Fault{Code: control.CodeRefused}) {
		return did, overtaken(o.Verb)
	}
	did.IDs, did.Left = would.IDs, would.Left // as they were shown
	return did, err
}

// overtaken says that something came between a question and its answer.
func overtaken(verb string) error {
	return &typed.Error{Problem: "something of it has changed meanwhile, so nothing is changed now", Next: "look again: filmspool queue " + verb}
}

// showChange shows what an order would change, and asks for a yes.
func (p *program) showChange(ctx context.Context, ctl control.API, would entry.Changed) error {
	var rows []queue.Entry
	for _, id := range would.IDs[:min(len(would.IDs), shownRows)] {
		x, err := ctl.Explain(ctx, id)
		if err != nil {
			return err
		}
		rows = append(rows, x.Entry)
	}
	if err := report.Entries(p.stdout, rows); err != nil {
		return err
	}
	if more := would.Changed - int64(len(rows)); more > 0 {
		p.stdout.Printf("and %d more\n", more)
	}
	if !p.stderr.Agreed(p.stdin, fmt.Sprintf("%s %s?", terminal.Capital(would.Verb), report.Counted(would.Changed))) {
		return &typed.Error{Problem: "you did not agree, so nothing is changed", Next: "to choose fewer: filmspool queue " + would.Verb + " --help"}
	}
	return nil
}

// give gives an order. One that needs a yes for many entries is tried dry first.
func give(ctx context.Context, ctl control.API, o control.Order, yes bool) (entry.Changed, error) {
	if yes || o.DryRun {
		return ctl.Operate(ctx, o)
	}
	o.DryRun = true
	would, err := ctl.Operate(ctx, o)
	if err != nil {
		return would, err
	}
	if would.Changed > 1 {
		return would, &typed.Error{
			Problem: fmt.Sprintf("this would %s %d entries", o.Verb, would.Changed),
			Next:    "add --yes, or --dry-run to see which",
		}
	}
	o.DryRun = false
	return ctl.Operate(ctx, o)
}

// sayStillWaiting tells of what waits although a retry put nothing forward: it
// was due already, and something else keeps it back. It reports whether there
// was anything to tell.
func (p *program) sayStillWaiting(ctx context.Context, ctl control.API, o control.Order) bool {
	if len(o.IDs) == 0 && o.State != "" && o.State != viewing.StatePending {
		return false
	}
	s, err := ctl.Status(ctx)
	health.Tell(p.stdout.Speech(), &s)
	waiting := s.Counts.Pending + s.Counts.Sending
	if err != nil || waiting == 0 {
		return false
	}
	switch {
	case s.Listen == "": // it does not run
		p.stdout.Printf("%s, and Filmspool is not running.\nhint:  %s\n", waitingWords(waiting), service.StartHint(p.choice.System))
		return true
	case s.State == account.OK:
		p.stdout.Printf("%s; it is tried now.\n", waitingWords(waiting))
		return true
	case s.State == account.Paused:
		p.stdout.Println(s.Summary)
	default:
		p.stdout.Println(s.Summary + " It is tried again now.")
	}
	p.stdout.Hint(s.Hint)
	return true
}

func (p *program) undoCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "undo ID", Short: "Take a delivered viewing back from the service", Args: usage.Exactly("ID"),
		Long: `A service takes back all viewings of an item at once, or none. So this asks for it
only when the service shows exactly one viewing of the item, and that is this one;
else it says what would go along, and changes nothing. Before an entry has left,
"queue drop" withdraws it.`,
		Example: `  filmspool queue undo 12 --dry-run`,
	}
	dry := c.Flags().Bool("dry-run", false, "find out whether it could be taken back, and take nothing")
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := entryID(args[0])
		if err != nil {
			return err
		}
		return ask(c.Context(), p, daemon.Offline, *asJSON, func(ctl control.API) (control.Undone, error) {
			return ctl.Undo(c.Context(), control.Undo{ID: id, DryRun: *dry})
		}, func(did control.Undone) error { return report.Undone(p.stdout, did) })
	}
	return c
}
