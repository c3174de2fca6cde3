package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/entry"
)

// showEntry shows everything about an entry.
func (p *program) showEntry(ctx context.Context, args []string) error {
	ids, err := entryIDs(args)
	if err != nil {
		return err
	}
	var speech locale.Speech
	return ask(ctx, p, daemon.OfflineExisting, func(ctl control.API) (control.Explanation, error) {
		x, err := ctl.Explain(ctx, ids[0])
		speech = p.speechWithNames(ctx, ctl)
		for i, step := range x.Steps {
			x.Steps[i].Text = speech.Step(step)
		}
		for i, r := range x.Requests {
			if r.Cause != nil {
				x.Requests[i].Error = speech.Message(*r.Cause)
			}
		}
		return x, err
	}, func(x control.Explanation) { p.sayExplanation(x, speech) })
}

// sayExplanation prints an entry with its history.
func (p *program) sayExplanation(x control.Explanation, speech locale.Speech) {
	p.stdout.Printf("%d  %s\n", x.ID, p.label(x.Entry))
	p.row("state", p.stateText(x.Entry))
	if x.Why.Code != "" {
		p.row("why", speech.Tell(x.Why))
	}
	if x.Media != nil && x.Media.TMDBPage() != "" {
		p.row("item", x.Media.TMDBPage())
	}
	if x.Media != nil && x.Media.Site != nil {
		p.row("site", x.Media.Site)
	}
	for _, c := range x.Candidates {
		p.row("maybe", shortened(c))
	}
	p.row("watched", watched(x.Entry))
	p.row("account", x.Account)
	for _, seen := range x.Events {
		p.row("seen", terminal.Second(seen.At)+"  "+speech.Source(seen.Source))
		if note := speech.Tell(seen.Event.Origin.Note); note != "" {
			p.row("note", note)
		}
	}
	story := slices.Clone(x.Steps)
	for i, r := range x.Requests {
		said := []string{speech.Say("diary.request", "n", i+1), strings.TrimPrefix(strconv.Itoa(r.Status), "0"), r.Error, r.Answer}
		said = slices.DeleteFunc(said, func(part string) bool { return part == "" })
		story = append(story, entry.Step{At: r.At, Text: strings.Join(said, "  ")})
	}
	slices.SortStableFunc(story, func(a, b entry.Step) int { return a.At.Compare(b.At) })
	for _, s := range story {
		p.stdout.Printf("  %s  %s\n", terminal.Second(s.At), s.Text)
	}
	p.stdout.Hint(x.Hint)
}
