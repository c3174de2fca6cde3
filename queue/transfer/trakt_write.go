package transfer

import (
	"archive/zip"
	"cmp"
	"encoding/json"
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
	archive := traktArchive{zip: zip.NewWriter(w)}
	lists := []traktList{}
	err := archive.begin("watched-history-1.json")
	for r, failed := range records {
		if err == nil {
			err = failed
		}
		if err != nil {
			return err
		}
		member := archive.member
		switch r.Kind {
		case viewing.KindWatchlist:
			member = "lists-watchlist.json"
		case viewing.KindListItem:
			if n := len(lists); n == 0 || lists[n-1].Name != r.List.Name {
				list := traktList{Name: r.List.Name, Description: r.List.Description, Privacy: "private", IDs: traktIDs{
					Trakt: cmp.Or(traktNumber(r.EventID, 2), int64(crc32.ChecksumIEEE([]byte(r.List.Name)))), Slug: slug(r.List.Name),
				}}
				if r.List.Visibility == "PUBLIC" {
					list.Privacy = "public"
				}
				lists = append(lists, list)
			}
			is := lists[len(lists)-1].IDs
			member = fmt.Sprintf("lists-list-%d-%s.json", is.Trakt, is.Slug)
		}
		if member != archive.member {
			if err = archive.begin(member); err != nil {
				return err
			}
		}
		err = archive.write(traktOf(r))
	}
	if err == nil {
		err = archive.begin("lists-lists.json")
	}
	for _, list := range lists {
		if err == nil {
			err = archive.write(list)
		}
	}
	if err == nil {
		err = archive.end()
	}
	if err != nil {
		return err
	}
	return archive.zip.Close()
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
	member string // its name
	out    io.Writer
	next   string // what stands before its next element
}

// begin begins the next member.
func (a *traktArchive) begin(member string) (err error) {
	if a.member != "" {
		if err := a.end(); err != nil {
			return err
		}
	}
	a.member, a.next = member, "["
	a.out, err = a.zip.Create(member)
	return err
}

// write writes an element of the member.
func (a *traktArchive) write(element any) error {
	text, err := json.Marshal(element)
	if err == nil {
		_, err = fmt.Fprintf(a.out, "%s\n%s", a.next, text)
	}
	a.next = ","
	return err
}

// end ends the member.
func (a *traktArchive) end() error {
	if a.next == "[" {
		a.next = "[]"
	} else {
		a.next = "\n]"
	}
	_, err := io.WriteString(a.out, a.next+"\n")
	return err
}
