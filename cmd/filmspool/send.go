package main

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func (p *program) sendCommand() *cobra.Command {
	o := entry.Order{Verb: entry.VerbSend}
	c := p.orderCommand(&o)
	c.SuggestFor = []string{"retry", "release", "approve", "keep"}
	c.Example = "  filmspool send 12 13\n  filmspool send --reason bulk\n  filmspool send --all"
	c.Flags().BoolVar(&o.MayDouble, "may-double", false, "")
	return c
}

// orderCommand is a command that applies one verb to ids, filters or all.
func (p *program) orderCommand(o *entry.Order) *cobra.Command {
	c := &cobra.Command{Use: string(o.Verb) + " [ID]…", ValidArgsFunction: p.completeIDs(o.Verb)}
	filterFlags(c, &o.Filter)
	c.Flags().BoolVar(&o.All, "all", false, "")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "")
	yes := c.Flags().Bool("yes", false, "")
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, text := range args {
			id, err := entryID(text)
			if err != nil {
				return err
			}
			o.IDs = append(o.IDs, id)
		}
		if err := checkFilter(o.Filter); err != nil {
			return err
		}
		if o.Check() != nil {
			return mistake("usage.selection").next(control.Command("%s --help", c.CommandPath()))
		}
		var about []entry.Entry
		return ask(c.Context(), p, daemon.Offline, *asJSON, func(ctl control.API) (did entry.Changed, err error) {
			if err := p.agreed(c.Context(), ctl, o, *yes, *asJSON); err != nil {
				return did, err
			}
			if did, err = ctl.Operate(c.Context(), *o); err == nil && !*asJSON {
				about, err = entriesOf(c.Context(), ctl, did.IDs[:min(len(did.IDs), mostNamed)])
			}
			return did, err
		}, func(did entry.Changed) { p.sayChanged(did, about) })
	}
	return c
}

// agreed asks a person before what filters select is changed, which is then what was there
// at that time. A script agrees to a drop with --yes.
func (p *program) agreed(ctx context.Context, ctl control.API, o *entry.Order, yes, asJSON bool) error {
	person := p.isPerson() && !asJSON
	if yes || o.DryRun || len(o.IDs) > 0 || !person && o.Verb != entry.VerbDrop {
		return nil
	}
	newest, err := ctl.List(ctx, entry.Filter{Limit: 1})
	if err != nil || len(newest) == 0 {
		return err
	}
	o.UpTo, o.All = newest[0].ID, false
	would := *o
	would.DryRun = true
	did, err := ctl.Operate(ctx, would)
	switch {
	case err != nil || did.Changed == 0:
		return err
	case !person:
		return mistake("usage.agree", "n", strconv.FormatInt(did.Changed, 10)).next(viewing.Say("hint.agree"))
	case !p.stderr.Agreed(ctx, p.stdin, p.stdout.Speech().Say("cli.would."+string(o.Verb), "n", did.Changed)):
		return viewing.Say("fault.notAgreed")
	}
	return nil
}

// mostNamed is how many entries an answer names by their titles.
const mostNamed = 10

// entriesOf are the entries with the ids.
func entriesOf(ctx context.Context, ctl control.API, ids []int64) (all []entry.Entry, err error) {
	for _, id := range ids {
		x, err := ctl.Explain(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, x.Entry)
	}
	return all, nil
}

// sayChanged tells what an order did, or would do.
func (p *program) sayChanged(did entry.Changed, about []entry.Entry) {
	switch {
	case did.Changed == 0:
		p.stdout.Say("cli.nothing." + string(did.Verb))
	case did.DryRun:
		p.stdout.Say("cli.would."+string(did.Verb), "n", did.Changed)
		p.sayEntries(about, p.stdout.Speech())
	case int(did.Changed) > len(about):
		p.stdout.Say("cli.many."+string(did.Verb), "n", did.Changed)
	default:
		for _, e := range about {
			p.sayDid(did.Verb, e)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(did.Left)) {
		p.stdout.Say("cli.left."+reason, "n", did.Left[reason])
	}
}

// sayDid names the entry that a verb has changed, and how it stands unless it waits.
func (p *program) sayDid(verb entry.Verb, e entry.Entry) {
	if verb == entry.VerbSend && e.State == viewing.StateInDoubt {
		p.stdout.Say("cli.did.recheck", "title", p.label(e))
		return
	}
	if verb == entry.VerbSend && e.State != viewing.StatePending && e.State != viewing.StateSending && e.State != viewing.StateDelivered {
		p.stdout.Say("cli.stands", "title", p.label(e), "state", p.standing(e), "id", e.ID)
		return
	}
	p.stdout.Say("cli.did."+string(verb), "title", p.label(e))
}
