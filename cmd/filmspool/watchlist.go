package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) watchlistCommand() *cobra.Command {
	add := &cobra.Command{
		Use: "add movie|tv ID", Short: "Put a film or series on the watchlist", Args: usage.Exactly("movie or tv", "ID"),
		Long: itemForms + `

What went to the watchlist from here is not sent a second time, unless you say --again.`,
		Example: `  filmspool watchlist add tv 1396 --priority 2
  filmspool watchlist add film https://www.themoviedb.org/movie/603-the-matrix`,
		ValidArgs: []string{"movie", "tv"},
	}
	asJSON, again, choose := jsonFlag(add), againFlag(add), chooseFlag(add)
	priority := add.Flags().Int("priority", 0, "its place on the watchlist")
	add.RunE = func(c *cobra.Command, args []string) error {
		w, err := wished(args[0])
		if err != nil {
			return err
		}
		w.choose = *choose
		m, err := p.meant(c.Context(), args[1], w)
		if err != nil {
			return err
		}
		v := viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{m}}
		if c.Flags().Changed("priority") {
			v.Priority = priority
		}
		return p.commit(c.Context(), addition{asJSON: *asJSON, again: *again, v: v})
	}
	c := group("watchlist", "Add to the watchlist", add)
	c.Long = `Adds films and series to the watchlist of the service. What was added from here:
filmspool queue list --kind watchlist. The service has no documented way to show or
empty its watchlist, so taking away is done there.`
	return c
}

// wished is what may go to the watchlist.
func wished(kind string) (wanting, error) {
	switch {
	case slices.Contains([]string{"movie", "film"}, kind):
		return wanting{kind: viewing.Movie}, nil
	case slices.Contains([]string{"tv", "show", "series"}, kind):
		return wanting{kind: viewing.TV}, nil
	case kind == "episode":
		return wanting{}, &typed.Error{
			Problem: `"episode" is not movie or tv: a watchlist holds films and series`,
			Next:    "filmspool watchlist add tv 1396",
		}
	default:
		return wanting{}, &typed.Error{
			Problem: typed.Quoted(kind) + " is not movie or tv", Next: "filmspool watchlist add movie 603",
		}
	}
}

func againFlag(c *cobra.Command) *bool {
	return c.Flags().Bool("again", false, "also when it is there already")
}

func (p *program) listCommand() *cobra.Command {
	var l viewing.List
	create := &cobra.Command{
		Use: "create NAME", Short: "Create a list", Args: usage.Exactly("NAME"),
		Long:    `Creates a list. One of the same name is not created a second time, unless you say --again.`,
		Example: `  filmspool list create Noir --description "From 1940 to 1958"`,
	}
	asJSON, again := jsonFlag(create), againFlag(create)
	create.Flags().StringVar(&l.Description, "description", "", "what the list is about")
	create.Flags().StringVar(&l.Visibility, "visibility", "PRIVATE", "PRIVATE or PUBLIC")
	create.RunE = func(c *cobra.Command, args []string) error {
		l.Name = args[0]
		return p.commit(c.Context(), addition{asJSON: *asJSON, again: *again, v: viewing.Event{Kind: viewing.KindList, List: &l}})
	}
	c := group("list", "Create lists", create)
	c.Long = `Creates lists at the service. What was created from here: filmspool queue list --kind list.
The service has no documented way to delete a list, so that is done there.`
	return c
}
