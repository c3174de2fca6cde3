package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// diary lists what was watched.
func (p *program) diary(ctx context.Context, args []string) error {
	f, err := p.filter()
	if err != nil {
		return err
	}
	if f.Since, err = moment("since", p.given.since); err != nil {
		return err
	}
	limit := cmp.Or(p.given.limit, 100)
	if limit < 1 || limit > 10000 {
		return mistake("usage.limit", "value", strconv.Itoa(limit))
	}
	f.Words, f.ByTime, f.Limit = strings.Join(args, " "), true, limit+1 // one more tells whether there are more
	more, speech := false, p.stdout.Speech()
	return ask(ctx, p, daemon.OfflineExisting, func(ctl control.API) ([]entry.Entry, error) {
		all, err := ctl.List(ctx, f)
		more, speech = len(all) > limit, p.naming(ctx, ctl)
		return all[:min(limit, len(all))], err
	}, func(all []entry.Entry) {
		p.sayEntries(all, speech)
		if more {
			p.stdout.Say("cli.more", "n", limit)
		}
	})
}

// sayEntries prints a table of entries.
func (p *program) sayEntries(all []entry.Entry, speech locale.Speech) {
	if len(all) == 0 {
		p.stdout.Say("cli.none")
		return
	}
	columns := []string{"id", "watched", "what", "state", "source"}
	several := slices.ContainsFunc(all, func(e entry.Entry) bool { return e.Account != all[0].Account })
	if several {
		columns = append(columns, "account")
	}
	t := p.stdout.Table(2, columns...)
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
func (p *program) label(e entry.Entry) string {
	label := p.stdout.Speech().Label(e)
	if m := e.Media; m != nil && m.Show != nil && m.Show.Title != "" && m.Episode == nil && m.Title != "" {
		label += ": " + m.Title // all that tells the episode
	}
	return label
}

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

// filter is which entries the flags choose. It refuses words that no entry has.
func (p *program) filter() (entry.Filter, error) {
	g := &p.given
	f := entry.Filter{State: viewing.State(g.state), Reason: g.reason, Account: g.account, Source: g.source, Kind: viewing.Kind(g.kind)}
	return f, cmp.Or(oneOf("state", g.state, states()), oneOf("kind", g.kind, kinds))
}

// states are those that an entry can be in.
func states() (words []string) {
	for _, s := range viewing.States() {
		words = append(words, string(s))
	}
	return words
}

// kinds are what an entry can ask for.
var kinds = []string{"viewing", "watchlist", "list", "list_item"}

// entryIDs reads the ids of entries.
func entryIDs(words []string) (ids []int64, err error) {
	for _, word := range words {
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil || id < 1 {
			return nil, mistake("usage.noID", "word", typed.Quoted(word)).next(control.Command("filmspool diary"))
		}
		ids = append(ids, id)
	}
	return ids, nil
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
