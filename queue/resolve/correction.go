package resolve

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Clue is what a source reported of a film or series, of an episode that of its
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
// alone, and then all that was reported. There are none where nothing of it was.
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

// Key is equal for clues to one work: by the IMDb number, else the TVDB number, else
// title and year, else the site's own number; "" where nothing of it was reported. A
// year that is not known equals only that. TMDB's number has no part in it.
func (c Clue) Key() string {
	name := fold(c.Title)
	switch imdb := strings.ToLower(c.IDs.IMDB); {
	case isIMDB(imdb):
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
	return numbers || titles && yearsApart(c.Year, o.Year)
}

// Correction is what a person has said that a film or series is. It holds for all
// that is reported alike and has no identifier.
type Correction struct {
	ID      int64     `json:"id"`
	Told    Clue      `json:"told"`
	Is      Candidate `json:"is"`
	Since   time.Time `json:"since"`
	Entries int64     `json:"entries"` // that have their identity from it
}

// Said is the correction as a step of an entry's explanation.
func (c Correction) Said() string { return fmt.Sprintf("You said that it is %s.", c.Is) }

// Tells reports whether the correction tells what an item is.
func (c Correction) Tells(m viewing.Media) bool {
	clue := ClueOf(m)
	return !m.Unsure && slices.Contains(clue.Keys(), c.Told.Key()) && c.Is.Apply(m).Identified() && !c.Told.Contradicts(clue)
}

// Telling is the first correction that tells what an item is; nil for none.
func Telling(all []Correction, m viewing.Media) *Correction {
	if at := slices.IndexFunc(all, func(c Correction) bool { return c.Tells(m) }); at >= 0 {
		return &all[at]
	}
	return nil
}

// Moved reports whether an item has another season or number than was reported.
func Moved(told, m viewing.Media) bool {
	other := func(a, b *int) bool { return a != nil && b != nil && *a != *b }
	return other(told.Season, m.Season) || other(told.Episode, m.Episode)
}

// Corrected is what a correction did.
type Corrected struct {
	// Remembered holds for what comes: of several, the one by the site's own number.
	// It is nil where nothing can be remembered: the evidence is not to be trusted,
	// names no work, or told a TMDB number itself, or a person gave another place.
	Remembered *Correction `json:"remembered"`
	// Before is what was said of it earlier and no longer holds; nil where nothing was.
	Before *Candidate `json:"before,omitempty"`
	// AlsoChanged is how many entries followed, besides the one that was named.
	AlsoChanged int64 `json:"alsoChanged"`
}
