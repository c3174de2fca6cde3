package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// isJSON reports whether the part is JSON with all these words in its head.
func (p *Part) isJSON(words string) bool {
	head := strings.TrimSpace(p.Head())
	lacks := func(word string) bool { return !strings.Contains(head, word) }
	return head != "" && strings.Contains("{[", head[:1]) && !slices.ContainsFunc(strings.Fields(words), lacks)
}

// decodeObjects decodes the elements of all arrays in a JSON text, and passes each with the key of
// its array ("" for the top level) to do. It skips everything else. Fields of an unexpected type
// stay empty.
func decodeObjects[T any](r *reader, p *Part, do func(key string, value T)) {
	if r.err != nil {
		return
	}
	text, err := p.text()
	if err != nil {
		r.fail(err)
		return
	}
	defer text.Close()
	bound := &recordLimiter{in: text, left: maxRecord}
	decoder, number, depth, key := json.NewDecoder(bound), 1, 0, ""
	decoder.UseNumber()
	for err == nil && depth < maxDepth {
		var token json.Token
		switch token, err = decoder.Token(); token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		default:
			key, _ = token.(string) // the last string before an array is its key
		}
		bound.left = maxRecord
		for token == json.Delim('[') && err == nil && decoder.More() {
			var value T
			err = decoder.Decode(&value)
			if _, typed := errors.AsType[*json.UnmarshalTypeError](err); err == nil || typed {
				do(key, value)
				err, bound.left = r.err, maxRecord
				number++
			}
		}
	}
	switch {
	case errors.Is(err, io.EOF) && depth == 0:
		return
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	case err == nil:
		err = errTooLong()
	}
	r.fail(unreadable("file.entry", number, err))
}

// looseInt is a JSON number that may be written as a string.
type looseInt int64

// UnmarshalJSON parses digits, and sets 0 for anything else.
func (n *looseInt) UnmarshalJSON(raw []byte) error {
	*n = looseInt(numberOrZero(string(bytes.Trim(raw, `"`))))
	return nil
}

// work is a film, series, episode or list in the JSON of Trakt and Simkl.
type work struct {
	Season      *int     `json:"season,omitempty"` // Season and Number belong to an episode
	Number      *int     `json:"number,omitempty"`
	Title       string   `json:"title,omitzero"`
	Year        looseInt `json:"year,omitzero"`
	Name        string   `json:"name,omitzero"` // Name, Description and Privacy belong to a list
	Description *string  `json:"description,omitempty"`
	Privacy     string   `json:"privacy,omitzero"`
	IDs         struct {
		Trakt looseInt `json:"trakt,omitzero"`
		Simkl looseInt `json:"simkl,omitzero"`
		TMDB  looseInt `json:"tmdb,omitzero"`
		IMDB  string   `json:"imdb,omitzero"`
		TVDB  looseInt `json:"tvdb,omitzero"`
		Slug  string   `json:"slug,omitzero"`
	} `json:"ids"`
}

// newWork returns a film or series as a work.
func newWork(title string, year int, ids viewing.IDs) (w work) {
	w.Title, w.Year = title, looseInt(year)
	w.IDs.TMDB, w.IDs.IMDB, w.IDs.TVDB = looseInt(ids.TMDB), ids.IMDB, looseInt(ids.TVDB)
	return w
}

// media returns the work as a film, series or episode.
func (w work) media(kind viewing.MediaType) viewing.Media {
	ids := viewing.IDs{TMDB: int64(w.IDs.TMDB), IMDB: w.IDs.IMDB, TVDB: int64(w.IDs.TVDB)}
	return viewing.Media{Type: kind, Title: clean(w.Title), Year: int(w.Year), IDs: ids, Season: w.Season, Episode: w.Number}
}

// show returns the work as the series of an episode.
func (w work) show() *viewing.Show {
	m := w.media(viewing.TV)
	return &viewing.Show{IDs: m.IDs, Title: m.Title, Year: m.Year}
}

// traktItem is a play or a list item in Trakt's export archive.
type traktItem struct {
	ID        int64  `json:"id,omitzero"`
	WatchedAt string `json:"watched_at,omitzero"`
	Action    string `json:"action,omitzero"` // scrobble, checkin, or watch for a mark
	Type      string `json:"type"`
	Movie     work   `json:"movie,omitzero"`
	Episode   work   `json:"episode,omitzero"`
	Show      work   `json:"show,omitzero"`
}

