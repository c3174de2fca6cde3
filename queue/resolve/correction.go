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

// Clues are the keys by which the correction for an item is found, the strongest
// first: the site's own number, and then the IMDb number, else the TVDB number, else
// title and year. There are none where none of them was reported. A year that is not
// known equals only that. TMDB's number has no part in it.
func CorrectionKeys(m viewing.Media) []string { return ClueOf(m).keys() }

func (c Clue) keys() (all []string) {
	if c.Site != nil {
		all = append(all, fmt.Sprintf("%s site %s %s", c.Kind, c.Site.Name, c.Site.Title+c.Site.Series))
	}
	name := normalizeName(c.Title)
	switch imdb := strings.ToLower(c.IDs.IMDB); {
	case isIMDB(imdb):
		return append(all, fmt.Sprintf("%s imdb %s", c.Kind, imdb))
	case c.IDs.TVDB > 0:
		return append(all, fmt.Sprintf("%s tvdb %d", c.Kind, c.IDs.TVDB))
	case name != "":
		return append(all, fmt.Sprintf("%s %d %s", c.Kind, c.Year, name))
	}
	return all
}

// contradicts reports whether clues of one key cannot be of one work: another
// number of theirs differs, also at one site, or title and year are those of another.
// A site's own number names one work, whatever else it says.
func (c Clue) contradicts(o Clue) bool {
	if c.Site != nil && o.Site != nil && c.Site.Name == o.Site.Name {
		return *c.Site != *o.Site
	}
	numbers := c.IDs.TVDB > 0 && o.IDs.TVDB > 0 && c.IDs.TVDB != o.IDs.TVDB
	titles := normalizeName(c.Title) != "" && normalizeName(o.Title) != "" && !SameName(c.Title, o.Title)
	return numbers || titles && yearsApart(c.Year, o.Year)
}

// Correction is what a person has said that a film or series is. It holds for all
// that is reported alike and has no identifier, and is found by its [Correction.Key].
type Correction struct {
	ID       int64     `json:"id"`
	Reported Clue      `json:"told"`
	Is       Candidate `json:"is"`
	Shifts   []Shift   `json:"shifts,omitempty"` // where none moves, seasons and numbers stay as reported
	Since    time.Time `json:"since"`
	Entries  int64     `json:"entries"` // that have their identity from it
}

// Shift says by how much the places of a series differ from those that are reported,
// from a reported season on. Where the number differs, it holds for that season alone:
// how a next one is cut depends on its length. "S2E2 is S1E14" makes S2E3 S1E15, and
// says nothing of S3E1; "S3E1 is S2E1" makes S4E1 S3E1.
//
// A source that counts through all seasons reports none. Then From is a reported number,
// and Season the season itself: "66 is S3E16" makes 67 S3E17, until another answer.
type Shift struct {
	From    int  `json:"from"`
	Season  int  `json:"season"`
	Episode int  `json:"episode"`
	Through bool `json:"through,omitempty"` // the source counts through all seasons
}

func (s Shift) moves() bool { return s.Season != 0 || s.Episode != 0 }

// Key is the strongest of [CorrectionKeys] to what was told; "" for none.
func (c Correction) Key() string { return append(c.Reported.keys(), "")[0] }

// Correct is the correction that follows from one answer: what was reported as told is
// that film or series, an episode with the season and number of is. before is the
// correction of the same key, or nil: of the same series, its answers about other
// seasons stay. It is false where nothing can be remembered: what was told is not to
// be trusted, names no work, has an identifier, or is a special with another number.
func NewCorrection(before *Correction, told viewing.Media, work Candidate, is viewing.Media) (Correction, bool) {
	c := Correction{Reported: ClueOf(told), Is: work}
	c.Reported.IDs.TMDB = 0 // found out, and not reported
	if told.Unsure || told.Identified() || len(c.Reported.keys()) == 0 {
		return c, false
	}
	if before != nil && before.Is.TMDB == work.TMDB {
		c.Shifts = slices.Clone(before.Shifts)
	}
	if told.Episode == nil || is.Season == nil || is.Episode == nil {
		return c, true
	}
	s := Shift{Season: *is.Season, Episode: *is.Episode - *told.Episode}
	if s.Through = told.Season == nil; s.Through {
		s.From = *told.Episode
	} else {
		s.From, s.Season = *told.Season, *is.Season-*told.Season
	}
	if *is.Season == 0 || !s.Through && s.From == 0 {
		return c, !s.moves()
	}
	c.Shifts = slices.DeleteFunc(c.Shifts, func(other Shift) bool { return other.From == s.From && other.Through == s.Through })
	c.Shifts = append(c.Shifts, s)
	slices.SortFunc(c.Shifts, func(a, b Shift) int { return a.From - b.From })
	return c, true
}

// Apply gives an item the identity that a person has given to what is reported alike.
// It is false where the correction says nothing of the item. An episode without a number
// has that of its series alone, and stays without an identifier of its own.
func (c Correction) Apply(m viewing.Media) (viewing.Media, bool) {
	if m.Unsure || !slices.Contains(CorrectionKeys(m), c.Key()) || c.Reported.contradicts(ClueOf(m)) {
		return m, false
	}
	is := c.Is.ApplyChoice(m)
	if m.Episode != nil {
		var reported int
		if m.Season != nil {
			reported = *m.Season
		}
		s, ok := c.shift(m.Season, *m.Episode)
		season, number := reported+s.Season, *m.Episode+s.Episode
		if !ok || number < 1 { // a season from 1 stays one: what leads to specials is not remembered
			return m, false
		}
		is.Season, is.Episode = &season, &number
	}
	return is, true
}

// shift is that of a reported season, or of a number that was reported without one.
func (c Correction) shift(season *int, number int) (s Shift, ok bool) {
	all := slices.DeleteFunc(slices.Clone(c.Shifts), func(s Shift) bool { return s.Through != (season == nil) })
	if season == nil {
		for i, one := range all {
			if i == 0 || one.From <= number {
				s, ok = one, true
			}
		}
		return s, ok
	}
	if !slices.ContainsFunc(all, Shift.moves) {
		return s, true
	}
	for _, one := range all {
		if one.From <= *season {
			s, ok = one, one.From == *season || one.Episode == 0
		}
	}
	return s, ok
}

// Telling is the first correction that says what an item is; nil for none.
func FindCorrection(all []Correction, m viewing.Media) *Correction {
	for i, c := range all {
		if _, ok := c.Apply(m); ok {
			return &all[i]
		}
	}
	return nil
}

// Moved reports whether an item has another season or number than was reported.
func PlaceChanged(told, m viewing.Media) bool {
	other := func(a, b *int) bool { return a != nil && b != nil && *a != *b }
	return other(told.Season, m.Season) || other(told.Episode, m.Episode)
}

// Corrected is what a correction did, or would do.
type CorrectionResult struct {
	// Remembered holds for what comes. It is nil where nothing can be remembered; see
	// [NewCorrection].
	Remembered *Correction `json:"remembered"`
	// Before is what was said of it earlier and no longer holds; nil where nothing was.
	Before *Candidate `json:"before,omitempty"`
	// AlsoChanged is how many entries followed, besides the one that was named.
	AlsoChanged int64 `json:"alsoChanged"`
	// Also are the first hundred of them.
	Also []ChangedEntry `json:"also,omitempty"`
}

// Followed is an entry that a correction has changed, besides the one that was named.
type ChangedEntry struct {
	Entry int64         `json:"entry"`
	Was   viewing.Media `json:"was"`
	Is    viewing.Media `json:"is"`
}
