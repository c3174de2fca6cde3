package main

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// checkFix requires the id of an entry unless corrections are listed or forgotten.
func (p *program) checkFix(c *cobra.Command, args []string) error {
	if p.given.corrections || p.given.forget != 0 {
		return nil
	}
	return p.checkArgs(c, args)
}

// fix sets what an entry is, when it was watched, its account, or that it was delivered.
func (p *program) fix(ctx context.Context, args []string) error {
	switch {
	case p.given.corrections:
		return ask(ctx, p, daemon.OfflineExisting, func(ctl control.API) ([]resolve.Correction, error) { return ctl.Corrections(ctx) }, p.sayCorrections)
	case p.given.forget != 0:
		return p.instance(ctx, daemon.Offline, func(ctl control.API) error {
			err := ctl.ForgetCorrection(ctx, p.given.forget)
			if err == nil {
				p.stdout.Say("cli.forgotten", "id", strconv.FormatInt(p.given.forget, 10))
			}
			return err
		})
	}
	ids, err := entryIDs(args[:1])
	if err != nil {
		return err
	}
	if what := strings.TrimSpace(strings.Join(args[1:], " ")); what != "" {
		return p.fixItem(ctx, control.Fix{ID: ids[0], What: what})
	}
	return p.fixOther(ctx, ids)
}

// fixOther sets when an entry was watched, its account, or that it was delivered.
func (p *program) fixOther(ctx context.Context, ids []int64) error {
	g := p.given
	o := entry.Order{Selection: entry.Selection{IDs: ids}, DryRun: g.dryRun}
	var at typed.Time
	var err error
	switch {
	case g.delivered:
		o.Verb, o.As = entry.VerbSettle, viewing.StateDelivered
	case g.account != "":
		o.Verb, o.To = entry.VerbMove, g.account
	case g.watchedAt == "":
		return mistake("usage.noChange").next(control.Command("filmspool fix --help"))
	default:
		o.Verb = entry.VerbEdit
		if at, err = typed.ParseTime(g.watchedAt, time.Now()); err != nil {
			return inFlag("--watched-at", err)
		}
	}
	return ask(ctx, p, daemon.Offline, func(ctl control.API) (after entry.Entry, err error) {
		if o.Verb == entry.VerbEdit {
			return ctl.Edit(ctx, control.Edit{ID: ids[0], Edit: entry.Edit{WatchedAt: at.Instant(time.Now()), DryRun: g.dryRun}})
		}
		if _, err := ctl.Operate(ctx, o); err != nil {
			return after, err
		}
		x, err := ctl.Explain(ctx, ids[0])
		if g.dryRun {
			x.Account, x.State = cmp.Or(o.To, x.Account), cmp.Or(o.As, x.State)
		}
		return x.Entry, err
	}, p.sayFixed)
}

// sayFixed prints an entry after a change.
func (p *program) sayFixed(e entry.Entry) {
	if p.given.dryRun {
		p.stdout.Say("cli.unchanged")
	}
	title := p.label(e)
	if m := e.Media; m != nil && m.HasTitle() && m.TMDBPage() != "" {
		title += " (" + strings.TrimPrefix(m.TMDBPage(), "https://www.") + ")"
	}
	p.stdout.Say("cli.fixed", "title", title, "at", watched(e), "account", e.Account, "state", p.stateText(e))
}

// fixItem searches for the item, asks the user to choose if it is not certain, shows the
// consequences, and then makes the change. Nothing is locked while the user is asked.
func (p *program) fixItem(ctx context.Context, f control.Fix) error {
	tell := func() (out control.Fixed, err error) {
		err = p.instance(ctx, daemon.Offline, func(ctl control.API) (err error) {
			out, err = ctl.Fix(ctx, f)
			return misuse(err)
		})
		return out, err
	}
	found, err := tell()
	if err != nil {
		return err
	}
	f.Is, f.DryRun = found.Certain, true
	if f.Is == nil || p.given.choose > 0 || found.Searched && p.isInteractive() && !p.given.yes {
		if f.Is, err = choose(ctx, p, found.Candidates, shortened); err != nil && p.given.json {
			err = errors.Join(p.stdout.JSON(found), err)
		}
	}
	if err != nil {
		return err
	}
	done, err := tell()
	if err == nil && !p.given.dryRun && p.confirmFollowing(ctx, done) {
		f.DryRun = false
		done, err = tell()
	}
	done.Candidates = found.Candidates
	switch {
	case err != nil:
		return err
	case p.given.json:
		return p.stdout.JSON(done)
	case f.DryRun:
		p.stdout.Say("cli.unchanged")
		p.stdout.Println(*f.Is)
	default:
		p.sayFixed(done.Entry)
	}
	if r := done.Remembered; r != nil {
		p.stdout.Say("cli.remembered", "told", clueText(r.Reported), "is", r.Work)
	}
	p.sayFollowing(done)
	return nil
}

