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
	readings := typed.ParseFix(f.What)
	if len(readings) > 0 {
		f.Season, f.Episode = cmp.Or(f.Season, readings[0].Season), cmp.Or(f.Episode, readings[0].Episode)
	}
	m := *x.Entry.Media
	m.Season, m.Episode = cmp.Or(f.Season, m.Season), cmp.Or(f.Episode, m.Episode)
	x.Entry.Media = &m
	switch {
	case m.Type != viewing.Episode && (f.Season != nil || f.Episode != nil):
		return out, control.Invalid(ofEntry("fault.noEpisode", f.ID), control.Command("filmspool fix %d NUMBER", f.ID))
	case m.Type == viewing.Episode && m.Title == "" && (m.Season == nil || m.Episode == nil):
		return out, control.Invalid(ofEntry("fault.placeless", f.ID), control.Command("filmspool fix %d NUMBER S01E02", f.ID))
	}
	out = control.Fixed{Entry: x.Entry, Candidates: []resolve.Candidate{}, Season: f.Season, Episode: f.Episode}
	if f.Is == nil {
		return out, d.propose(ctx, readings, &out)
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

// propose adds the candidates that words may mean.
func (d *core) propose(ctx context.Context, readings []typed.Reading, out *control.Fixed) error {
	var m viewing.Media
	var trouble error
	for _, r := range readings {
		var err error
		if m, err = parseItem(*out.Entry.Media, r); err != nil {
			return err
		}
		d.openProviders(ctx)
		out.Searched = m.Title != ""
		decision, wrong := d.resolve(ctx, out.Entry.Account, resolve.Evidence{Media: m})
		if all := decision.Of(m.Type); len(all) > 0 {
			out.Candidates = all
			if decision.Is != nil {
				out.Certain = &all[0]
			}
			return nil
		}
		trouble = wrong
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

// parseItem is the film or series that a reading names, or is to be looked for by.
func parseItem(is viewing.Media, r typed.Reading) (m viewing.Media, err error) {
	clue := resolve.ClueOf(is)
	m = viewing.Media{Type: clue.Kind, Year: clue.Year}
	id, title := tvdbAddress(r.What)
	switch {
	case id > 0 && m.Type == viewing.TV:
		m.IDs.TVDB = id
		return m, nil
	case title != "":
		m.Title = title
		return m, nil
	}
	named, err := typed.ParseMedia(is.Type, r.What)
	refused, isRefused := errors.AsType[viewing.Message](err)
	switch {
	case typed.IsTitle(err):
		m.Title, m.Year = r.What, cmp.Or(r.Year, m.Year)
		return m, nil
	case isRefused:
		return m, control.Invalid(refused, viewing.Message{})
	case named.Show != nil:
		named.IDs = named.Show.IDs
	}
	return viewing.Media{Type: m.Type, IDs: named.IDs}, err
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