// media returns the film, series or episode of an item, or zero media for other items.
func (i traktItem) media() (m viewing.Media) {
	switch i.Type {
	case "movie":
		return i.Movie.media(viewing.Movie)
	case "show":
		return i.Show.media(viewing.TV)
	case "episode":
		m = i.Episode.media(viewing.Episode)
		m.Year, m.Show = 0, i.Show.show()
	}
	return m
}

// contentKey returns the key of an item without an id.
func (i traktItem) contentKey(r *reader, list string) string {
	m := i.media()
	return r.key(list, string(m.Type), m.Label(), fmt.Sprint(m.IDs), i.WatchedAt)
}

// minMarked is how many episodes of a series with the same time count as marked and not played. Two
// may be played as one file.
const minMarked = 3

// markKey returns a hash of the series and the time of an episode that may be marked, or 0 if it was
// played.
func (i traktItem) markKey() uint64 {
	if i.Type != "episode" || i.Action != "watch" {
		return 0
	}
	return shortHash(i.WatchedAt + i.Show.Title + i.Show.IDs.IMDB)
}

// learnTraktMarks counts the episodes with the same mark.
func learnTraktMarks(r *reader, p *Part) {
	decodeObjects(r, p, func(_ string, i traktItem) { r.numbers[i.markKey()]++ })
}

// readTraktPlays reads the history. It holds episodes that were marked together, because only the
// user knows when they were watched.
func readTraktPlays(r *reader, p *Part) {
	decodeObjects(r, p, func(_ string, i traktItem) {
		at, err := viewing.ParseInstant(i.WatchedAt)
		row := newViewingRow(i.media(), at)
		if row.Key = strconv.FormatInt(i.ID, 10); i.ID == 0 {
			row.Key = i.contentKey(r, "")
		}
		switch mark := i.markKey(); {
		case err != nil:
			row.Skip = SkipUnreadable
		case at.Time().Year() <= 1970: // unknown time
			row.Skip = SkipMark
		case mark != 0 && r.numbers[mark] >= minMarked:
			row.Event.Class = viewing.ClassBulk
		}
		r.emit(row)
	})
}

// readTraktItems reads the watchlist or a list. It skips seasons, episodes and people.
func readTraktItems(r *reader, p *Part) {
	list := "watchlist"
	if name, isList := strings.CutPrefix(p.Name, "lists-list-"); isList {
		id, _, _ := strings.Cut(strings.TrimSuffix(name, ".json"), "-")
		list = "list:" + id
	}
	decodeObjects(r, p, func(_ string, i traktItem) {
		m, traktID := i.media(), i.Movie.IDs.Trakt+i.Show.IDs.Trakt
		row := newRow(viewing.KindWatchlist, m)
		if list != "watchlist" {
			row.Event.Kind, row.Event.InList = viewing.KindListItem, list
		}
		switch {
		case m.Type != viewing.Movie && m.Type != viewing.TV:
			row.Skip = SkipOther
		case traktID == 0:
			row.Key = i.contentKey(r, list)
		default:
			row.Key = fmt.Sprintf("%s:%s:%d", list, m.Type, traktID)
		}
		r.emit(row)
	})
}

// readTraktLists reads the names and settings of the lists.
func readTraktLists(r *reader, p *Part) {
	decodeObjects(r, p, func(_ string, l work) {
		list := viewing.List{Name: l.Name, Description: *cmp.Or(l.Description, new(string)), Visibility: "PRIVATE"}
		if l.Privacy == "public" {
			list.Visibility = "PUBLIC"
		}
		r.emit(listRow(fmt.Sprint("list:", l.IDs.Trakt), list))
	})
}

// skipAll returns a reader that emits all objects with the same skip reason.
func skipAll(why Skip) func(*reader, *Part) {
	return func(r *reader, p *Part) {
		decodeObjects(r, p, func(string, any) { r.emit(Row{Skip: why}) })
	}
}

// simklEntry is one work in a backup of Simkl: its last viewing, and that of each episode.
type simklEntry struct {
	Status        string `json:"status"`
	LastWatchedAt string `json:"last_watched_at"`
	AnimeType     string `json:"anime_type"`
	Movie         work   `json:"movie"`
	Show          work   `json:"show"`
	Seasons       []struct {
		Number   looseInt `json:"number"`
		Episodes []struct {
			Number    looseInt `json:"number"`
			WatchedAt string   `json:"watched_at"`
		} `json:"episodes"`
	} `json:"seasons"`
}

