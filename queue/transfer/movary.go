package transfer

import "github.com/filmspool/filmspool/queue/viewing"

// movaryForm is a table of Movary: its history, its watchlist or its ratings.
var movaryForm = Format{Name: "movary", Is: isMovary, Read: reading(readMovary)}

func isMovary(f *File) bool {
	p := f.Only()
	return p.Has("title", "tmdbid", "imdbid") && (p.Has("watchedat") || p.Has("addedat") || p.Has("userrating"))
}

func readMovary(f *File, o Options, give func(Row) error) error {
	keys, days := newKeys("movary"), newCalendar(o)
	return f.Only().each(func(line Line) error {
		id, watched := line.Get("tmdbid"), line.Get("watchedat")
		m := viewing.Media{
			Type: viewing.Movie, Title: clean(line.Get("title")), Year: number(line.Get("year")),
			IDs: viewing.IDs{TMDB: int64(number(id)), IMDB: line.Get("imdbid")},
		}
		at, ambiguous, ok := days.instant(watched)
		row := Row{Key: keys.next(id, watched), Event: viewed(m, at), Ambiguous: ambiguous}
		switch {
		case line.Get("addedat") != "":
			row.Event = desired(m)
		case line.Get("userrating") != "":
			row.Skip = SkipRating
		case !ok:
			row.Skip = SkipMark
		}
		return give(row)
	})
}
