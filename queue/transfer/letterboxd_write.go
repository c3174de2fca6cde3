package transfer

import (
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// writeLetterboxd writes the table that Letterboxd imports. It carries viewings of films, with
// their day.
func writeLetterboxd(w io.Writer, records iter.Seq2[Record, error]) error {
	return writeTable(w, []string{"tmdbID", "imdbID", "Title", "Year", "WatchedDate", "Rewatch"}, records, func(r Record) [][]string {
		m := r.Media
		if r.Kind != viewing.KindViewing || m.Type != viewing.Movie {
			return nil
		}
		return [][]string{{
			filled(m.IDs.TMDB), m.IDs.IMDB, m.Title, filled(m.Year), there(r.WatchedAt).Format(time.DateOnly), strconv.FormatBool(r.Rewatch),
		}}
	})
}
