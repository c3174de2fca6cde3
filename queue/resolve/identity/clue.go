package identity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Clue is what a source told of a film or series, of an episode that of its
// series. A correction is remembered for it.
type Clue struct {
	Kind  viewing.MediaType `json:"kind"` // movie or tv
	IDs   viewing.IDs       `json:"ids,omitzero"`
	Title string            `json:"title,omitempty"`
	Year  int               `json:"year,omitempty"`
	Site  *viewing.Site     `json:"site,omitempty"` // its name, and its number of the film or series alone
}

// ClueOf is what a viewing tells.
func ClueOf(m viewing.Media) Clue {
	c := Clue{Kind: m.Type, IDs: m.IDs, Title: m.Title, Year: m.Year}
	if m.Type == viewing.Episode {
		c = Clue{Kind: viewing.TV}
		if m.Show != nil {
			c.IDs, c.Title, c.Year = m.Show.IDs, m.Show.Title, m.Show.Year
		}
	}
	switch number := m.Site.Number(m.Type); {
	case number == "":
	case c.Kind == viewing.TV:
		c.Site = &viewing.Site{Name: m.Site.Name, Series: number}
	default:
		c.Site = &viewing.Site{Name: m.Site.Name, Title: number}
	}
	return c
}

// Each are the clues by which it is found, the surest first: the site's own number
// alone, and then all that was told. There are none where nothing of it was told.
func (c Clue) Each() (all []Clue) {
	if c.Site != nil {
		all = append(all, Clue{Kind: c.Kind, Site: c.Site})
	}
	if key := c.Key(); key != "" && (c.Site == nil || key != all[0].Key()) {
		all = append(all, c)
	}
	return all
}

// Keys are those of [Clue.Each].
func (c Clue) Keys() (all []string) {
	for _, one := range c.Each() {
		all = append(all, one.Key())
	}
	return all
}

// Key is equal for clues to one work: by the IMDb number, else the TVDB number,
// else title and year, else the site's own number. A year that is not known equals
// only that. It is "" where nothing of it was told. TMDB's number has no part in it.
func (c Clue) Key() string {
	name := fold(c.Title)
	switch imdb := strings.ToLower(c.IDs.IMDB); {
	case imdbForm(imdb):
		return fmt.Sprintf("%s imdb %s", c.Kind, imdb)
	case c.IDs.TVDB > 0:
		return fmt.Sprintf("%s tvdb %d", c.Kind, c.IDs.TVDB)
	case name != "":
		return fmt.Sprintf("%s %d %s", c.Kind, c.Year, name)
	case c.Site != nil:
		return fmt.Sprintf("%s site %s %s", c.Kind, c.Site.Name, c.Site.Title+c.Site.Series)
	default:
		return ""
	}
}

// Contradicts reports whether clues of one key cannot be of one work: another
// number of theirs differs, also at one site, or title and year are those of another.
func (c Clue) Contradicts(o Clue) bool {
	numbers := c.IDs.TVDB > 0 && o.IDs.TVDB > 0 && c.IDs.TVDB != o.IDs.TVDB
	if c.Site != nil && o.Site != nil {
		numbers = numbers || c.Site.Name == o.Site.Name && *c.Site != *o.Site
	}
	titles := fold(c.Title) != "" && fold(o.Title) != "" && !same(c.Title, o.Title)
	return numbers || titles && c.Year > 0 && o.Year > 0 && apart(c.Year, o.Year) > 1
}

// Candidate is a work as a person is told of it.
type Candidate struct {
	Type  viewing.MediaType `json:"type"` // movie or tv
	TMDB  int64             `json:"tmdb"`
	Title string            `json:"title"` // "" when it is not known
	Year  int               `json:"year,omitempty"`
}

// Candidate is the work as a person is told of it.
func (w Work) Candidate() Candidate {
	return Candidate{Type: w.Kind, TMDB: w.TMDB, Title: w.Title, Year: w.Year}
}

// Distinct are candidates of a kind, each once. One with a title counts before one
// without.
func Distinct(kind viewing.MediaType, all []Candidate) (few []Candidate) {
	for _, c := range all {
		same := func(o Candidate) bool { return o.TMDB == c.TMDB }
		if at := slices.IndexFunc(few, same); at >= 0 && few[at].Title == "" {
			few[at] = c
		} else if at < 0 && c.Type == kind && c.TMDB > 0 {
			few = append(few, c)
		}
	}
	return few
}

// String is a work in a person's words: "Alpha One" (1999; film tmdb 603).
func (c Candidate) String() string {
	number, year := fmt.Sprintf("film tmdb %d", c.TMDB), ""
	if c.Type == viewing.TV {
		number = fmt.Sprintf("series tmdb %d", c.TMDB)
	}
	if c.Title == "" {
		return number
	}
	if c.Year > 0 {
		year = fmt.Sprintf("%d; ", c.Year)
	}
	return fmt.Sprintf("%q (%s%s)", c.Title, year, number)
}

// Apply gives an item the identity that a person has chosen. Of an episode it is
// that of its series: season and number stay, and a number of its own goes.
func (c Candidate) Apply(m viewing.Media) viewing.Media {
	if m.Type != viewing.Episode {
		m.IDs.TMDB = c.TMDB
		return m
	}
	show := viewing.Show{}
	if m.Show != nil {
		show = *m.Show
	}
	show.IDs.TMDB, m.IDs.TMDB = c.TMDB, 0
	m.Show = &show
	return m
}
