package viewing

import (
	"fmt"
	"strconv"
	"strings"
)

// MediaType is the type of an item, in the words of the service's contract.
type MediaType string

// The types. Viewings are of films and episodes; watchlist and lists have films and series.
const (
	Movie   MediaType = "movie"
	Episode MediaType = "episode"
	TV      MediaType = "tv"
)

// IDs are identifiers of one item. Zero values are unknown.
type IDs struct {
	TMDB int64  `json:"tmdb,omitempty"` // themoviedb.org; the one that the service accepts
	IMDB string `json:"imdb,omitempty"` // "tt" and digits
	TVDB int64  `json:"tvdb,omitempty"` // thetvdb.com
}

// Show is the series of an episode.
type Show struct {
	IDs   IDs    `json:"ids,omitzero"`
	Title string `json:"title,omitempty"`
	Year  int    `json:"year,omitempty"`
}

// Site is the streaming site of a film or episode, with the site's own numbers. They are never
// TMDB ids.
type Site struct {
	Name   string `json:"name"`             // such as "netflix"; 1 to 32 characters of a-z, 0-9 and "-"
	Title  string `json:"title,omitempty"`  // the site's number of the film or episode
	Series string `json:"series,omitempty"` // the site's number of the episode's series
	// Numbering is [SiteNumbering] or ""; the latter means unknown.
	Numbering string `json:"numbering,omitempty"`
}

// SiteNumbering means that season and episode are the site's own count, which may differ from
// TMDB's.
const SiteNumbering = "site"

// OwnCount reports whether season and episode are the site's own count.
func (s *Site) OwnCount() bool { return s != nil && s.Numbering == SiteNumbering }

// String returns the site and its numbers for people: "netflix 80057281 of 70153404".
func (s *Site) String() string {
	text := strings.TrimSpace(s.Name + " " + s.Title)
	if s.Series != "" {
		text += " of " + s.Series
	}
	return text
}

// Number returns the site's own number of a film, or of the series of an episode; "" if unknown.
func (s *Site) Number(of MediaType) string {
	switch {
	case s == nil || of == TV:
		return ""
	case of == Episode:
		return s.Series
	default:
		return s.Title
	}
}

// Media is one film, episode or series as a source reported it. Title and year are evidence and
// do not identify it.
type Media struct {
	Type    MediaType `json:"type"`
	IDs     IDs       `json:"ids,omitzero"`
	Show    *Show     `json:"show,omitempty"` // episodes only
	Title   string    `json:"title,omitempty"`
	Year    int       `json:"year,omitempty"`
	Season  *int      `json:"season,omitempty"`  // from 0 (specials)
	Episode *int      `json:"episode,omitempty"` // from 1
	Site    *Site     `json:"site,omitempty"`    // films and episodes only
	// Unsure means that the item has no identifier because its source is broken,
	// contradicts itself, or was only a file name. A person can read the title and
	// numbers, but the program must not identify the item by them.
	Unsure bool `json:"unsure,omitempty"`
}

// Placed reports whether an episode is known by series id, season and number, the form in which
// it is sent.
func (m Media) Placed() bool {
	return m.Type == Episode && m.Show != nil && m.Show.IDs.TMDB > 0 && m.Season != nil && m.Episode != nil
}

// Identified reports whether the item can be sent to the service without a lookup.
func (m Media) Identified() bool {
	return m.Placed() || m.IDs.TMDB > 0
}

// Resolvable reports whether a lookup may find the identifier of the item: by its IMDb id, for an
// episode that of the series, or by the title of an episode of a known series.
func (m Media) Resolvable() bool {
	if m.Type == Episode {
		placed := m.Season != nil && m.Episode != nil
		return m.Show != nil && (placed && m.Show.IDs.IMDB != "" || !placed && m.Show.IDs.TMDB > 0 && m.Title != "")
	}
	return m.IDs.IMDB != ""
}

// Key returns the key of the item for ordering and comparison: entries with the same key are sent
// in chronological order. It is "" for an item without an identifier.
func (m Media) Key() string {
	switch {
	case m.Placed():
		return fmt.Sprintf("episode:%d:%d:%d", m.Show.IDs.TMDB, *m.Season, *m.Episode)
	case m.IDs.TMDB > 0:
		return string(m.Type) + ":" + strconv.FormatInt(m.IDs.TMDB, 10)
	default:
		return ""
	}
}

// TMDBPage returns the address of the item at TMDB; "" if it has none. TMDB has no page for the
// id of an episode.
func (m Media) TMDBPage() string {
	switch {
	case m.Placed():
		return fmt.Sprintf("https://www.themoviedb.org/tv/%d/season/%d/episode/%d", m.Show.IDs.TMDB, *m.Season, *m.Episode)
	case m.IDs.TMDB == 0 || m.Type == Episode:
		return ""
	default:
		return fmt.Sprintf("https://www.themoviedb.org/%s/%d", m.Type, m.IDs.TMDB)
	}
}

// Label returns the title of the item for people: "Alpha One (1999)", "Show Red S01E02"; the
// identifier if no title is known.
func (m Media) Label() string { return m.LabelIn(func(word string) string { return word }) }

// LabelIn is like [Media.Label] in another language: translate is called with the words "movie",
// "tv", "show" and "episode", each also after "unknown ".
func (m Media) LabelIn(translate func(string) string) string {
	name := m.displayName()
	if name == "" {
		name = m.idLabel(translate)
	}
	if m.Year > 0 && (m.Type != Episode || m.Show == nil) {
		name += fmt.Sprintf(" (%d)", m.Year)
	}
	if m.Type == Episode && m.Season != nil && m.Episode != nil {
		name += fmt.Sprintf(" S%02dE%02d", *m.Season, *m.Episode)
	}
	return name
}

// HasTitle reports whether a title is known, so that [Media.Label] shows no identifier.
func (m Media) HasTitle() bool { return m.displayName() != "" }

// Nameless reports whether the item has neither a title nor any number.
func (m Media) Nameless() bool {
	show := Show{}
	if m.Show != nil {
		show = *m.Show
	}
	return m.Title == "" && m.IDs == IDs{} && show == Show{Year: show.Year} && (m.Site == nil || m.Site.Title+m.Site.Series == "")
}

// displayName returns the title to show: for an episode that of its series, or its own if the
// series is known by an identifier only.
func (m Media) displayName() string {
	if m.Type == Episode && m.Show != nil && (m.Show.Title != "" || m.Show.IDs == IDs{}) {
		return m.Show.Title
	}
	return m.Title
}

// idLabel returns the item's type and its best identifier.
func (m Media) idLabel(translate func(string) string) string {
	ids, word := m.IDs, string(m.Type)
	if m.Type == Episode && (m.Show != nil || m.Site != nil) {
		ids, word = IDs{}, "show"
	}
	if m.Show != nil {
		ids = m.Show.IDs
	}
	known := translate(word)
	switch {
	case ids.TMDB > 0:
		return fmt.Sprintf("%s %d", known, ids.TMDB)
	case ids.IMDB != "":
		return known + " " + ids.IMDB
	case ids.TVDB > 0:
		return fmt.Sprintf("%s tvdb %d", known, ids.TVDB)
	case m.Site.Number(m.Type) != "":
		return fmt.Sprintf("%s %s %s", known, m.Site.Name, m.Site.Number(m.Type))
	default:
		return translate("unknown " + word)
	}
}
