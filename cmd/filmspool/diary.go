package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) diaryCommand() *cobra.Command {
	var f entry.Filter
	c := &cobra.Command{
		Use: "diary [WORDS]…", SuggestFor: []string{"list", "ls", "history", "queue", "search", "watched"},
		Example: "  filmspool diary matrix\n  filmspool diary --since yesterday\n  filmspool diary --state held",
	}
	asJSON := jsonFlag(c)
	filterFlags(c, &f)
	since := c.Flags().String("since", "", "")
	c.Flags().IntVar(&f.Limit, "limit", 100, "")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if f.Since, err = moment("since", *since); err != nil {
			return err
		}
		if f.Limit < 1 || f.Limit > 10000 {
			return mistake("usage.limit", "value", strconv.Itoa(f.Limit))
		}
		if err := checkFilter(f); err != nil {
			return err
		}
		limit := f.Limit
		f.Words, f.ByTime, f.Limit = strings.Join(args, " "), true, limit+1 // one more tells whether there are more
		more, speech := false, p.stdout.Speech()
		return ask(c.Context(), p, daemon.Existing, *asJSON, func(ctl control.API) ([]entry.Entry, error) {
			all, err := ctl.List(c.Context(), f)
			more, speech = len(all) > limit, p.naming(c.Context(), ctl)
			return all[:min(limit, len(all))], err
		}, func(all []entry.Entry) {
			p.sayEntries(all, speech)
			if more {
				p.stdout.Say("cli.more", "n", limit)
			}
		})
	}
	return c
}

// sayEntries prints a table of entries.
func (p *program) sayEntries(all []entry.Entry, speech locale.Speech) {
	if len(all) == 0 {
		p.stdout.Say("cli.none")
		return
	}
	several := slices.ContainsFunc(all, func(e entry.Entry) bool { return e.Account != all[0].Account })
	t := p.stdout.Table(2, "id", "watched", "what", "state", "source")
	if several {
		t = p.stdout.Table(2, "id", "watched", "what", "state", "source", "account")
	}
	stuck := false
	for _, e := range all {
		what := p.label(e)
		if e.Kind == viewing.KindWatchlist {
			what += " (" + speech.Say("page.title.watchlist") + ")"
		}
		row := []any{e.ID, watched(e), what, p.standing(e), speech.Source(e.Source)}
		if several {
			row = append(row, e.Account)
		}
		t.Row(row...)
		stuck = stuck || e.State == viewing.StateHeld || e.State == viewing.StateInDoubt || e.State == viewing.StateRejected
	}
	t.Flush()
	if stuck {
		p.stdout.Say("cli.stuck")
	}
}

// standing is the state of an entry, and why it stands there.
func (p *program) standing(e entry.Entry) string {
	return p.stdout.Speech().Standing(e.State, e.Reason)
}

// label names an entry.
func (p *program) label(e entry.Entry) string { return p.stdout.Speech().Label(e) }

// naming is the person's language with the names of the sources.
func (p *program) naming(ctx context.Context, ctl control.API) locale.Speech {
	speech := p.stdout.Speech()
	if s, err := ctl.Status(ctx); err == nil {
		speech.Names = s.SourceNames()
	}
	return speech
}

// kind is a kind of source.
func (p *program) kind(kind string) string { return p.stdout.Speech().Kind(kind) }

// watched is when an entry was watched, in local time.
func watched(e entry.Entry) string {
	switch {
	case e.WatchedAt.IsZero():
		return "-"
	case e.DayOnly:
		return e.WatchedAt.Time().Local().Format(time.DateOnly)
	}
	return terminal.Minute(e.WatchedAt.Time())
}

// filterFlags are the flags that choose entries.
func filterFlags(c *cobra.Command, f *entry.Filter) {
	flags := c.Flags()
	flags.StringVar((*string)(&f.State), "state", "", "")
	flags.StringVar(&f.Reason, "reason", "", "")
	flags.StringVar(&f.Account, "account", "", "")
	flags.StringVar(&f.Source, "source", "", "")
	flags.StringVar((*string)(&f.Kind), "kind", "", "")
}

// checkFilter refuses words that no entry has.
func checkFilter(f entry.Filter) error {
	return cmp.Or(oneOf("state", string(f.State), states()), oneOf("kind", string(f.Kind), kinds()))
}

// states are those that an entry can be in.
func states() (words []string) {
	for _, s := range viewing.States() {
		words = append(words, string(s))
	}
	return words
}

// kinds are what an entry can ask for.
func kinds() []string { return []string{"viewing", "watchlist", "list", "list_item"} }

// entryID reads an entry's id.
func entryID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, mistake("usage.noID", "word", typed.Quoted(text)).next(control.Command("filmspool diary"))
	}
	return id, nil
}

// moment reads the time of a flag; a day begins at midnight here. It is zero for "".
func moment(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := typed.ParseTime(text, time.Now())
	if err != nil {
		return time.Time{}, inFlag("--"+flag, err)
	}
	return t.Start(), nil
}
