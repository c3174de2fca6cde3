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

// Meaning is a film or series that typed words may mean.
type Meaning struct {
	typed.Reading
	Is    resolve.Candidate
	Exact bool // it is called exactly that, or has that number
}

// Meanings returns what films or series the readings of typed words may mean: of all in
// which one is called exactly that, else of the last one in which anything is similar.
// trouble is why no provider could be asked.
func (a API) Meanings(ctx context.Context, readings []typed.Reading, kind viewing.MediaType) (all []Meaning, trouble *viewing.Message, err error) {
	var similar []Meaning
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
		meant := found.meanings(wanted, r)
		switch {
		case slices.ContainsFunc(meant, func(m Meaning) bool { return m.Exact }):
			all = append(all, meant...)
		case len(meant) > 0:
			similar = meant
		}
	}
	if len(all) == 0 {
		all = similar
	}
	return all, trouble, nil
}

// meanings are what the answer to a question may mean.
func (r Resolution) meanings(w viewing.Media, reading typed.Reading) (all []Meaning) {
	switch {
	case r.Correction != nil: // without a year, another one may have that title
		return []Meaning{{reading, r.Correction.Is, r.Correction.Reported.Year > 0 || spelled(r.Correction.Is.Title) == spelled(w.Title)}}
	case r.Certain != nil:
		is := resolve.Candidate{Type: w.Type, TMDB: r.Certain.TMDB, Title: w.Title, Year: w.Year}
		if r.Named != nil && r.Named.Title != "" {
			is = *r.Named
		}
		return []Meaning{{reading, is, true}}
	}
	for _, c := range r.Candidates {
		if c.Type == w.Type {
			all = append(all, Meaning{reading, c, spelled(c.Title) == spelled(w.Title) && (w.Year == 0 || c.Year == w.Year)})
		}
	}
	return all
}

// spelled are the letters and digits of a title.
func spelled(title string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, title)
}