// choose returns one of several items: the number from --choose, or the user's choice.
func choose[T any](ctx context.Context, p *program, all []T, name func(T) string) (*T, error) {
	number := p.given.choose
	unclear := mistake("usage.unclear").next(viewing.Say("hint.choose"))
	switch {
	case number > 0 && number <= len(all):
		return &all[number-1], nil
	case number != 0:
		return nil, mistake("usage.badChoice", "value", strconv.Itoa(number), "most", strconv.Itoa(len(all)))
	case p.given.json:
		return nil, unclear
	}
	t := p.stdout.Table(1, "n", "title")
	for i, c := range all {
		t.Row(i+1, name(c))
	}
	t.Flush()
	if !p.isInteractive() {
		return nil, unclear
	}
	i, err := strconv.Atoi(p.stderr.Ask(ctx, p.stdin, p.stdout.Speech().Say("cli.which", "n", len(all))))
	if err != nil || i < 1 || i > len(all) {
		return nil, unclear
	}
	return &all[i-1], nil
}

// confirmFollowing shows the other entries that would change and asks for a confirmation. Without
// any it returns true.
func (p *program) confirmFollowing(ctx context.Context, would control.Fixed) bool {
	if !p.isInteractive() || p.given.yes || would.AlsoChanged == 0 {
		return true
	}
	p.sayFollowing(would)
	return p.stderr.Confirm(ctx, p.stdin, p.stdout.Speech().Say("cli.changeAll"))
}

// maxFollowing is how many other changed entries are listed.
const maxFollowing = 10

// sayFollowing lists the first entries that change as well.
func (p *program) sayFollowing(done control.Fixed) {
	if done.AlsoChanged == 0 {
		return
	}
	p.stdout.Say("cli.following", "n", done.AlsoChanged)
	listed := done.Also[:min(len(done.Also), maxFollowing)]
	for _, o := range listed {
		p.stdout.Printf("  %d  %s → %s\n", o.Entry, p.label(entry.Entry{Media: &o.Was}), p.label(entry.Entry{Media: &o.Is}))
	}
	if more := int(done.AlsoChanged) - len(listed); more > 0 {
		p.stdout.Say("cli.followingMore", "n", more)
	}
}

// sayCorrections prints a table of the remembered corrections.
func (p *program) sayCorrections(all []resolve.Correction) {
	if len(all) == 0 {
		p.stdout.Say("cli.nothingRemembered")
		return
	}
	t := p.stdout.Table(1, "id", "told", "is", "since", "entries")
	for _, r := range all {
		t.Row(r.ID, clueText(r.Reported), r.Work, r.Since.Local().Format(time.DateOnly), r.Entries)
	}
	t.Flush()
}

// clueText returns what a source reported about a film or series.
func clueText(c resolve.Clue) string {
	parts := []string{}
	if c.Title != "" {
		parts = append(parts, typed.Quoted(c.Title))
	}
	if c.Year > 0 {
		parts = append(parts, "("+strconv.Itoa(c.Year)+")")
	}
	if c.IDs.IMDB != "" {
		parts = append(parts, c.IDs.IMDB)
	}
	if c.IDs.TVDB > 0 {
		parts = append(parts, "TVDB "+strconv.FormatInt(c.IDs.TVDB, 10))
	}
	if c.Site != nil {
		parts = append(parts, c.Site.Name+" "+c.Site.Title+c.Site.Series)
	}
	return strings.Join(parts, " ")
}

// shortened returns a candidate with its title shortened to fit a line.
func shortened(c resolve.Candidate) string {
	c.Title = typed.Shortened(c.Title)
	return c.String()
}
