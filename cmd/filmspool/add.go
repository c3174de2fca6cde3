package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
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
		Use: "add TITLE|NUMBER|ADDRESS… [S01E02] [WHEN]…", SuggestFor: []string{"watchlist", "want", "log", "watch", "movie", "film", "episode"},
		Example: `  filmspool add Heat 1995 last night
  filmspool add "Breaking Bad" S01E02 friday 20:15
  filmspool add https://www.themoviedb.org/tv/1396 --watchlist
  filmspool add 603 --list Noir`,
	}
	c.Flags().BoolVar(&a.watchlist, "watchlist", false, "")
	c.Flags().StringVar(&a.list, "list", "", "")
	c.Flags().BoolVar(&a.series, "series", false, "")
	c.Flags().IntVar(&a.choose, "choose", 0, "")
	exclusive(c, "watchlist", "list")
	a.asJSON = jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		readings, err := typed.ParseAdd(args, time.Now())
		if err != nil {
			return misuse(err)
		}
		m, r, err := a.item(c.Context(), readings)
		if err != nil {
			return err
		}
		event := viewing.Event{Kind: viewing.KindViewing, Media: []viewing.Media{m}, WatchedAt: ended(r.At), Count: 1}
		switch wish := a.wish(); {
		case wish && (m.Season != nil || r.At != nil):
			return mistake("usage.wishTime")
		case wish && m.Type == viewing.Episode:
			m = viewing.Media{Type: viewing.TV, IDs: m.Show.IDs, Title: m.Show.Title, Year: m.Show.Year}
			fallthrough
		case wish:
			event = viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{m}}
		case m.Type == viewing.Episode && m.Episode == nil:
			if err := a.askEpisode(c.Context(), &event.Media[0], r); err != nil {
				return err
			}
		}
		return a.commit(c.Context(), event)
	}
	return c
}

// wish reports whether something is put on the watchlist or a list.
func (a adding) wish() bool { return a.watchlist || a.list != "" }

// ended is when a viewing ended: now, where nothing was typed.
func ended(at *typed.Time) viewing.Instant {
	if at == nil {
		return viewing.At(time.Now().Truncate(time.Second))
	}
	return at.Instant(time.Now())
}

// item is the film, the episode or, without a place, the series that was typed, and the
// reading that fits.
func (a adding) item(ctx context.Context, readings []typed.Reading) (m viewing.Media, r typed.Reading, err error) {
	r = readings[0]
	named, err := typed.ParseItem(r.What)
	if typed.IsTitle(err) {
		chosen, err := a.search(ctx, readings, err)
		if err != nil {
			return m, r, err
		}
		m = viewing.Media{Type: viewing.Movie, Season: chosen.Season, Episode: chosen.Episode}
		if chosen.is.Type == viewing.TV {
			m.Type = viewing.Episode
		}
		return chosen.is.Apply(m), chosen.Reading, nil
	}
	kind := viewing.Movie
	if a.series || r.Season != nil || named.Type == viewing.TV || named.Type == viewing.Episode {
		kind = viewing.Episode
	}
	if err == nil {
		m, err = typed.ParseMedia(kind, r.What)
	}
	switch {
	case err != nil:
		return m, r, misuse(err)
	case r.Season != nil && m.Season != nil && (*m.Season != *r.Season || m.Episode != nil && *m.Episode != *r.Episode):
		return m, r, mistake("usage.otherEpisode")
	case r.Season != nil:
		m.Season, m.Episode = r.Season, r.Episode
	}
	return m, r, nil
}

// meaning is a film or series that a reading may mean.
type meaning struct {
	typed.Reading
	is    resolve.Candidate
	exact bool // the title is exactly that
}

func (m meaning) isExact() bool { return m.exact }

