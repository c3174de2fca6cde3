package transfer

import (
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// imdbForm is a list of an account at IMDb. It is taken as a watchlist. Ratings are no
// viewings.
var imdbForm = Format{Name: "imdb", Is: isIMDb, Read: reading(readIMDb)}

// The types of titles at IMDb that have a place on a watchlist.
var (
	imdbFilms  = []string{"movie", "featurefilm", "tvmovie", "tvspecial", "tvshort", "short", "shortfilm", "video"}
	imdbSeries = []string{"tvseries", "tvminiseries", "miniseries"}
)

func isIMDb(f *File) bool {
	return f.Only().Has("const", "title", "title type")
}

func readIMDb(f *File, _ Options, give func(Row) error) error {
	p, keys := f.Only(), newKeys("imdb")
	isList := p.Has("position")
	return p.each(func(line Line) error {
		id, kind := line.Get("const"), strings.ToLower(strings.ReplaceAll(line.Get("title type"), " ", ""))
		m := viewing.Media{Type: viewing.Movie, Title: clean(line.Get("title")), Year: number(line.Get("year")), IDs: viewing.IDs{IMDB: id}}
		if slices.Contains(imdbSeries, kind) {
			m.Type = viewing.TV
		}
		row := Row{Key: keys.next(id), Event: desired(m)}
		switch {
		case !isList:
			row.Skip = SkipRating
		case m.Type == viewing.Movie && !slices.Contains(imdbFilms, kind):
			row.Skip = SkipOther
		}
		return give(row)
	})
}
