package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/status"
	"github.com/filmspool/filmspool/queue/viewing"
)

// stamp is an instant in local time, to the second.
func stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// commit hands one event to the instance and prints the entry it became.
func (p *program) commit(ctx context.Context, asJSON bool, v viewing.Viewing) error {
	v.EventID = rand.Text()
	return p.instance(ctx, false, func(ctl status.Control) error {
		e, err := ctl.Add(ctx, v)
		if err != nil {
			return err
		}
		if e.State != "pending" {
			p.stderr.Printf("%s: %s; see filmspool queue explain %d\n", e.State, e.Reason, e.ID)
		}
		if asJSON {
			return printJSON(p.stdout, e)
		}
		p.stdout.Println(e.ID)
		return nil
	})
}

// tmdb reads an identifier of themoviedb.org.
func tmdb(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, &exitError{
			code: exitUsage, message: fmt.Sprintf("%q is not a TMDB identifier, which is a number from 1", text),
			hint: "it stands in the address of the title's page: themoviedb.org/movie/603",
		}
	}
	return id, nil
}

func (p *program) addCommand() *cobra.Command {
	movie := &cobra.Command{
		Use: "movie ID", Short: "Add a viewing of a film by its TMDB identifier", Args: exactly("ID"),
		Example: `  filmspool add movie 603
  filmspool add movie 603 --watched-at 2026-03-01T20:15:00+01:00`,
	}
	movieJSON, movieAt := jsonFlag(movie), watchedAtFlag(movie)
	movie.RunE = func(c *cobra.Command, args []string) error {
		id, err := tmdb(args[0])
		if err != nil {
			return err
		}
		return p.addViewing(c.Context(), *movieJSON, *movieAt, viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: id}})
	}
	return group("add", "Add a viewing by hand", movie, p.addEpisodeCommand())
}

func (p *program) addEpisodeCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "episode --show ID --season N --episode N", Short: "Add a viewing of an episode", Args: exactly(),
		Example: `  filmspool add episode --show 1396 --season 1 --episode 2`,
	}
	asJSON, at := jsonFlag(c), watchedAtFlag(c)
	show := c.Flags().String("show", "", "the series' TMDB identifier")
	season := c.Flags().Int("season", -1, "the season, from 0 (specials)")
	episode := c.Flags().Int("episode", 0, "the episode, from 1")
	c.RunE = func(c *cobra.Command, _ []string) error {
		for _, name := range []string{"show", "season", "episode"} {
			if !c.Flags().Changed(name) {
				return usage("--%s is missing; usage: %s", name, c.UseLine())
			}
		}
		id, err := tmdb(*show)
		if err != nil {
			return err
		}
		return p.addViewing(c.Context(), *asJSON, *at, viewing.Media{
			Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: id}}, Season: season, Episode: episode,
		})
	}
	return c
}

func watchedAtFlag(c *cobra.Command) *string {
	return c.Flags().String("watched-at", "", "when it ended, with offset: 2026-03-01T20:15:00+01:00 (default: now)")
}

// addViewing commits a viewing that ended at the given time, or now.
func (p *program) addViewing(ctx context.Context, asJSON bool, at string, m viewing.Media) error {
	ended := viewing.At(time.Now().Truncate(time.Second))
	if at != "" {
		var err error
		if ended, err = viewing.ParseInstant(at); err != nil {
			return usage("--watched-at: %v", err)
		}
	}
	return p.commit(ctx, asJSON, viewing.Viewing{
		Kind: viewing.KindViewing, Media: []viewing.Media{m}, WatchedAt: ended, Count: 1,
	})
}

func (p *program) watchlistCommand() *cobra.Command {
	add := &cobra.Command{
		Use: "add movie|tv ID", Short: "Put a film or series on the watchlist", Args: exactly("movie or tv", "ID"),
		Example: `  filmspool watchlist add tv 1396 --priority 2`,
	}
	asJSON := jsonFlag(add)
	priority := add.Flags().Int("priority", 0, "its place on the watchlist")
	add.RunE = func(c *cobra.Command, args []string) error {
		id, err := tmdb(args[1])
		if err != nil {
			return err
		}
		v := viewing.Viewing{
			Kind:  viewing.KindWatchlist,
			Media: []viewing.Media{{Type: viewing.MediaType(args[0]), IDs: viewing.IDs{TMDB: id}}},
		}
		if args[0] != string(viewing.Movie) && args[0] != string(viewing.TV) {
			return usage("%q is not movie or tv", args[0])
		}
		if c.Flags().Changed("priority") {
			v.Priority = priority
		}
		return p.commit(c.Context(), *asJSON, v)
	}
	return group("watchlist", "Add to the watchlist", add)
}

func (p *program) listCommand() *cobra.Command {
	var l viewing.List
	create := &cobra.Command{
		Use: "create NAME", Short: "Create a list", Args: exactly("NAME"),
		Example: `  filmspool list create Noir --description "From 1940 to 1958"`,
	}
	asJSON := jsonFlag(create)
	create.Flags().StringVar(&l.Description, "description", "", "what the list is about")
	create.Flags().StringVar(&l.Visibility, "visibility", "PRIVATE", "PRIVATE or PUBLIC")
	create.RunE = func(c *cobra.Command, args []string) error {
		l.Name = args[0]
		return p.commit(c.Context(), *asJSON, viewing.Viewing{Kind: viewing.KindList, List: &l})
	}
	return group("list", "Create lists", create)
}
