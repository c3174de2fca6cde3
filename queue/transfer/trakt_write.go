package transfer

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// writeTrakt writes an archive as Trakt's export is. It carries everything of a [Record] but
// where it was seen, a zone, and that a time is a day: that becomes noon of it.
func writeTrakt(w io.Writer, records iter.Seq2[Record, error]) error {
	archive, lists := traktArchive{zip: zip.NewWriter(w)}, []traktList{}
	for r, err := range records {
		if err != nil {
			return err
		}
		member := "watched-history-1.json"
		switch r.Kind {
		case viewing.KindWatchlist:
			member = "lists-watchlist.json"
		case viewing.KindListItem:
			if n := len(lists); n == 0 || lists[n-1].Name != r.List.Name {
				lists = append(lists, traktListOf(r))
			}
			is := lists[len(lists)-1].IDs
			member = fmt.Sprintf("lists-list-%d-%s.json", is.Trakt, is.Slug)
		}
		if err := archive.write(member, traktOf(r)); err != nil {
			return err
		}
	}
	for _, list := range lists {
		if err := archive.write("lists-lists.json", list); err != nil {
			return err
		}
	}
	return errors.Join(archive.end(), archive.zip.Close())
}

// traktListOf is the list of an item as Trakt writes it. One that did not come from Trakt has
// the same number in every export.
func traktListOf(r Record) traktList {
	list := traktList{Name: r.List.Name, Description: r.List.Description, Privacy: "private", IDs: traktIDs{
		Trakt: cmp.Or(traktNumber(r.EventID, 2), int64(crc32.ChecksumIEEE([]byte(r.List.Name)))), Slug: slug(r.List.Name),
	}}
	if r.List.Visibility == "PUBLIC" {
		list.Privacy = "public"
	}
	return list
}

// traktNumber is the number of Trakt that a part of the key of one of its rows has: of
// "9000000001", of "watchlist:movie:1" and of "list:77:movie:1". It is 0 for other entries.
func traktNumber(eventID string, part int) int64 {
	parts := strings.Split(eventID, ":")
	if parts[0] != "trakt" || part >= len(parts) {
		return 0
	}
	return int64(number(parts[part]))
}

// traktOf is a record as Trakt writes it. What came from Trakt keeps its number there.
func traktOf(r Record) (play traktItem) {
	item := func(title string, year int, ids viewing.IDs) traktWork {
		return traktWork{Title: title, Year: year, IDs: traktIDs{IMDB: ids.IMDB, TMDB: ids.TMDB, TVDB: ids.TVDB}}
	}
	m := r.Media
	is := item(m.Title, m.Year, m.IDs)
	switch r.Kind {
	case viewing.KindViewing:
		play.ID = traktNumber(r.EventID, 1)
		play.WatchedAt, play.Action = r.WatchedAt.Time().Format("2006-01-02T15:04:05.000Z07:00"), "scrobble"
	case viewing.KindWatchlist:
		is.IDs.Trakt = traktNumber(r.EventID, 3)
	default:
		is.IDs.Trakt = traktNumber(r.EventID, 4)
	}
	switch m.Type {
	case viewing.Movie:
		play.Type, play.Movie = "movie", is
	case viewing.TV:
		play.Type, play.Show = "show", is
	default:
		is.Season, is.Number = m.Season, m.Episode
		play.Type, play.Episode = "episode", is
		if m.Show != nil {
			play.Show = item(m.Show.Title, m.Show.Year, m.Show.IDs)
		}
	}
	return play
}

// slug is a name as it stands in an address.
func slug(name string) string {
	letters := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return ' '
	}, strings.ToLower(name))
	return strings.Join(strings.Fields(letters), "-")
}

// traktArchive writes members that are each an array of JSON.
type traktArchive struct {
	zip    *zip.Writer
	member string // the last one
	out    io.Writer
}

// write writes an element of a member, which is the last one or a new one.
func (a *traktArchive) write(member string, element any) error {
	text, err := json.Marshal(element)
	before := ",\n"
	if member != a.member {
		err = errors.Join(err, a.end())
		a.member, before = member, "[\n"
		if err == nil {
			a.out, err = a.zip.Create(member)
		}
	}
	if err == nil {
		_, err = fmt.Fprintf(a.out, "%s%s", before, text)
	}
	return err
}

// end ends the last member.
func (a *traktArchive) end() (err error) {
	if a.member != "" {
		_, err = io.WriteString(a.out, "\n]\n")
	}
	return err
}
