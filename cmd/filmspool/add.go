package main

import (
	"context"
	"crypto/rand"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// adding is one "add" at work.
type adding struct {
	*program
	watchlist, series bool
	list              string
	choose            int
	asJSON            *bool
}

func (p *program) addCommand() *cobra.Command {
	a := adding{program: p}
	c := &cobra.Command{
		Use: "add TITLE|NUMBER|ADDRESS [S01E02] [WHEN]…", Short: "Add a viewing by hand, or to the watchlist or a list", SuggestFor: []string{"watchlist", "want"},
		Long: `A number is of TMDB or IMDb; without S01E02 or --series it is a film. The words of a title, in
quotes, count where only one film or series is certainly meant; else you choose.
WHEN is when it ended: 20:15, yesterday 20:15, friday, 2026-03-01, 2 hours ago (now, if left out).`,
		Example: `  filmspool add "The Matrix (1999)" yesterday 20:15
  filmspool add 1396 S01E02
  filmspool add https://www.themoviedb.org/tv/1396 --watchlist
  filmspool add 603 --list Noir`,
	}
	c.Flags().BoolVar(&a.watchlist, "watchlist", false, "put it on the watchlist")
	c.Flags().StringVar(&a.list, "list", "", "put it on the list of this `name`, which is created if it does not exist")
	c.Flags().BoolVar(&a.series, "series", false, "the number or title is that of a series")
	c.Flags().IntVar(&a.choose, "choose", 0, "of what the words find, it is this one, counted from 1")
	c.MarkFlagsMutuallyExclusive("watchlist", "list")
	a.asJSON = jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		season, episode, when := placeOf(args[1:])
		at := viewing.At(time.Now().Truncate(time.Second))
		if len(when) > 0 {
			var err error
			if at, err = endedAt(strings.Join(when, " ")); err != nil {
				return &exitError{code: exitUsage, message: "usage", cause: err, hint: "a title stands in quotes: filmspool add " + typed.Quoted(strings.Join(args, " "))}
			}
		}
		wish := a.watchlist || a.list != ""
		m, err := a.item(c.Context(), args[0], season, episode)
		switch {
		case err != nil:
			return err
		case wish && (m.Season != nil || len(when) > 0):
			return mistake("the watchlist and lists hold films and series, without a time")
		case wish && m.Type == viewing.Episode:
			m = viewing.Media{Type: viewing.TV, IDs: m.Show.IDs, Title: m.Show.Title, Year: m.Show.Year}
		case m.Type == viewing.Episode && m.Episode == nil:
			return &exitError{code: exitUsage, message: "of a series, the episode is missing", hint: "filmspool add " + typed.Quoted(args[0]) + " S01E02"}
		}
		event := viewing.Event{Kind: viewing.KindViewing, Media: []viewing.Media{m}, WatchedAt: at, Count: 1}
		if wish {
			event = viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{m}}
		}
		return a.commit(c.Context(), event)
	}
	return c
}

// placeOf reads S01E02 at the beginning of words; nil where it is not there.
func placeOf(words []string) (season, episode *int, rest []string) {
	if len(words) == 0 {
		return nil, nil, nil
	}
	found := regexp.MustCompile(`(?i)^s(\d{1,4})e(\d{1,5})$`).FindStringSubmatch(words[0])
	if found == nil {
		return nil, nil, words
	}
	s, _ := strconv.Atoi(found[1]) // digits
	e, _ := strconv.Atoi(found[2])
	return &s, &e, words[1:]
}

// item is the film, the episode or, without a place, the series that a text names.
func (a adding) item(ctx context.Context, text string, season, episode *int) (m viewing.Media, err error) {
	named, err := typed.ParseItem(text)
	kind, whole := viewing.Movie, viewing.Movie
	if a.series || season != nil || named.Type == viewing.TV || named.Type == viewing.Episode {
		kind, whole = viewing.Episode, viewing.TV
	}
	switch {
	case typed.IsTitle(err):
		m, err = a.search(ctx, text, viewing.Media{Type: kind}, whole, err)
	case err == nil:
		m, err = typed.ParseMedia(kind, text)
	}
	if err != nil || season == nil {
		return m, misuse(err)
	}
	if m.Season != nil && (*m.Season != *season || m.Episode != nil && *m.Episode != *episode) {
		return m, mistake("the address is that of another episode than S%02dE%02d", *season, *episode)
	}
	m.Season, m.Episode = season, episode
	return m, nil
}

// search completes m by the film or series that the words of a title mean; notFound where
// nothing has them.
func (a adding) search(ctx context.Context, text string, m viewing.Media, kind viewing.MediaType, notFound error) (viewing.Media, error) {
	wanted := control.Wanted{Kind: kind}
	wanted.Title, wanted.Year = typed.Dated(text)
	var found control.Resolution
	err := a.instance(ctx, daemon.Offline, func(ctl control.API) (err error) {
		found, err = ctl.Resolve(ctx, wanted)
		return err
	})
	if err != nil {
		return m, err
	}
	all := slices.DeleteFunc(found.Candidates, func(c resolve.Candidate) bool { return c.Type != kind })
	var certain *resolve.Candidate
	switch said := found.Correction; {
	case said != nil && said.Told.Year == 0: // another one may have that title
		all = append([]resolve.Candidate{said.Is}, all...)
	case found.Certain != nil:
		certain = &resolve.Candidate{Type: kind, TMDB: found.Certain.TMDB, Title: wanted.Title, Year: wanted.Year}
	case len(all) == 0:
		return m, notFound
	}
	is, err := a.chosen(ctx, choice{number: a.choose, quiet: *a.asJSON}, certain, all)
	if err != nil {
		return m, err
	}
	return is.Apply(m), nil
}

// commit hands an event to the instance and tells what became of it.
func (a adding) commit(ctx context.Context, v viewing.Event) error {
	var s control.Status
	return ask(ctx, a.program, daemon.Offline, *a.asJSON, func(ctl control.API) (added entry.Entry, err error) {
		if a.list != "" {
			list, err := ctl.Add(ctx, viewing.Event{Kind: viewing.KindList, EventID: rand.Text(), List: &viewing.List{Name: a.list}})
			if err != nil {
				return list, err
			}
			v.Kind, v.InList = viewing.KindListItem, list.EventID
		}
		v.EventID = rand.Text()
		if added, err = ctl.Add(ctx, v); err == nil && !*a.asJSON {
			s, err = ctl.Status(ctx)
		}
		return added, err
	}, func(e entry.Entry) {
		switch {
		case e.EventID != v.EventID:
			a.stdout.Say("cli.there", "title", e.Label(), "id", e.ID, "state", a.standing(e))
		case e.State != viewing.StatePending && e.State != viewing.StateSending && e.State != viewing.StateDelivered:
			a.stdout.Say("cli.stands", "title", e.Label(), "state", a.standing(e), "id", e.ID)
		case e.Kind == viewing.KindViewing:
			a.stdout.Say("cli.added", "title", e.Label(), "at", watched(e), "id", e.ID)
		default:
			a.stdout.Say("cli.wished", "title", e.Label(), "id", e.ID)
		}
		if s.Listen == "" {
			a.stdout.Say("cli.waitsForStart")
			a.stdout.Hint(service.StartHint(a.choice.System))
		}
	})
}
