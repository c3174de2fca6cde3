package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// itemForms tells which forms a film, a series or an episode may have.
const itemForms = `It is named by its number at themoviedb.org, by its IMDb number, or by the address of
its page at one of the two. Of what has only an IMDb number, the service is asked what it is.
Words of a title are looked for at the service, and at TMDB where you have turned that on.
They count where only one film or series is certainly meant; else you choose.`

func (p *program) addCommand() *cobra.Command {
	movie := &cobra.Command{
		Use: "movie ID", Short: "Add a viewing of a film", Args: usage.Exactly("ID"), Aliases: []string{"film"},
		Long: itemForms,
		Example: `  filmspool add movie 603
  filmspool add movie https://www.themoviedb.org/movie/603-the-matrix
  filmspool add movie "The Matrix (1999)"
  filmspool add movie tt0133093 --watched-at "yesterday 20:15"
  filmspool add movie 603 --watched-at 2026-03-01T20:15:00+01:00`,
	}
	movieJSON, movieAt, choose := jsonFlag(movie), watchedAtFlag(movie), chooseFlag(movie)
	movie.RunE = func(c *cobra.Command, args []string) error {
		m, err := p.meant(c.Context(), args[0], wanting{kind: viewing.Movie, choose: *choose})
		if err != nil {
			return err
		}
		return p.addViewing(c.Context(), *movieJSON, *movieAt, m)
	}
	return group("add", "Add a viewing by hand", movie, p.addEpisodeCommand())
}

func (p *program) addEpisodeCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "episode [ADDRESS] --show ID --season N --episode N", Short: "Add a viewing of an episode", Args: usage.AtMost("ADDRESS"),
		Long: itemForms + `

The address of an episode's page names its series, its season and its number at once.`,
		Example: `  filmspool add episode --show 1396 --season 1 --episode 2
  filmspool add episode https://www.themoviedb.org/tv/1396-breaking-bad/season/1/episode/2`,
	}
	asJSON, at, choose := jsonFlag(c), watchedAtFlag(c), chooseFlag(c)
	show := c.Flags().String("show", "", "the series: its number or address")
	season := c.Flags().Int("season", -1, "the season, from 0 (specials)")
	episode := c.Flags().Int("episode", 0, "the episode, from 1")
	c.RunE = func(c *cobra.Command, args []string) error {
		set := c.Flags().Changed
		flag, text := "--show", *show
		switch {
		case len(args) > 0 && set("show"):
			return usage.Errorf("the series is given twice: as %s and with --show; usage: %s", typed.Quoted(args[0]), c.UseLine())
		case len(args) > 0:
			flag, text = "", args[0]
		case !set("show"):
			return usage.Errorf("--show is missing; usage: %s", c.UseLine())
		}
		m, err := p.meant(c.Context(), text, wanting{kind: viewing.Episode, flag: flag, choose: *choose})
		if err != nil {
			return err
		}
		if err := place(&m, set, season, episode); err != nil {
			return err
		}
		switch {
		case m.Season == nil:
			return usage.Errorf("--season is missing; usage: %s", c.UseLine())
		case m.Episode == nil:
			return usage.Errorf("--episode is missing; usage: %s", c.UseLine())
		}
		return p.addViewing(c.Context(), *asJSON, *at, m)
	}
	return c
}

// place adds what the flags say of an episode. They may not contradict an address.
func place(m *viewing.Media, set func(string) bool, season, episode *int) error {
	for _, part := range []struct {
		flag  string
		value *int
		into  **int
	}{{"season", season, &m.Season}, {"episode", episode, &m.Episode}} {
		if !set(part.flag) {
			continue
		}
		if *part.into != nil && **part.into != *part.value {
			return usage.Errorf("--%s %d is not what the address says, which is %d", part.flag, *part.value, **part.into)
		}
		*part.into = part.value
	}
	return nil
}

func watchedAtFlag(c *cobra.Command) *string {
	return c.Flags().String("watched-at", "", `when it ended: 20:15, yesterday, "yesterday 20:15", "2 hours ago", 2026-03-01, "2026-03-01 20:15" in local time, or RFC 3339 (default: now)`)
}

// addViewing commits a viewing that ended at the given time, or now.
func (p *program) addViewing(ctx context.Context, asJSON bool, at string, m viewing.Media) error {
	ended := viewing.At(time.Now().Truncate(time.Second))
	if at != "" {
		var err error
		if ended, err = instantOf(at); err != nil {
			return err
		}
	}
	return p.commit(ctx, addition{asJSON: asJSON, v: viewing.Event{
		Kind: viewing.KindViewing, Media: []viewing.Media{m}, WatchedAt: ended, Count: 1,
	}})
}

// instantOf reads when a viewing ended, from --watched-at.
func instantOf(text string) (viewing.Instant, error) {
	now := time.Now()
	t, err := typed.ParseTime(text, now)
	if err != nil {
		return viewing.Instant{}, usage.In("--watched-at", err)
	}
	return t.Instant(now), nil
}
