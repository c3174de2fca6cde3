package identify

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Fixable refuses an entry that would still not be known once its film or series
// is.
func Fixable(e queue.Entry, f control.Fix) error {
	switch m := e.Media; {
	case m.Type != viewing.Episode && f.Series:
		return control.Invalid(ofEntry("fault.isFilm", e), control.Command("filmspool fix %d NUMBER", e.ID))
	case m.Type != viewing.Episode && (f.Season != nil || f.Episode != nil):
		return control.Invalid(ofEntry("fault.noEpisode", e), control.Command("filmspool fix %d NUMBER", e.ID))
	case m.Type == viewing.Episode && (m.Season == nil || m.Episode == nil):
		return control.Invalid(ofEntry("fault.placeless", e), control.Command("filmspool fix %d NUMBER --season N --episode N", e.ID))
	default:
		return nil
	}
}

// Candidates are what may be meant by a number or a title, by a decision about it.
// Where that is certain, it says so.
func Candidates(e queue.Entry, m viewing.Media, d resolve.Decision, trouble error) (certain *resolve.Candidate, all []resolve.Candidate, err error) {
	all = d.Of(m.Type)
	switch {
	case len(all) == 0:
		return nil, nil, unknownItem(e, m, d.By != "", trouble)
	case d.Is != nil:
		return &all[0], all, nil
	}
	return nil, all, nil
}

// unknownItem says that nothing was found, and how to go on.
func unknownItem(e queue.Entry, m viewing.Media, asked bool, trouble error) error {
	message := viewing.Say("fault.nobodyKnows")
	switch {
	case trouble != nil:
		message = viewing.Say("fault.nothingFound").Because(viewing.MessagesOf(trouble)[0])
	case asked:
		message = viewing.Say("fault.nothingKnown")
	}
	hint := viewing.Say("hint.fixNumber", "id", fmt.Sprint(e.ID))
	if m.Title != "" {
		hint = viewing.Say("hint.fixNumberAt", "id", fmt.Sprint(e.ID), "url", "https://www.themoviedb.org/search?query="+url.QueryEscape(m.Title))
	}
	return control.NotFound(message, hint)
}

// ofEntry is a message about an entry.
func ofEntry(code string, e queue.Entry) viewing.Message {
	return viewing.Say(code, "id", fmt.Sprint(e.ID))
}

// Meant is the film or series that a text names, or is to be looked for by. The
// words of a title may end with its year, as in "Alpha One (1999)".
func Meant(e queue.Entry, what string) (m viewing.Media, err error) {
	clue := resolve.ClueOf(*e.Media)
	m = viewing.Media{Type: clue.Kind, Year: clue.Year}
	id, title := tvdbAddress(what)
	var named viewing.Media
	switch {
	case id > 0 && m.Type == viewing.TV:
		m.IDs.TVDB = id
		return m, nil
	case title != "":
		m.Title = title
		return m, nil
	case m.Type == viewing.Movie:
		named, err = typed.ParseMedia(viewing.Movie, what)
	default:
		named, err = typed.ParseMedia(viewing.Episode, what)
	}
	told, refused := errors.AsType[viewing.Message](err)
	switch {
	case typed.IsTitle(err):
		title, year := typed.Dated(what)
		m.Title, m.Year = title, cmp.Or(year, m.Year)
		return m, nil
	case refused:
		return m, control.Invalid(told, viewing.Message{})
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
