package transfer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// letterboxdForm is the archive of an account's data, one of its tables, or a table that
// Letterboxd imports.
var letterboxdForm = Format{Name: "letterboxd", Is: isLetterboxd, Read: reading(readLetterboxd), Write: writeLetterboxd}

func isLetterboxd(f *File) bool {
	return slices.ContainsFunc(f.Named("diary.csv", "watched.csv", "watchlist.csv", "lists/*.csv"), func(p *Part) bool {
		return isLetterboxdList(p) || p.Has("name", "year", "letterboxd uri") || p.Has("tmdbid", "title", "watcheddate")
	})
}

func isLetterboxdList(p *Part) bool { return strings.HasPrefix(p.Head(), "Letterboxd list export") }

func readLetterboxd(f *File, o Options, give func(Row) error) error {
	keys := newKeys("letterboxd")
	for _, p := range f.Named("diary.csv", "watched.csv", "ratings.csv", "reviews.csv", "watchlist.csv", "lists/*.csv") {
		read := readLetterboxdTable
		if isLetterboxdList(p) {
			read = readLetterboxdList
		}
		if err := read(p, keys, o, give); err != nil {
			return err
		}
	}
	return nil
}

func readLetterboxdTable(p *Part, keys *keys, o Options, give func(Row) error) error {
	days, err := calendarOf(p, o, "watched date", "watcheddate")
	if err != nil {
		return err
	}
	reviews, ratings, kind := p.Has("review", "letterboxd uri"), p.Has("rating"), p.Name
	if p.Has("watched date") && !reviews {
		kind = "diary"
	}
	return p.each(func(line Line) error {
		m := letterboxdFilm(plain(line.Get("name", "title")), line.Get("year"))
		m.IDs = viewing.IDs{TMDB: int64(number(line.Get("tmdbid"))), IMDB: line.Get("imdbid")}
		day := line.Get("watched date", "watcheddate")
		at, ambiguous, ok := days.instant(day)
		id := cmp.Or(line.Get("letterboxd uri"), strings.Join([]string{m.Title, line.Get("year", "tmdbid", "imdbid"), day}, "\x00"))
		row := Row{Key: keys.next(kind, id), Event: viewed(m, at), Ambiguous: ambiguous}
		switch {
		case p.Name == "watchlist.csv":
			row.Event = desired(m)
		case reviews, day == "" && ratings:
			row.Skip = SkipRating
		case day == "":
			row.Skip = SkipMark
		case !ok:
			row.Skip = SkipUnreadable
		}
		return give(row)
	})
}

func letterboxdFilm(title, year string) viewing.Media {
	return viewing.Media{Type: viewing.Movie, Title: clean(title), Year: number(year)}
}

// readLetterboxdList reads a table of two parts: the list in a line below "Date", and its
// films below "Position".
func readLetterboxdList(p *Part, keys *keys, _ Options, give func(Row) error) error {
	list, part := "", ""
	return p.each(func(line Line) error {
		fields := append(line.Fields, make([]string, 5)...)
		switch {
		case fields[0] == "Date" || fields[0] == "Position":
			part = fields[0]
		case part == "Date":
			list = keys.next("list", cmp.Or(fields[3], fields[1]))
			about := viewing.List{Name: clip(fields[1], 200), Description: clip(fields[4], 2000)}
			return give(Row{Key: list, Event: viewing.Event{Kind: viewing.KindList, List: &about}})
		case part == "Position" && list != "":
			row := Row{Key: keys.next("item", list, fields[1], fields[2], fields[3]), Event: desired(letterboxdFilm(fields[1], fields[2]))}
			row.Event.Kind, row.Event.InList = viewing.KindListItem, list
			return give(row)
		}
		return nil
	})
}