// readSimkl reads a backup of Simkl.
func readSimkl(r *reader, p *Part) {
	decodeObjects(r, p, func(group string, e simklEntry) {
		w, kind := e.Show, viewing.TV
		switch {
		case group == "movies":
			w, kind = e.Movie, viewing.Movie
		case e.AnimeType == "movie":
			kind = viewing.Movie
		case e.Status != "plantowatch" && len(e.Seasons) > 0:
			r.simklEpisodes(e, group == "anime")
			return
		}
		row := r.simklWork(w.media(kind), e.Status, e.LastWatchedAt)
		row.Key = r.key(string(kind), fmt.Sprint(w.IDs.Simkl), w.Title, e.Status, e.LastWatchedAt)
		r.emit(row)
	})
}

// simklEpisodes emits the episodes of a series. Simkl's numbering differs from TMDB's, so the series
// gets no TMDB id. An anime entry covers a single season, so its series gets no id at all.
func (r *reader) simklEpisodes(e simklEntry, anime bool) {
	id := strconv.Itoa(int(e.Show.IDs.Simkl))
	for _, season := range e.Seasons {
		for _, episode := range season.Episodes {
			show, inSeason, n := e.Show.show(), int(season.Number), int(episode.Number)
			if show.IDs.TMDB = 0; anime {
				show.IDs = viewing.IDs{}
			}
			row := r.viewingRow(viewing.Media{
				Type: viewing.Episode, Show: show, Season: &inSeason, Episode: &n,
				Site: &viewing.Site{Name: "simkl", Series: id, Numbering: viewing.SiteNumbering},
			}, episode.WatchedAt)
			row.Key = r.key("episode", id, strconv.Itoa(inSeason), strconv.Itoa(n), episode.WatchedAt)
			r.emit(row)
		}
	}
}

// simklWork returns the row of a film or a series: a viewing, a watchlist item or a skipped mark.
func (r *reader) simklWork(m viewing.Media, status, watched string) Row {
	if m.Type == viewing.Movie {
		m.IDs.TVDB = 0 // services cannot look up films by it
	}
	row := r.viewingRow(m, watched)
	switch {
	case status == "plantowatch":
		row = newRow(viewing.KindWatchlist, m)
	case m.Type != viewing.Movie || status != "completed":
		row.Skip = SkipMark
	}
	return row
}

// ownLine is one line of our own JSONL export, as package queue writes it: one event with its entries.
type ownLine struct {
	Source  string        `json:"source"`
	EventID string        `json:"eventId"`
	Event   viewing.Event `json:"event"`
	Entries []struct {
		State     viewing.State  `json:"state"`
		Account   string         `json:"account"`
		Media     *viewing.Media `json:"media"`
		WatchedAt time.Time      `json:"watchedAt"`
	} `json:"entries"`
}

// ownRow reads one line of our own export. The row keeps its source, so that the queue recognizes
// events that it already has.
func ownRow(r *reader, line Line) Row {
	var l ownLine
	if err := json.NewDecoder(strings.NewReader(line.Fields[0])).Decode(&l); err != nil {
		r.fail(unreadable("file.line", line.Number, err))
		return Row{}
	}
	return l.row()
}

// row returns the event with the state of its entries in the first account. It skips events that
// were dropped or merged.
func (l ownLine) row() Row {
	row := Row{Key: l.EventID, Source: l.Source, Event: l.Event}
	row.Event.EventID, row.Event.Media = "", slices.Clone(l.Event.Media)
	if kind := viewing.SourceKind(l.Source); !slices.Contains(viewing.Sources(), kind) {
		row.Source, row.Key = "", kind+":"+l.EventID
	}
	kept, sent, n := false, false, 0
	for _, e := range l.Entries {
		if e.Account != l.Entries[0].Account {
			continue
		}
		if e.Media != nil && n < len(row.Event.Media) {
			row.Event.Media[n] = *e.Media
		}
		n++
		alive := e.State != viewing.StateDropped && e.State != viewing.StateMerged
		kept, sent = kept || alive, sent || alive && e.State != viewing.StateHeld && e.State != viewing.StateRejected
	}
	if !kept {
		row.Skip = SkipOther
		return row
	}
	if at := l.Entries[0].WatchedAt; l.Event.Kind == viewing.KindViewing && at.UnixMilli() != l.Event.WatchedAt.Millis {
		row.Event.WatchedAt = viewing.At(at)
	}
	if sent { // the user or a rule released it
		row.Event.Class, row.Event.Unsure = viewing.ClassImport, false
	}
	return row
}
