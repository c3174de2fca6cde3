package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// correction is what the flags of "queue edit" say.
type correction struct {
	movie, show, at string
	season, number  int
	set             func(flag string) bool
}

func (p *program) editCommand() *cobra.Command {
	var e correction
	c := &cobra.Command{
		Use: "edit ID", Short: "Correct an entry that has not been delivered", Args: usage.Exactly("ID"),
		Long: `Says what an entry really is, or when it was watched. What was held for want of
that, or was rejected, may leave then. Of an episode, what you do not give stays.
It is for this entry alone: filmspool fix also remembers it for what comes.`,
		Example: `  filmspool queue edit 12 --movie 603
  filmspool queue edit 12 --movie https://www.themoviedb.org/movie/603-the-matrix
  filmspool queue edit 12 --show 1396 --season 1 --episode 2
  filmspool queue edit 12 --watched-at 2026-03-01T20:15:00+01:00`,
	}
	asJSON := jsonFlag(c)
	f := c.Flags()
	f.StringVar(&e.movie, "movie", "", "it is this film: its number or address")
	f.StringVar(&e.show, "show", "", "it is of this series: its number or address, also that of an episode")
	f.IntVar(&e.season, "season", -1, "the season, from 0 (specials)")
	f.IntVar(&e.number, "episode", 0, "the episode, from 1")
	f.StringVar(&e.at, "watched-at", "", `when it ended: 20:15, yesterday, 2026-03-01, "2026-03-01 20:15", with an offset or in local time`)
	dry := f.Bool("dry-run", false, "say what it would be, and change nothing")
	e.set = f.Changed
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := entryID(args[0])
		if err != nil {
			return err
		}
		return ask(c.Context(), p, daemon.Offline, *asJSON, func(ctl control.API) (queue.Entry, error) {
			was, err := ctl.Explain(c.Context(), id)
			if err != nil {
				return was.Entry, err
			}
			edit, err := e.edit(was.Entry)
			if err != nil {
				return was.Entry, err
			}
			edit.DryRun = *dry
			return ctl.Edit(c.Context(), control.Edit{ID: id, Edit: edit})
		}, func(after queue.Entry) error {
			if *dry {
				p.stdout.Println("Nothing is changed. It would be:")
			}
			return p.sayEntry(after)
		})
	}
	return c
}

// edit is the correction of one entry.
func (e correction) edit(was queue.Entry) (entry.Edit, error) {
	var edit entry.Edit
	if !e.set("movie") && !e.set("show") && !e.set("season") && !e.set("episode") && !e.set("watched-at") {
		return edit, &typed.Error{
			Problem: "nothing to change is given",
			Next:    "one or more of --movie, --show, --season, --episode and --watched-at",
		}
	}
	if e.set("watched-at") {
		at, err := instantOf(e.at)
		if err != nil {
			return edit, err
		}
		edit.WatchedAt = at
	}
	var err error
	edit.Media, err = e.media(was)
	return edit, err
}

// media is the new identity; nil keeps the old one.
func (e correction) media(was queue.Entry) (*viewing.Media, error) {
	part := e.set("season") || e.set("episode")
	switch {
	case e.set("movie") && (e.set("show") || part):
		return nil, usage.Errorf("it is either a film or an episode: give --movie, or --show, --season and --episode")
	case e.set("movie"):
		m, err := typed.ParseMedia(viewing.Movie, e.movie)
		return &m, usage.In("--movie", err)
	case e.set("show") && !part && (was.Kind == viewing.KindWatchlist || was.Kind == viewing.KindListItem):
		m, err := typed.ParseMedia(viewing.TV, e.show)
		return &m, usage.In("--show", err)
	case e.set("show") || part:
		return e.part(was)
	default:
		return nil, nil
	}
}

// placeFrom is [place], and refuses what is no place.
func placeFrom(m *viewing.Media, set func(string) bool, season, episode *int) error {
	err := place(m, set, season, episode)
	if err == nil && (m.Season != nil && *m.Season < 0 || m.Episode != nil && *m.Episode < 1) {
		return usage.Errorf("--season is a number from 0, and --episode is one from 1")
	}
	return err
}

// part is the new identity of an episode, as far as it is given.
func (e correction) part(was queue.Entry) (*viewing.Media, error) {
	m := &viewing.Media{Type: viewing.Episode}
	if e.set("show") {
		given, err := typed.ParseMedia(viewing.Episode, e.show)
		if err != nil {
			return nil, usage.In("--show", err)
		}
		m = &given
	}
	if err := placeFrom(m, e.set, &e.season, &e.number); err != nil {
		return nil, err
	}
	old := viewing.Media{}
	if was.Media != nil && was.Media.Type == viewing.Episode {
		old = *was.Media
	}
	for _, part := range []struct {
		flag    string
		missing bool
	}{
		{"show", m.Show == nil && old.Show == nil},
		{"season", m.Season == nil && old.Season == nil},
		{"episode", m.Episode == nil && old.Episode == nil},
	} {
		if part.missing {
			return nil, usage.Errorf("--%s is missing: entry %d does not say it", part.flag, was.ID)
		}
	}
	return m, nil
}

// sayEntry prints one entry as it is after a change.
func (p *program) sayEntry(e queue.Entry) error {
	state := string(e.State)
	if e.Reason != "" {
		state += " (" + e.Reason + ")"
	}
	label := e.Label()
	if item, _ := report.Item(e); item != "" && e.Media.Titled() {
		label += ", " + item
	}
	p.stdout.Printf("%d  %s  watched %s: %s\n", e.ID, label, report.Watched(e), state)
	return nil
}
