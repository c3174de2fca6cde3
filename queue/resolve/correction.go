package resolve

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Clue is what a source reported about a film or series; for an episode, about its series.
// Corrections are stored for clues.
type Clue struct {
	Kind  viewing.MediaType `json:"kind"` // movie or tv
	IDs   viewing.IDs       `json:"ids,omitzero"`
	Title string            `json:"title,omitempty"`
	Year  int               `json:"year,omitempty"`
	Site  *viewing.Site     `json:"site,omitempty"` // the site's name and its number of the film or series
}

// ClueOf returns the clue in a viewing.
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

// CorrectionKeys returns the keys to find the correction for an item, the strongest first:
// the site's number, then the IMDb number, else the TVDB number, else title and year. There
// are none if none of these was reported. A missing year matches only a missing year. The
// TMDB number is not used.
func CorrectionKeys(m viewing.Media) []string { return ClueOf(m).keys() }

// keys returns the keys described at [CorrectionKeys].
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

// contradicts reports whether two clues with a common key belong to different works: another
// number differs, or title and year differ. Equal numbers of one site always mean the same
// work.
func (c Clue) contradicts(o Clue) bool {
	if c.Site != nil && o.Site != nil && c.Site.Name == o.Site.Name {
		return *c.Site != *o.Site
	}
	numbers := c.IDs.TVDB > 0 && o.IDs.TVDB > 0 && c.IDs.TVDB != o.IDs.TVDB
	titles := normalizeName(c.Title) != "" && normalizeName(o.Title) != "" && !SameName(c.Title, o.Title)
	return numbers || titles && yearsApart(c.Year, o.Year)
}

// Correction is a user's answer which film or series a source means. It applies to all
// items without an identifier that have the same clue, and is found by its [Correction.Key].
type Correction struct {
	ID       int64     `json:"id"`
	Reported Clue      `json:"told"`
	Work     Candidate `json:"is"`
	Shifts   []Shift   `json:"shifts,omitempty"` // if none moves, seasons and numbers stay as reported
	Since    time.Time `json:"since"`
	Entries  int64     `json:"entries"` // number of entries that it applies to
}

// Shift is the difference between reported and actual season and episode numbers, from a
// reported season on. With an Episode offset it applies to that season only, since the
// offset of the next one depends on the season's length: "S2E2 is S1E14" makes S2E3 S1E15,
// but does not apply to S3E1; "S3E1 is S2E1" makes S4E1 S3E1.
//
// A source that numbers episodes through all seasons reports no season. Then From is a
// reported number, and Season the actual season: "66 is S3E16" makes 67 S3E17, up to the
// From of the next shift.
type Shift struct {
	From    int  `json:"from"`
	Season  int  `json:"season"`
	Episode int  `json:"episode"`
	Through bool `json:"through,omitempty"` // the source numbers episodes through all seasons
}

// moves reports whether the shift changes anything.

func (s Shift) moves() bool { return s.Season != 0 || s.Episode != 0 }

// Key returns the strongest key of the reported clue; "" if it has none.
func (c Correction) Key() string { return append(c.Reported.keys(), "")[0] }

// NewCorrection returns the correction that follows from one answer: reported means that
// film or series; for an episode, the season and number of is. before is the existing
// correction of the same key, or nil: if it is for the same series, its other shifts are
// kept. It returns false if the answer cannot apply to other items: reported is uncertain,
// has no clue, already has an identifier, or is a special with another number.
func NewCorrection(before *Correction, reported viewing.Media, work Candidate, is viewing.Media) (Correction, bool) {
	c := Correction{Reported: ClueOf(reported), Work: work}
	c.Reported.IDs.TMDB = 0 // added by a look-up, not reported
	if reported.Unsure || reported.Identified() || len(c.Reported.keys()) == 0 {
		return c, false
	}
	if before != nil && before.Work.TMDB == work.TMDB {
		c.Shifts = slices.Clone(before.Shifts)
	}
	if reported.Episode == nil || is.Season == nil || is.Episode == nil {
		return c, true
	}
	s := Shift{Season: *is.Season, Episode: *is.Episode - *reported.Episode}
	if s.Through = reported.Season == nil; s.Through {
		s.From = *reported.Episode
	} else {
		s.From, s.Season = *reported.Season, *is.Season-*reported.Season
	}
	if *is.Season == 0 || !s.Through && s.From == 0 {
		return c, !s.moves()
	}
	c.Shifts = slices.DeleteFunc(c.Shifts, func(other Shift) bool { return other.From == s.From && other.Through == s.Through })
	c.Shifts = append(c.Shifts, s)
	slices.SortFunc(c.Shifts, func(a, b Shift) int { return a.From - b.From })
	return c, true
}

// Apply returns the item with the identity from the correction; false if the correction
// does not apply to it. An episode without a number gets only the identity of its series.
func (c Correction) Apply(m viewing.Media) (viewing.Media, bool) {
	if m.Unsure || !slices.Contains(CorrectionKeys(m), c.Key()) || c.Reported.contradicts(ClueOf(m)) {
		return m, false
	}
	is := c.Work.ApplyChoice(m)
	if m.Episode != nil {
		var reported int
		if m.Season != nil {
			reported = *m.Season
		}
		s, ok := c.shift(m.Season, *m.Episode)
		season, number := reported+s.Season, *m.Episode+s.Episode
		if !ok || number < 1 { // the season is at least 1: NewCorrection stores no shift to specials
			return m, false
		}
		is.Season, is.Episode = &season, &number
	}
	return is, true
}

// shift returns the shift for a reported season, or for a number reported without a season.
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

// FindCorrection returns the first correction that applies to an item; nil for none.
func FindCorrection(all []Correction, m viewing.Media) *Correction {
	for i, c := range all {
		if _, ok := c.Apply(m); ok {
			return &all[i]
		}
	}
	return nil
}

// PlaceChanged reports whether an item has another season or number than was reported.
func PlaceChanged(reported, m viewing.Media) bool {
	differ := func(a, b *int) bool { return a != nil && b != nil && *a != *b }
	return differ(reported.Season, m.Season) || differ(reported.Episode, m.Episode)
}

// CorrectionResult is what a correction changed, or would change in a dry run.
type CorrectionResult struct {
	// Remembered is the correction stored for later items; nil if the answer cannot apply
	// to other items, see [NewCorrection].
	Remembered *Correction `json:"remembered"`
	// Before is the work of the correction that was replaced; nil for none.
	Before *Candidate `json:"before,omitempty"`
	// AlsoChanged is the number of other entries that were changed.
	AlsoChanged int64 `json:"alsoChanged"`
	// Also holds the first hundred of them.
	Also []ChangedEntry `json:"also,omitempty"`
}

// ChangedEntry is another entry that a correction has changed.
type ChangedEntry struct {
	Entry int64         `json:"entry"`
	Was   viewing.Media `json:"was"`
	Is    viewing.Media `json:"is"`
}
