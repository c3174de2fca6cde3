package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Fix implements [control.API].
func (d *core) Fix(ctx context.Context, f control.Fix) (out control.Fixed, err error) {
	x, err := d.explain(ctx, f.ID)
	if err != nil {
		return out, err
	}
	if err := queue.Correctable(x.Entry); err != nil {
		return out, queueFault(err)
	}
	m := *x.Entry.Media
	m.Season, m.Episode = cmp.Or(f.Season, m.Season), cmp.Or(f.Episode, m.Episode)
	x.Entry.Media = &m
	switch {
	case m.Type != viewing.Episode && f.Series:
		return out, control.Invalid(ofEntry("fault.isFilm", f.ID), control.Command("filmspool fix %d NUMBER", f.ID))
	case m.Type != viewing.Episode && (f.Season != nil || f.Episode != nil):
		return out, control.Invalid(ofEntry("fault.noEpisode", f.ID), control.Command("filmspool fix %d NUMBER", f.ID))
	case m.Type == viewing.Episode && (m.Season == nil || m.Episode == nil):
		return out, control.Invalid(ofEntry("fault.placeless", f.ID), control.Command("filmspool fix %d NUMBER --season N --episode N", f.ID))
	}
	out = control.Fixed{Entry: x.Entry, Candidates: []resolve.Candidate{}}
	if f.Is == nil {
		return out, d.propose(ctx, f.What, &out)
	}
	if f.Is.Type != resolve.ClueOf(m).Kind {
		return out, control.Invalid(ofEntry("fault.otherKind", f.ID), ofEntry("hint.addAgain", f.ID))
	}
	f.Is.Title = typed.Shortened(f.Is.Title)
	if out.Corrected, err = d.store.Correct(ctx, queue.Correcting{Entry: f.ID, Is: *f.Is, Season: f.Season, Episode: f.Episode, DryRun: f.DryRun}); err != nil {
		return out, queueFault(err)
	}
	x, err = d.explain(ctx, f.ID)
	out.Entry = x.Entry
	return out, err
}

// propose adds the candidates that a text may mean.
func (d *core) propose(ctx context.Context, what string, out *control.Fixed) error {
	m, err := parseItem(out.Entry, what)
	if err != nil {
		return err
	}
	d.openProviders(ctx)
	out.Searched = m.Title != ""
	decision, trouble := d.resolve(ctx, out.Entry.Account, resolve.Evidence{Media: m})
	if all := decision.Of(m.Type); len(all) > 0 {
		out.Candidates = all
		if decision.Is != nil {
			out.Certain = &all[0]
		}
		return nil
	}
	message := viewing.Say("fault.nobodyKnows")
	switch {
	case errors.Is(trouble, replay.ErrNotNow):
		message = viewing.Say("fault.notAsked").Because(viewing.MessagesOf(trouble)[0])
	case trouble != nil:
		message = viewing.Say("fault.nothingFound").Because(viewing.MessagesOf(trouble)[0])
	}
	id := fmt.Sprint(out.Entry.ID)
	hint := viewing.Say("hint.fixNumber", "id", id)
	if m.Title != "" {
		hint = viewing.Say("hint.fixNumberAt", "id", id, "url", "https://www.themoviedb.org/search?query="+url.QueryEscape(m.Title))
	}
	return control.NotFound(message, hint)
}

// parseItem is the film or series that a text names, or is to be looked for by. The
// words of a title may end with its year, as in "Alpha One (1999)".
func parseItem(e queue.Entry, what string) (m viewing.Media, err error) {
	clue := resolve.ClueOf(*e.Media)
	m = viewing.Media{Type: clue.Kind, Year: clue.Year}
	id, title := tvdbAddress(what)
	switch {
	case id > 0 && m.Type == viewing.TV:
		m.IDs.TVDB = id
		return m, nil
	case title != "":
		m.Title = title
		return m, nil
	}
	kind := viewing.Episode
	if m.Type == viewing.Movie {
		kind = viewing.Movie
	}
	named, err := typed.ParseMedia(kind, what)
	refused, isRefused := errors.AsType[viewing.Message](err)
	switch {
	case typed.IsTitle(err):
		title, year := typed.Dated(what)
		m.Title, m.Year = title, cmp.Or(year, m.Year)
		return m, nil
	case isRefused:
		return m, control.Invalid(refused, viewing.Message{})
	case named.Show != nil:
		named.IDs, err = named.Show.IDs, samePlace(e, named)
	}
	return viewing.Media{Type: m.Type, IDs: named.IDs}, err
}

// samePlace refuses the address of another episode: season and number stay.
func samePlace(e queue.Entry, named viewing.Media) error {
	is := e.Media
	if is.Type != viewing.Episode || named.Season == nil || *named.Season == *is.Season && (named.Episode == nil || *named.Episode == *is.Episode) {
		return nil
	}
	return control.Invalid(viewing.Say("fault.otherPart", "id", fmt.Sprint(e.ID), "place", fmt.Sprintf("S%02dE%02d", *is.Season, *is.Episode)),
		control.Command("filmspool fix %d NUMBER --season N --episode N", e.ID))
}

// tvdbAddress reads an address of thetvdb.com: it has the number of a series, or
// words of its title.
func tvdbAddress(text string) (id int64, words string) {
	parts := regexp.MustCompile(`(?i)^(?:https?://)?(?:www\.)?thetvdb\.com/(?:dereferrer/series/(\d+)|series/([\w-]+)|movies?/([\w-]+))/?$`).FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return 0, ""
	}
	id, _ = strconv.ParseInt(parts[1], 10, 64) // 0 for none
	return id, strings.ReplaceAll(parts[2]+parts[3], "-", " ")
}
