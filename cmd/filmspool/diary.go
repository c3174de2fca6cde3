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

// diary lists entries.
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
	f.Words, f.ByTime, f.Limit = strings.Join(args, " "), true, limit+1 // one more shows whether there are more
	more, speech := false, p.stdout.Speech()
	return ask(ctx, p, daemon.OfflineExisting, func(ctl control.API) ([]entry.Entry, error) {
		all, err := ctl.List(ctx, f)
		more, speech = len(all) > limit, p.speechWithNames(ctx, ctl)
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
		row := []any{e.ID, watched(e), what, p.stateText(e), speech.Source(e.Source)}
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

// stateText returns the state of an entry with its reason.
func (p *program) stateText(e entry.Entry) string {
	return p.stdout.Speech().StateText(e.State, e.Reason)
}

// label names an entry.
func (p *program) label(e entry.Entry) string {
	label := p.stdout.Speech().Label(e)
	if m := e.Media; m != nil && m.Show != nil && m.Show.Title != "" && m.Episode == nil && m.Title != "" {
		label += ": " + m.Title // identifies the episode
	}
	return label
}

// speechWithNames returns the user's language with the names of the sources.
func (p *program) speechWithNames(ctx context.Context, ctl control.API) locale.Speech {
	speech := p.stdout.Speech()
	if s, err := ctl.Status(ctx); err == nil {
		speech.Names = s.SourceNames()
	}
	return speech
}

// kind returns the name of a kind of source.
func (p *program) kind(kind string) string { return p.stdout.Speech().Kind(kind) }

// watched returns when an entry was watched, in local time.
func watched(e entry.Entry) string {
	switch {
	case e.WatchedAt.IsZero():
		return "-"
	case e.DayOnly:
		return e.WatchedAt.Time().Local().Format(time.DateOnly)
	}
	return terminal.Minute(e.WatchedAt.Time())
}

// filter returns the filter from the flags. Unknown states and kinds are an error.
func (p *program) filter() (entry.Filter, error) {
	g := &p.given
	f := entry.Filter{State: viewing.State(g.state), Reason: g.reason, Account: g.account, Source: g.source, Kind: viewing.Kind(g.kind)}
	return f, cmp.Or(oneOf("state", g.state, states()), oneOf("kind", g.kind, kinds))
}

// states returns the states of entries.
func states() (words []string) {
	for _, s := range viewing.States() {
		words = append(words, string(s))
	}
	return words
}

// kinds are the kinds of entries.
var kinds = []string{"viewing", "watchlist", "list", "list_item"}

// entryIDs parses ids of entries.
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

// moment parses the time in a flag. A day means its start. "" is the zero time.
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
