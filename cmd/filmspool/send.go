package main

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// order returns the command that applies a verb to ids, to filtered entries, or to all.
func (p *program) order(verb entry.Verb) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) (err error) {
		o := entry.Order{Verb: verb, DryRun: p.given.dryRun}
		o.All, o.MayDouble = p.given.all, p.given.mayDouble
		if o.IDs, err = entryIDs(args); err != nil {
			return err
		}
		if o.Filter, err = p.filter(); err != nil {
			return err
		}
		if o.Check() != nil {
			return mistake("usage.selection").next(control.Command("filmspool %s --help", verb))
		}
		if err := p.confirmOrder(ctx, &o); err != nil {
			return err
		}
		var about []entry.Entry
		return ask(ctx, p, daemon.Offline, func(ctl control.API) (did entry.Changed, err error) {
			if did, err = ctl.Operate(ctx, o); err == nil && !p.given.json {
				about, err = entriesOf(ctx, ctl, did.IDs[:min(len(did.IDs), maxNamed)])
			}
			return did, err
		}, func(did entry.Changed) { p.sayChanged(did, about) })
	}
}

// confirmOrder asks the user before filtered entries are changed, and limits the order to the
// entries that exist now. A script confirms a drop with --yes.
func (p *program) confirmOrder(ctx context.Context, o *entry.Order) error {
	if p.given.yes || o.DryRun || len(o.IDs) > 0 || !p.isInteractive() && o.Verb != entry.VerbDrop {
		return nil
	}
	var did entry.Changed
	err := p.instance(ctx, daemon.Offline, func(ctl control.API) error {
		newest, err := ctl.List(ctx, entry.Filter{Limit: 1})
		if err != nil || len(newest) == 0 {
			return err
		}
		o.UpTo, o.All = newest[0].ID, false
		would := *o
		would.DryRun = true
		did, err = ctl.Operate(ctx, would)
		return misuse(err)
	})
	switch {
	case err != nil || did.Changed == 0:
		return err
	case !p.isInteractive():
		return mistake("usage.agree", "n", strconv.FormatInt(did.Changed, 10)).next(viewing.Say("hint.agree"))
	case !p.stderr.Confirm(ctx, p.stdin, p.stdout.Speech().Say("cli.would."+string(o.Verb), "n", did.Changed)):
		return viewing.Say("fault.notAgreed")
	}
	return nil
}

// maxNamed is how many entries an answer lists by title.
const maxNamed = 10

// entriesOf returns the entries with these ids.
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

// sayChanged prints what an order did, or would do.
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
			p.stdout.Say(didKey(did.Verb, e), "title", p.label(e), "state", p.stateText(e), "id", strconv.FormatInt(e.ID, 10))
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(did.Left)) {
		p.stdout.Say("cli.left."+reason, "n", did.Left[reason])
	}
}

// didKey returns the text about a changed entry: its state, unless it is waiting to be sent.
func didKey(verb entry.Verb, e entry.Entry) string {
	switch {
	case verb == entry.VerbSend && e.State == viewing.StateInDoubt:
		return "cli.did.recheck"
	case verb == entry.VerbSend && !isSendable(e):
		return "cli.stands"
	default:
		return "cli.did." + string(verb)
	}
}

// isSendable reports whether an entry is waiting to be sent or has been delivered.
func isSendable(e entry.Entry) bool {
	return e.State == viewing.StatePending || e.State == viewing.StateSending || e.State == viewing.StateDelivered
}

// undo deletes viewings at the service.
func (p *program) undo(ctx context.Context, args []string) error {
	ids, err := entryIDs(args)
	for _, id := range ids {
		if err == nil {
			err = ask(ctx, p, daemon.Offline, func(ctl control.API) (control.Undone, error) {
				return ctl.Undo(ctx, control.Undo{ID: id, DryRun: p.given.dryRun})
			}, p.sayUndone)
		}
	}
	return err
}

// sayUndone prints the result of an undo.
func (p *program) sayUndone(did control.Undone) {
	key := "cli.undoneBefore"
	switch {
	case did.DryRun && did.Removed:
		key = "cli.wouldUndo"
	case did.Removed:
		key = "cli.undone"
	}
	p.stdout.Say(key, "title", p.label(did.Entry))
}
