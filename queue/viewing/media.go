package viewing

import (
	"fmt"
	"strconv"
	"strings"
)

// MediaType is the type of an item, in the words of the service's contract.
type MediaType string

// The types. Only episodes and films are watched; only films and series are
// put on a watchlist.
const (
	Movie   MediaType = "movie"
	Episode MediaType = "episode"
	TV      MediaType = "tv"
)

// IDs are identifiers of one item. Zero values are unknown.
type IDs struct {
	TMDB int64  `json:"tmdb,omitempty"` // themoviedb.org; the one the service takes
	IMDB string `json:"imdb,omitempty"` // "tt" and digits
	TVDB int64  `json:"tvdb,omitempty"` // thetvdb.com
}

// Show is the series of an episode.
type Show struct {
	IDs   IDs    `json:"ids,omitzero"`
	Title string `json:"title,omitempty"`
	Year  int    `json:"year,omitempty"`
}

// Site is where a film or episode was seen, and the site's own numbers of it. They
// are evidence: no number of a site is one of TMDB.
type Site struct {
	Name   string `json:"name"`             // of the site: "netflix"; 1 to 32 of a-z, 0-9 and "-"
	Title  string `json:"title,omitempty"`  // the site's number of the film or episode
	Series string `json:"series,omitempty"` // that of the episode's series
	// Numbering is "site" where season and episode are the site's own count. "" is
	// not known.
	Numbering string `json:"numbering,omitempty"`
}

// SiteNumbering says that a site counts seasons and episodes by itself.
const SiteNumbering = "site"

// OwnCount reports whether the site counts seasons and episodes by itself.
func (s *Site) OwnCount() bool { return s != nil && s.Numbering == SiteNumbering }

// String names the site and its numbers, for a person: "netflix 80057281 of 70153404".
func (s *Site) String() string {
	text := strings.TrimSpace(s.Name + " " + s.Title)
	if s.Series != "" {
		text += " of " + s.Series
	}
	return text
}

// Number is the site's own number of a film, or of the series of an episode: it
// names one work. "" is not known.
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

// Media is one film, episode or series as a source saw it. Title and year
// are evidence; they never identify.
type Media struct {
	Type    MediaType `json:"type"`
	IDs     IDs       `json:"ids,omitzero"`
	Show    *Show     `json:"show,omitempty"` // episodes only
	Title   string    `json:"title,omitempty"`
	Year    int       `json:"year,omitempty"`
	Season  *int      `json:"season,omitempty"`  // from 0 (specials)
	Episode *int      `json:"episode,omitempty"` // from 1
	Site    *Site     `json:"site,omitempty"`    // films and episodes only
	// Unsure says that the item has no identifier because its source is broken,
	// contradicts itself, or was only a file's name: title and numbers are for a
	// person to read, and no identity may be concluded from them.
	Unsure bool `json:"unsure,omitempty"`
}

// Placed reports whether an episode is known by series identifier, season
// and number, the form in which it is sent.
func (m Media) Placed() bool {
	return m.Type == Episode && m.Show != nil && m.Show.IDs.TMDB > 0 && m.Season != nil && m.Episode != nil
}

// Identified reports whether the service can be told of the item as it
// stands, without looking anything up.
func (m Media) Identified() bool {
	return m.Placed() || m.IDs.TMDB > 0
}

// Resolvable reports whether somebody may be able to tell the identifier of the item: by
// that of IMDb, for an episode that of the series, or by the name of an episode of a
// known series.
func (m Media) Resolvable() bool {
	if m.Type == Episode {
		placed := m.Season != nil && m.Episode != nil
		return m.Show != nil && (placed && m.Show.IDs.IMDB != "" || !placed && m.Show.IDs.TMDB > 0 && m.Title != "")
	}
	return m.IDs.IMDB != ""
}

// Key names the item for ordering and comparison: entries of one key leave
// in the order they happened. Items without an identifier have the key "".
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

// TMDBPage is the address of the item at TMDB; "" where it has none. TMDB has no page for the
// number of an episode.
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

// Label is the item in a person's words: "Alpha One (1999)", "Show Red S01E02".
// It names the identifier when no title is known.
func (m Media) Label() string { return m.LabelIn(func(word string) string { return word }) }

// LabelIn is the label in a language: translate is asked for the words "movie", "tv",
// "show", "episode", and these after "unknown ".
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

// HasTitle reports whether a title is known, so that [Media.Label] names no
// identifier.
func (m Media) HasTitle() bool { return m.displayName() != "" }

// Nameless reports whether nothing says what the item is: it has no title and no number.
func (m Media) Nameless() bool {
	show := Show{}
	if m.Show != nil {
		show = *m.Show
	}
	return m.Title == "" && m.IDs == IDs{} && show == Show{Year: show.Year} && (m.Site == nil || m.Site.Title+m.Site.Series == "")
}

// displayName is the title by which the item goes. That of an episode is its series',
// or its own where the series is known by an identifier alone.
func (m Media) displayName() string {
	if m.Type == Episode && m.Show != nil && (m.Show.Title != "" || m.Show.IDs == IDs{}) {
		return m.Show.Title
	}
	return m.Title
}

// idLabel names the item by the best identifier it has.
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
