package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// add adds a viewing, or puts an item on the watchlist or a list.
func (p *program) add(ctx context.Context, args []string) error {
	readings, err := typed.ParseAdd(args, time.Now())
	if err != nil {
		return misuse(err)
	}
	m, r, err := p.item(ctx, readings)
	if err != nil {
		return err
	}
	event := viewing.Event{Kind: viewing.KindViewing, Media: []viewing.Media{m}, WatchedAt: watchEnd(r.At), Count: 1}
	switch wish := p.isWish(); {
	case wish && (m.Season != nil || r.At != nil):
		return mistake("usage.wishTime")
	case wish && m.Type == viewing.Episode:
		m = viewing.Media{Type: viewing.TV, IDs: m.Show.IDs, Title: m.Show.Title, Year: m.Show.Year}
		fallthrough
	case wish:
		event = viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{m}}
	case m.Type == viewing.Episode && m.Episode == nil:
		if err := p.askEpisode(ctx, &event.Media[0], r); err != nil {
			return err
		}
	}
	return p.commit(ctx, event)
}

// isWish reports whether the item is put on the watchlist or a list.
func (p *program) isWish() bool { return p.given.watchlist || p.given.onList != "" }

// watchEnd returns the end of a viewing: now if no time was typed.
func watchEnd(at *typed.Time) viewing.Instant {
	if at == nil {
		return viewing.At(time.Now().Truncate(time.Second))
	}
	return at.Instant(time.Now())
}

// item returns the typed film, episode or, without an episode number, series, and the reading
// that was used.
func (p *program) item(ctx context.Context, readings []typed.Reading) (m viewing.Media, r typed.Reading, err error) {
	r = readings[0]
	named, err := typed.ParseItem(r.What)
	if typed.IsTitle(err) {
		chosen, err := p.search(ctx, readings, err)
		if err != nil {
			return m, r, err
		}
		m = viewing.Media{Type: viewing.Movie, Season: chosen.Season, Episode: chosen.Episode}
		if chosen.Is.Type == viewing.TV {
			m.Type = viewing.Episode
		}
		return chosen.Is.Apply(m), chosen.Reading, nil
	}
	kind := viewing.Movie
	if p.given.series || r.Season != nil || named.Type == viewing.TV || named.Type == viewing.Episode {
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
	case m.Type == viewing.Movie && m.IDs.TMDB == 0: // an IMDb number
		err = p.instance(ctx, daemon.Offline, func(ctl control.API) error {
			found, err := ctl.Resolve(ctx, viewing.Media{Type: m.Type, IDs: m.IDs})
			if found.Certain != nil {
				m.IDs.TMDB = found.Certain.TMDB
			}
			return err
		})
	}
	return m, r, err
}

// search finds the film or series with a typed title. Exact titles are preferred, and a film to a
// series unless it is put on a list. If several remain, the user or --choose decides. notFound is
// the error if there is none.
func (p *program) search(ctx context.Context, readings []typed.Reading, notFound error) (*control.Meaning, error) {
	kinds := []viewing.MediaType{viewing.Movie, viewing.TV}
	if p.given.series || readings[0].Season != nil {
		kinds = kinds[1:]
	}
	isExact := func(m control.Meaning) bool { return m.Exact }
	var trouble *viewing.Message // why no provider could be asked
	var all, similar []control.Meaning
	err := p.instance(ctx, daemon.Offline, func(ctl control.API) error {
		for _, kind := range kinds {
			found, why, err := ctl.Meanings(ctx, readings, kind)
			if err != nil {
				return err
			}
			trouble = cmp.Or(trouble, why)
			if !slices.ContainsFunc(found, isExact) {
				similar = append(similar, found...)
			} else if all = append(all, found...); !p.isWish() {
				break
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		all = similar
	}
	exact := slices.IndexFunc(all, isExact)
	switch {
	case len(all) == 0 && trouble != nil:
		return nil, *trouble
	case len(all) == 0:
		return nil, misuse(notFound)
	case exact >= 0 && !slices.ContainsFunc(all[exact+1:], isExact) && p.given.choose == 0:
		return &all[exact], nil
	}
	return choose(ctx, p, all, func(m control.Meaning) string {
		if m.At == nil {
			return shortened(m.Is)
		}
		return shortened(m.Is) + ", " + p.stdout.Speech().Say("cli.watchedAt", "at", terminal.Minute(watchEnd(m.At).Time()))
	})
}

// askEpisode asks the user for the episode of a series.
func (p *program) askEpisode(ctx context.Context, m *viewing.Media, r typed.Reading) error {
	if p.isInteractive() {
		answer := p.stderr.Ask(ctx, p.stdin, p.stdout.Speech().Say("cli.whichEpisode"))
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

// commit adds an event and prints the result.
func (p *program) commit(ctx context.Context, v viewing.Event) error {
	var s control.Status
	return ask(ctx, p, daemon.Offline, func(ctl control.API) (added entry.Entry, err error) {
		if p.given.onList != "" {
			list, err := ctl.Add(ctx, viewing.Event{Kind: viewing.KindList, EventID: rand.Text(), List: &viewing.List{Name: p.given.onList}})
			if err != nil {
				return list, err
			}
			v.Kind, v.InList = viewing.KindListItem, list.EventID
		}
		v.EventID = rand.Text()
		if added, err = ctl.Add(ctx, v); err == nil && !p.given.json {
			s, err = ctl.Status(ctx)
		}
		return added, err
	}, func(e entry.Entry) {
		key := "cli.added"
		switch {
		case e.EventID != v.EventID:
			key = "cli.there"
		case !isSendable(e) && !(s.IsLocal() && e.Reason == viewing.ReasonUnresolved):
			key = "cli.stands"
		case e.Kind != viewing.KindViewing:
			key = "cli.wished"
		}
		p.stdout.Say(key, "title", p.label(e), "at", watched(e), "id", strconv.FormatInt(e.ID, 10), "state", p.stateText(e))
		if s.Listen == "" {
			p.stdout.Say("cli.waitsForStart")
			p.stdout.Hint(service.StartHint(p.choice.System))
		}
	})
}
