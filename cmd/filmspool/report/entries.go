package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Entries is a table of entries.
func Entries(w *terminal.Printer, entries []entry.Entry) error {
	if len(entries) == 0 {
		w.Println("No entries.")
		return nil
	}
	t := w.Table(2, 3)
	cells := 6
	if slices.ContainsFunc(entries, func(e entry.Entry) bool { return e.Account != entries[0].Account }) {
		cells++
	}
	t.Row([]any{"ID", "STATE", "KIND", "WHAT", "WATCHED", "SOURCE", "ACCOUNT"}[:cells]...)
	for _, e := range entries {
		state := string(e.State)
		if e.State == viewing.StateHeld || e.State == viewing.StateDropped && entry.Ignored(e.Reason) {
			state += " (" + e.Reason + ")"
		}
		t.Row([]any{e.ID, state, e.Kind, e.Label(), Watched(e), viewing.SourceKind(e.Source), e.Account}[:cells]...)
	}
	return t.Flush()
}

// Watched is when the entry was watched, in local time.
func Watched(e entry.Entry) string {
	if e.WatchedAt.IsZero() {
		return "-"
	}
	return terminal.Minute(e.WatchedAt.Time())
}

// Write writes the steps and the requests of an entry in a language.
func Write(s locale.Speech, x *control.Explanation) {
	for i, step := range x.Steps {
		x.Steps[i].Text = s.Step(step)
	}
	for i, r := range x.Requests {
		if r.Cause != nil {
			x.Requests[i].Error = s.Message(*r.Cause)
		}
	}
}

// Explanation is one entry with its story.
func Explanation(w *terminal.Printer, e control.Explanation) error {
	t := w.Table(2, 1)
	t.Row(fmt.Sprintf("%d  %s", e.ID, e.Label()))
	t.Row("state", strings.TrimSpace(string(e.State)+"  "+e.Reason))
	if e.Why.Code != "" {
		t.Row("", w.Speech().Tell(e.Why))
	}
	if e.Hint.Code != "" {
		t.Row("hint", e.Hint)
	}
	if item, page := Item(e.Entry); item != "" {
		t.Row("item", strings.TrimSpace(item+"  "+page))
	}
	if e.Media != nil && e.Media.Site != nil {
		t.Row("site", e.Media.Site)
	}
	for _, c := range e.Candidates {
		c.Title = typed.Shortened(c.Title)
		t.Row("may be", c)
	}
	t.Row("watched", Watched(e.Entry))
	t.Row("account", e.Account)
	t.Row("times", "local, UTC"+e.CreatedAt.Local().Format("-07:00"))
	for _, seen := range e.Events {
		t.Row("seen", terminal.Second(seen.At)+"  by "+seen.Source+"  as "+seen.EventID)
		if seen.Seen.Origin.Note != "" {
			t.Row("", seen.Seen.Origin.Note)
		}
	}
	story := slices.Clone(e.Steps)
	for _, r := range e.Requests {
		story = append(story, entry.Step{At: r.At, Code: "request", Text: answer(r)})
	}
	slices.SortStableFunc(story, func(a, b entry.Step) int { return a.At.Compare(b.At) })
	for _, s := range story {
		family, _, _ := strings.Cut(s.Code, ".")
		t.Row(terminal.Second(s.At), family+"  "+s.Text)
	}
	return t.Flush()
}

// Item names what an entry is about by its TMDB number, with its page there.
// Both are empty when the number is not known.
func Item(e entry.Entry) (item, page string) {
	const site = "https://www.themoviedb.org/"
	switch m := e.Media; {
	case m == nil:
		return "", ""
	case m.Placed():
		return fmt.Sprintf("series %d S%02dE%02d", m.Show.IDs.TMDB, *m.Season, *m.Episode),
			fmt.Sprintf("%stv/%d/season/%d/episode/%d", site, m.Show.IDs.TMDB, *m.Season, *m.Episode)
	case m.IDs.TMDB == 0:
		return "", ""
	case m.Type == viewing.Movie:
		return fmt.Sprintf("film %d", m.IDs.TMDB), fmt.Sprintf("%smovie/%d", site, m.IDs.TMDB)
	case m.Type == viewing.TV:
		return fmt.Sprintf("series %d", m.IDs.TMDB), fmt.Sprintf("%stv/%d", site, m.IDs.TMDB)
	default: // TMDB has no page for the number of an episode
		return fmt.Sprintf("episode %d", m.IDs.TMDB), ""
	}
}

// answer is what came of one request.
func answer(r entry.Attempt) string {
	var parts []string
	if r.Status != 0 {
		parts = append(parts, strconv.Itoa(r.Status))
	}
	if r.Error != "" {
		parts = append(parts, r.Error)
	}
	if r.Answer != "" {
		parts = append(parts, r.Answer)
	}
	if len(parts) == 0 {
		return "no answer yet"
	}
	return strings.Join(parts, "  ")
}
