package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func (p *program) showCommand() *cobra.Command {
	var speech locale.Speech
	c := asking(p, "show ID", daemon.Existing, func(ctx context.Context, ctl control.API, args []string) (x control.Explanation, err error) {
		id, err := entryID(args[0])
		if err != nil {
			return x, err
		}
		x, err = ctl.Explain(ctx, id)
		speech = p.naming(ctx, ctl)
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
	c.SuggestFor = []string{"explain", "entry"}
	return c
}

// sayExplanation prints one entry with its story.
func (p *program) sayExplanation(x control.Explanation, speech locale.Speech) {
	p.stdout.Printf("%d  %s\n", x.ID, p.label(x.Entry))
	p.row("state", p.standing(x.Entry))
	if x.Why.Code != "" {
		p.row("why", speech.Tell(x.Why))
	}
	if page := pageOf(x.Entry); page != "" {
		p.row("item", "https://www."+page)
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
		if note := speech.Tell(seen.Seen.Origin.Note); note != "" {
			p.row("note", note)
		}
	}
	story := slices.Clone(x.Steps)
	for i, r := range x.Requests {
		story = append(story, entry.Step{At: r.At, Text: speech.Say("diary.request", "n", i+1) + "  " + answer(r)})
	}
	slices.SortStableFunc(story, func(a, b entry.Step) int { return a.At.Compare(b.At) })
	for _, s := range story {
		p.stdout.Printf("  %s  %s\n", terminal.Second(s.At), s.Text)
	}
	p.stdout.Hint(x.Hint)
}

// answer is what came of one request.
func answer(r entry.Attempt) string {
	status := ""
	if r.Status != 0 {
		status = strconv.Itoa(r.Status)
	}
	return strings.Join(slices.DeleteFunc([]string{status, r.Error, r.Answer}, func(part string) bool { return part == "" }), "  ")
}

// pageOf is the page of an entry's item at TMDB, or what else names it there; "" where that
// is not known.
func pageOf(e entry.Entry) string {
	switch m := e.Media; {
	case m != nil && m.Placed():
		return fmt.Sprintf("themoviedb.org/tv/%d/season/%d/episode/%d", m.Show.IDs.TMDB, *m.Season, *m.Episode)
	case m == nil || m.IDs.TMDB == 0 || m.Type == viewing.Episode: // TMDB has no page for the number of an episode
		return ""
	default:
		return fmt.Sprintf("themoviedb.org/%s/%d", m.Type, m.IDs.TMDB)
	}
}
