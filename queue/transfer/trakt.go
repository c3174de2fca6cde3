package transfer

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// trakt is the archive of an account's data that Trakt offers.
var trakt = Format{Name: "trakt", Is: isTrakt, Read: readTrakt, Write: writeTrakt}

// traktIDs are numbers at Trakt and elsewhere.
type traktIDs struct {
	Trakt int64  `json:"trakt,omitzero"`
	Slug  string `json:"slug,omitzero"`
	TMDB  int64  `json:"tmdb,omitzero"`
	IMDB  string `json:"imdb,omitzero"`
	TVDB  int64  `json:"tvdb,omitzero"`
}

// traktWork is a film, series or episode.
type traktWork struct {
	Season *int     `json:"season,omitempty"` // episodes only, as Number
	Number *int     `json:"number,omitempty"`
	Title  string   `json:"title"`
	Year   int      `json:"year,omitzero"`
	IDs    traktIDs `json:"ids"`
}

func (w traktWork) ids() viewing.IDs {
	return viewing.IDs{TMDB: w.IDs.TMDB, IMDB: w.IDs.IMDB, TVDB: w.IDs.TVDB}
}

// traktItem is a play, or a place on a list.
type traktItem struct {
	ID        int64     `json:"id,omitzero"`
	WatchedAt string    `json:"watched_at,omitzero"`
	Action    string    `json:"action,omitzero"` // scrobble, checkin, or watch for what was marked
	Type      string    `json:"type"`
	Movie     traktWork `json:"movie,omitzero"`
	Episode   traktWork `json:"episode,omitzero"`
	Show      traktWork `json:"show,omitzero"`
}

// traktList is a list of the account.
type traktList struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Privacy     string   `json:"privacy"`
	IDs         traktIDs `json:"ids"`
}

func isTrakt(f *File) bool {
	for _, p := range f.Named("watched-history*.json", "lists-watchlist.json", "lists-lists.json") {
		head := p.Head()
		if p.Name != "" || strings.HasPrefix(strings.TrimSpace(head), "[") && strings.Contains(head, `"watched_at"`) && strings.Contains(head, `"ids"`) {
			return true
		}
	}
	return false
}

// readTrakt reads the history, the watchlist and the lists. The aggregates of the history are
// passed over, and the members about the account are not opened.
func readTrakt(f *File, _ Options) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		r := &traktReader{yield: yield, keys: newKeys("trakt")}
		more := eachIn(r, f, "watched-history*.json", func(_ string, play traktItem) bool { return r.play(play) }) && r.giveKept()
		if f.parts[0].Name == "" {
			return
		}
		_ = more && eachIn(r, f, "lists-watchlist.json", func(_ string, item traktItem) bool {
			return r.listed(item, viewing.KindWatchlist, "watchlist")
		}) && eachIn(r, f, "lists-lists.json", func(_ string, list traktList) bool {
			return r.list(list)
		}) && eachIn(r, f, "lists-list-*.json", func(name string, item traktItem) bool {
			id, _, _ := strings.Cut(strings.TrimPrefix(name, "lists-list-"), "-")
			return r.listed(item, viewing.KindListItem, "list:"+strings.TrimSuffix(id, ".json"))
		}) && eachIn(r, f, "ratings-*.json", func(string, traktItem) bool {
			return yield(Row{Skip: SkipRating}, nil)
		}) && eachIn(r, f, "_errors.json", func(string, any) bool {
			return yield(Row{Skip: SkipMissing}, nil)
		})
	}
}

// traktReader turns the objects of an archive into rows. Its functions report whether more
// are wanted.
type traktReader struct {
	yield func(Row, error) bool
	keys  *keys
	last  traktItem
	kept  []Row // the first episodes of one series at one moment
	same  int   // how many there were
}

// eachIn hands over the objects of the parts of a name, with the names.
func eachIn[T any](r *traktReader, f *File, pattern string, do func(string, T) bool) bool {
	for _, p := range f.Named(pattern) {
		for o, err := range p.Objects("") {
			var value T
			if err == nil {
				err = o.Into(&value)
			}
			if err != nil {
				r.yield(Row{}, err)
				return false
			}
			if !do(p.Name, value) {
				return false
			}
		}
	}
	return true
}

