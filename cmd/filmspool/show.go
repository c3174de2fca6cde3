package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) showCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "show ID", Short: "Tell everything about one entry", SuggestFor: []string{"explain", "entry"},
		Long: "It tells what was seen, which rule did what, every request and its answer, and what to do.",
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := entryID(args[0])
		if err != nil {
			return err
		}
		return ask(c.Context(), p, daemon.Existing, *asJSON, func(ctl control.API) (control.Explanation, error) {
			x, err := ctl.Explain(c.Context(), id)
			for i, step := range x.Steps {
				x.Steps[i].Text = p.stdout.Speech().Step(step)
			}
			for i, r := range x.Requests {
				if r.Cause != nil {
					x.Requests[i].Error = p.stdout.Speech().Message(*r.Cause)
				}
			}
			return x, err
		}, p.sayExplanation)
	}
	return c
}

// sayExplanation prints one entry with its story.
func (p *program) sayExplanation(x control.Explanation) {
	speech := p.stdout.Speech()
	row := func(key string, value any) { p.stdout.Printf("  %-10s %s\n", speech.Say("cli.row."+key), value) }
	p.stdout.Printf("%d  %s\n", x.ID, x.Label())
	row("state", p.standing(x.Entry))
	if x.Why.Code != "" {
		p.stdout.Printf("  %-10s %s\n", "", speech.Tell(x.Why))
	}
	if item, page := itemOf(x.Entry); item != "" {
		row("item", strings.TrimSpace(item+"  "+page))
	}
	if x.Media != nil && x.Media.Site != nil {
		row("site", x.Media.Site)
	}
	for _, c := range x.Candidates {
		c.Title = typed.Shortened(c.Title)
		row("maybe", c)
	}
	row("watched", watched(x.Entry))
	row("account", x.Account)
	for _, seen := range x.Events {
		row("seen", terminal.Second(seen.At)+"  "+seen.Source+"  "+seen.EventID)
		if note := speech.Tell(seen.Seen.Origin.Note); note != "" {
			p.stdout.Printf("  %-10s %s\n", "", note)
		}
	}
	story := slices.Clone(x.Steps)
	for _, r := range x.Requests {
		story = append(story, entry.Step{At: r.At, Text: speech.Say("diary.request", "n", r.Number) + "  " + answer(r)})
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

// itemOf names what an entry is about by its TMDB number, with its page there.
// Both are empty when the number is not known.
func itemOf(e entry.Entry) (item, page string) {
	const site = "https://www.themoviedb.org/"
	switch m := e.Media; {
	case m == nil:
		return "", ""
	case m.Placed():
		return fmt.Sprintf("tv %d S%02dE%02d", m.Show.IDs.TMDB, *m.Season, *m.Episode),
			fmt.Sprintf("%stv/%d/season/%d/episode/%d", site, m.Show.IDs.TMDB, *m.Season, *m.Episode)
	case m.IDs.TMDB == 0:
		return "", ""
	case m.Type == viewing.Episode: // TMDB has no page for the number of an episode
		return fmt.Sprintf("episode %d", m.IDs.TMDB), ""
	default:
		return fmt.Sprintf("%s %d", m.Type, m.IDs.TMDB), fmt.Sprintf("%s%s/%d", site, m.Type, m.IDs.TMDB)
	}
}