// search looks for what words mean. The reading in which the title is exactly that of a
// film or series wins, and a film before a series that is not a wish; of several a person
// or --choose decides. NotFound is the error for none.
func (a adding) search(ctx context.Context, readings []typed.Reading, notFound error) (*meaning, error) {
	kinds := []viewing.MediaType{viewing.Movie, viewing.TV}
	if a.series || readings[0].Season != nil {
		kinds = kinds[1:]
	}
	var trouble *viewing.Message // why no provider could be asked
	var all, similar []meaning   // in readings with an exact title, and else in that with the shortest one
	for _, kind := range kinds {
		var last []meaning
		for _, r := range readings {
			found, why, err := a.lookUp(ctx, r, kind)
			trouble = cmp.Or(trouble, why)
			switch {
			case err != nil:
				return nil, err
			case slices.ContainsFunc(found, meaning.isExact):
				all = append(all, found...)
			case len(found) > 0:
				last = found
			}
		}
		similar = append(similar, last...)
		if len(all) > 0 && !a.wish() {
			break
		}
	}
	if len(all) == 0 {
		all = similar
	}
	exact := slices.DeleteFunc(slices.Clone(all), func(m meaning) bool { return !m.exact })
	switch {
	case len(all) == 0 && trouble != nil:
		return nil, *trouble
	case len(all) == 0:
		return nil, misuse(notFound)
	case len(exact) == 1 && a.choose == 0:
		return &exact[0], nil
	}
	return choose(ctx, a.program, all, func(m meaning) string {
		if m.At == nil {
			return shortened(m.is)
		}
		return shortened(m.is) + ", " + a.stdout.Speech().Say("cli.watchedAt", "at", terminal.Minute(ended(m.At).Time()))
	}, a.choose, *a.asJSON)
}

// lookUp is what a reading may mean of a kind; trouble is why no provider could be asked.
func (a adding) lookUp(ctx context.Context, r typed.Reading, kind viewing.MediaType) (all []meaning, trouble *viewing.Message, err error) {
	var found control.Resolution
	err = a.instance(ctx, daemon.Offline, func(ctl control.API) (err error) {
		found, err = ctl.Resolve(ctx, control.Wanted{Kind: kind, Title: r.What, Year: r.Year})
		return err
	})
	if said := found.Correction; said != nil && said.Told.Year == 0 { // another one may have that title
		return []meaning{{r, said.Is, false}}, nil, err
	}
	for _, c := range found.Candidates {
		if c.Type == kind {
			all = append(all, meaning{r, c, found.Certain == nil && spelled(c.Title) == spelled(r.What) && (r.Year == 0 || c.Year == r.Year)})
		}
	}
	if c := found.Certain; c != nil {
		all = []meaning{{r, resolve.Candidate{Type: kind, TMDB: c.TMDB, Title: r.What, Year: r.Year}, true}}
	}
	return all, found.Trouble, err
}

// spelled are the letters and digits of a title.
func spelled(title string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, title)
}

// askEpisode asks a person which episode of a series it was.
func (a adding) askEpisode(ctx context.Context, m *viewing.Media, r typed.Reading) error {
	if a.isPerson() && !*a.asJSON {
		answer := a.stderr.Ask(ctx, a.stdin, a.stdout.Speech().Say("cli.whichEpisode"))
		if readings, err := typed.ParseAdd([]string{"-", answer}, time.Now()); err == nil && readings[0].Season != nil {
			m.Season, m.Episode = readings[0].Season, readings[0].Episode
			return nil
		}
	}
	what := r.What
	if strings.Contains(what, " ") {
		what = typed.Quoted(what)
	}
	return mistake("usage.noEpisode").next(control.Command("filmspool add %s S01E02", what))
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
		key := "cli.added"
		switch {
		case e.EventID != v.EventID:
			key = "cli.there"
		case e.State != viewing.StatePending && e.State != viewing.StateSending && e.State != viewing.StateDelivered:
			key = "cli.stands"
		case e.Kind != viewing.KindViewing:
			key = "cli.wished"
		}
		a.stdout.Say(key, "title", a.label(e), "at", watched(e), "id", e.ID, "state", a.standing(e))
		if s.Listen == "" {
			a.stdout.Say("cli.waitsForStart")
			a.stdout.Hint(service.StartHint(a.choice.System))
		}
	})
}