// marked is how many episodes of a series a person has marked and not played, when all have
// the same moment. A file may hold two episodes.
const marked = 3

// play gives a play. Episodes that were marked together are held: nobody knows when they were
// watched.
func (r *traktReader) play(p traktItem) bool {
	together := p.Type == "episode" && p.Action == "watch" && p.Action == r.last.Action && p.WatchedAt == r.last.WatchedAt && p.Show.IDs == r.last.Show.IDs
	if r.last = p; !together {
		if !r.giveKept() {
			return false
		}
		r.same = 0
	}
	r.kept = append(r.kept, r.rowOf(p))
	if r.same++; r.same >= marked {
		for i := range r.kept {
			r.kept[i].Event.Class = viewing.ClassBulk
		}
		return r.giveKept()
	}
	return true
}

// giveKept gives the plays that waited.
func (r *traktReader) giveKept() bool {
	for _, row := range r.kept {
		if !r.yield(row, nil) {
			return false
		}
	}
	r.kept = r.kept[:0]
	return true
}

// rowOf is a play. Trakt dates plays of an unknown time to 1970.
func (r *traktReader) rowOf(p traktItem) Row {
	at, err := viewing.ParseInstant(p.WatchedAt)
	row := Row{Key: strconv.FormatInt(p.ID, 10), Event: viewing.Event{Kind: viewing.KindViewing, WatchedAt: at}}
	if p.ID == 0 {
		row.Key = r.keys.next(p.text())
	}
	switch m, known := p.media(); {
	case !known || err != nil:
		row.Skip = SkipUnreadable
	case at.Time().Year() <= 1970:
		row.Skip = SkipMark
	default:
		row.Event.Media = []viewing.Media{m}
	}
	return row
}

// text is the item as JSON.
func (p traktItem) text() string {
	text, _ := json.Marshal(p) // it cannot fail
	return string(text)
}

// media is the film, series or episode of an item.
func (p traktItem) media() (m viewing.Media, known bool) {
	switch p.Type {
	case "movie":
		return viewing.Media{Type: viewing.Movie, IDs: p.Movie.ids(), Title: p.Movie.Title, Year: p.Movie.Year}, true
	case "show":
		return viewing.Media{Type: viewing.TV, IDs: p.Show.ids(), Title: p.Show.Title, Year: p.Show.Year}, true
	case "episode":
		m = viewing.Media{Type: viewing.Episode, IDs: p.Episode.ids(), Title: p.Episode.Title}
		m.Show = &viewing.Show{IDs: p.Show.ids(), Title: p.Show.Title, Year: p.Show.Year}
		m.Season, m.Episode = p.Episode.Season, p.Episode.Number
		return m, true
	default:
		return m, false
	}
}

// list gives a list.
func (r *traktReader) list(l traktList) bool {
	list := viewing.List{Name: clean(l.Name), Description: l.Description, Visibility: "PRIVATE"}
	if l.Privacy == "public" {
		list.Visibility = "PUBLIC"
	}
	return r.yield(Row{Key: "list:" + strconv.FormatInt(l.IDs.Trakt, 10), Event: viewing.Event{Kind: viewing.KindList, List: &list}}, nil)
}

// listed gives a film or series of a list. Seasons, episodes and people have no place there.
func (r *traktReader) listed(item traktItem, kind viewing.Kind, list string) bool {
	m, known := item.media()
	if !known || m.Type == viewing.Episode {
		return r.yield(Row{Skip: SkipOther}, nil)
	}
	row := Row{Key: fmt.Sprintf("%s:%s:%d", list, m.Type, item.Movie.IDs.Trakt+item.Show.IDs.Trakt)}
	if item.Movie.IDs.Trakt+item.Show.IDs.Trakt == 0 {
		row.Key = r.keys.next(list, item.text())
	}
	row.Event = viewing.Event{Kind: kind, Media: []viewing.Media{m}}
	if kind == viewing.KindListItem {
		row.Event.InList = list
	}
	return r.yield(row, nil)
}
