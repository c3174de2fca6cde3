package control

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Meaning is a film or series that a search text may mean.
type Meaning struct {
	typed.Reading
	Is    resolve.Candidate
	Exact bool // it has exactly this title or number
}

// Meanings returns the films or series that the readings of a search text may mean: those of all
// readings with an exact match, else those of the last reading with any result. trouble is the
// reason if no provider could be asked: a title then means what was typed, to be looked up later.
func (a API) Meanings(ctx context.Context, readings []typed.Reading, kind viewing.MediaType) (all []Meaning, trouble *viewing.Message, err error) {
	var similar, asTyped []Meaning
	for _, r := range readings {
		wanted := viewing.Media{Type: kind, Title: r.What, Year: r.Year}
		if named, err := typed.ParseItem(r.What); err == nil {
			wanted.IDs, wanted.Title = named.IDs, ""
			r.Season, r.Episode = cmp.Or(r.Season, named.Season), cmp.Or(r.Episode, named.Episode)
		}
		found, err := a.Resolve(ctx, wanted)
		if err != nil {
			return nil, nil, err
		}
		trouble = cmp.Or(trouble, found.Trouble)
		if found.Trouble != nil && wanted.Title != "" {
			asTyped = append(asTyped, Meaning{r, resolve.Candidate{Type: kind, Title: r.What, Year: r.Year}, r.Season != nil})
		}
		meant := found.meanings(wanted, r)
		switch {
		case slices.ContainsFunc(meant, func(m Meaning) bool { return m.Exact }):
			all = append(all, meant...)
		case len(meant) > 0:
			similar = meant
		}
	}
	for _, other := range [][]Meaning{similar, asTyped} {
		if len(all) == 0 {
			all = other
		}
	}
	return all, trouble, nil
}

// meanings returns the possible meanings in a resolution.
func (r Resolution) meanings(w viewing.Media, reading typed.Reading) (all []Meaning) {
	switch {
	case r.Correction != nil: // without a year, other items may have the same title
		is := r.Correction.Work
		exact := r.Correction.Reported.Year > 0 || normalize(is.Title) == normalize(w.Title)
		is.Title = cmp.Or(is.Title, w.Title) // the user may have given only a number
		return []Meaning{{reading, is, exact}}
	case r.Certain != nil:
		is := resolve.Candidate{Type: w.Type, TMDB: r.Certain.TMDB, Title: w.Title, Year: w.Year}
		if r.Named != nil && r.Named.Title != "" {
			is = *r.Named
		}
		return []Meaning{{reading, is, true}}
	}
	for _, c := range r.Candidates {
		if c.Type == w.Type {
			all = append(all, Meaning{reading, c, normalize(c.Title) == normalize(w.Title) && (w.Year == 0 || c.Year == w.Year)})
		}
	}
	return all
}

// normalize returns the letters and digits of a title in lower case.
func normalize(title string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, title)
}
