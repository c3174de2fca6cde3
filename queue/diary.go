package queue

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// This file holds what the diary shows and is searched by: titles of items that an entry
// knows by number alone, the words of a search, and the numbers of a year.

// Title is what an item is called, and what else TMDB tells of it.
type Title struct {
	Key     string // "movie:603", "tv:1396" or "episode:1396:1:2"
	Title   string
	Year    int
	Minutes int    // 0 when it is not known
	Poster  string // the path of its picture at TMDB; "" where it has none
}

// titlesOf returns what an item says of its own title, and of that of its series.
func titlesOf(m *viewing.Media) (all []Title) {
	if m == nil {
		return nil
	}
	work, episode := titleKeys(*m)
	add := func(key, name string, year int) {
		if key != "" && name != "" {
			all = append(all, Title{Key: key, Title: name, Year: year})
		}
	}
	if m.Type != viewing.Episode {
		add(work, m.Title, m.Year)
		return all
	}
	if m.Show != nil {
		add(work, m.Show.Title, m.Show.Year)
	}
	add(episode, m.Title, 0)
	return all
}

// titleKeys returns the keys of a film or series, and of an episode: "movie:603",
// "tv:1396" and "episode:1396:1:2". A key is "" without a number of TMDB.
func titleKeys(m viewing.Media) (work, episode string) {
	switch {
	case m.Type != viewing.Episode:
		return m.Key(), ""
	case m.Show == nil || m.Show.IDs.TMDB == 0:
		return "", ""
	default:
		return fmt.Sprint("tv:", m.Show.IDs.TMDB), m.Key()
	}
}

// entitle gives an item the titles that it lacks. It changes no item, but returns another.
func entitle(m *viewing.Media, titles map[string]Title) *viewing.Media {
	work, episode := titleKeys(*m)
	full := *m
	if m.Type != viewing.Episode {
		full.Title, full.Year = cmp.Or(m.Title, titles[work].Title), cmp.Or(m.Year, titles[work].Year)
		return &full
	}
	if m.Show != nil {
		show := *m.Show
		show.Title, show.Year = cmp.Or(show.Title, titles[work].Title), cmp.Or(show.Year, titles[work].Year)
		full.Show = &show
	}
	full.Title = cmp.Or(m.Title, titles[episode].Title)
	return &full
}

// lacksTitle reports whether another entry may know more of a title.
func lacksTitle(m *viewing.Media) bool {
	if m == nil {
		return false
	}
	work, episode := titleKeys(*m)
	switch {
	case work == "":
		return false
	case m.Type != viewing.Episode:
		return m.Title == "" || m.Year == 0
	default:
		return m.Show.Title == "" || m.Title == "" && episode != ""
	}
}

const selectTitles = "SELECT key, title, coalesce(year, 0) FROM titles WHERE key IN (SELECT value FROM json_each(?))"

func scanTitle(r *sql.Rows) (t Title, err error) {
	err = r.Scan(&t.Key, &t.Title, &t.Year)
	return t, err
}

// Entitle gives entries the titles that they lack and that any other entry knows, for
// people to read. What is sent goes by numbers.
func (s *Store) Entitle(ctx context.Context, entries []Entry) error {
	var keys []string
	for _, e := range entries {
		if lacksTitle(e.Media) {
			work, episode := titleKeys(*e.Media)
			keys = append(keys, work, episode)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	found, err := read(ctx, s, "read titles", scanTitle, selectTitles, jsonArray(keys))
	if err != nil {
		return err
	}
	titles := map[string]Title{}
	for _, t := range found {
		titles[t.Key] = t
	}
	for i, e := range entries {
		if lacksTitle(e.Media) {
			entries[i].Media = entitle(e.Media, titles)
		}
	}
	return nil
}

// Learn keeps what TMDB tells of items. A title that another entry has told stays.
func (s *Store) Learn(ctx context.Context, all []Title) error {
	return s.write(ctx, "keep titles", func(t *tx) error {
		if err := t.keepTitles(all, false); err != nil {
			return err
		}
		for _, one := range all {
			_, err := t.Exec("UPDATE titles SET minutes = nullif(?2, 0), poster = ?3 WHERE key = ?1", one.Key, one.Minutes, one.Poster)
			if err == nil && one.Minutes > 0 {
				_, err = t.Exec("UPDATE entries SET minutes = ?2 WHERE item_key <> '' AND item_key = ?1 AND minutes IS NULL", one.Key, one.Minutes)
			}
			if err != nil {
				return err
			}
		}
		t.nudge = true
		return nil
	})
}

// Poster returns the path of the picture of a film or series at TMDB, "" where it has none.
// known is false before [Store.Learn] was told of it.
func (s *Store) Poster(ctx context.Context, key string) (path string, known bool, err error) {
	found, err := read(ctx, s, "read poster", sqlite.Scan[string], "SELECT poster FROM titles WHERE key = ? AND poster IS NOT NULL", key)
	if len(found) == 0 {
		return "", false, err
	}
	return found[0], true, err
}

// addWords adds to what the entries of a range of items are found by.
const addWords = "UPDATE entries SET words = words || ?1 WHERE item_key <> '' AND item_key >= ?2 AND item_key < ?3"

// keepTitles stores titles; one that a person has chosen replaces another, and a year that
// is not known yet is added. What is known of the same numbers is found by them from then on.
func (t *tx) keepTitles(titles []Title, chosen bool) error {
	for _, one := range titles {
		if year, told := t.titles[one.Key]; told && !chosen && (year > 0 || one.Year == 0) {
			continue
		}
		n, err := t.Affect(`INSERT INTO titles (key, title, year) VALUES (?1, ?2, nullif(?3, 0)) ON CONFLICT (key)
			DO UPDATE SET title = iif(?4, ?2, title), year = iif(?4, nullif(?3, 0), coalesce(year, nullif(?3, 0)))
			WHERE ?4 AND (title <> ?2 OR year IS NOT nullif(?3, 0)) OR year IS NULL AND ?3 > 0`, one.Key, one.Title, one.Year, chosen)
		if err != nil {
			return err
		}
		if t.titles[one.Key] = max(t.titles[one.Key], one.Year); chosen {
			delete(t.titles, one.Key)
		}
		if n == 0 {
			continue
		}
		from, to := one.Key, one.Key+"\x01" // what begins with another digit is not between them
		if number, series := strings.CutPrefix(one.Key, "tv:"); series {
			from, to = "episode:"+number+":", "episode:"+number+";"
		}
		_, err = t.Exec(addWords, searchable(one.Title, one.Year), from, to)
		if err != nil {
			return err
		}
	}
	return nil
}

// reported tells whether a title is the one that the source of an entry reported.
func reported(e Entry, title string) bool {
	was := e.AsReported()
	return e.Reported != nil && (was.Title == title || was.Show != nil && was.Show.Title == title)
}

// learn keeps the titles that an entry tells, and returns the words that it is found by,
// also those that others tell of its number.
func (t *tx) learn(e Entry) (words string, err error) {
	for _, one := range titlesOf(e.Media) {
		chosen := e.Touched == entry.Edited && !reported(e, one.Title)
		if err := t.keepTitles([]Title{one}, chosen); err != nil {
			return "", err
		}
	}
	if lacksTitle(e.Media) {
		work, episode := titleKeys(*e.Media)
		found, err := sqlite.All(t.Tx, scanTitle, selectTitles, jsonArray([]string{work, episode}))
		if err != nil {
			return "", err
		}
		titles := map[string]Title{}
		for _, one := range found {
			titles[one.Key] = one
		}
		e.Media = entitle(e.Media, titles)
	}
	return wordsOf(e), nil
}

// wordsOf returns the words that an entry is found by: titles, year, numbers, "S01E02", the
// name of a list.
func wordsOf(e Entry) string {
	var parts []any
	if e.List != nil {
		parts = append(parts, e.List.Name)
	}
	if m := e.Media; m != nil {
		parts = append(parts, m.Title, m.Year, m.IDs.TMDB, m.IDs.IMDB)
		if m.Show != nil {
			parts = append(parts, m.Show.Title, m.Show.Year, m.Show.IDs.TMDB, m.Show.IDs.IMDB)
		}
		if m.Season != nil && m.Episode != nil {
			parts = append(parts, fmt.Sprintf("S%02dE%02d", *m.Season, *m.Episode))
		}
	}
	return searchable(parts...)
}

// searchable folds texts and numbers: lower case, without accents and signs, each word
// after a blank. Zero is no number.
func searchable(parts ...any) string {
	var words strings.Builder
	for _, part := range parts {
		text := fmt.Sprint(part)
		if text == "0" {
			continue
		}
		for word := range strings.FieldsSeq(folded(text)) {
			words.WriteByte(' ')
			words.WriteString(word)
		}
	}
	return words.String()
}

// folded folds a text. A mark goes only after a Latin or Greek letter: in other scripts it
// makes another letter. An apostrophe joins.
func folded(text string) string {
	accents := false
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			accents = unicode.In(r, unicode.Latin, unicode.Greek)
			return unicode.ToLower(r)
		case unicode.IsMark(r) && !accents:
			return r
		case unicode.IsMark(r) || r == '\'' || r == '’':
			return -1
		default:
			return ' '
		}
	}, norm.NFKD.String(strings.ReplaceAll(text, "ß", "ss")))
}

// rootOf returns the film or series of a viewing, by number or else by title; NULL where
// it counts for nothing in the statistics.
func rootOf(e Entry) sql.NullString {
	if !e.Counted() || e.Media == nil {
		return sql.NullString{}
	}
	root := "movie:" + cmp.Or(idText(e.Media.IDs.TMDB), e.Media.Title)
	if e.Media.Type == viewing.Episode {
		show := viewing.Show{}
		if e.Media.Show != nil {
			show = *e.Media.Show
		}
		root = "tv:" + cmp.Or(idText(show.IDs.TMDB), show.Title, e.Media.Title)
	}
	return sql.NullString{String: root, Valid: true}
}

// idText writes an identifier; "" for none.
func idText(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

// ranked is how many series, films and sources a year names.
const ranked = 10

// Year returns what was watched in a year, by days of a location. Its cost grows with the
// viewings of that year alone.
func (s *Store) Year(ctx context.Context, year int, in *time.Location) (y entry.Year, err error) {
	y.Year = year
	january, end := time.Date(year, 1, 1, 0, 0, 0, 0, in), time.Date(year+1, 1, 1, 0, 0, 0, 0, in)
	for _, bound := range []struct {
		order string
		year  *int
	}{{"ASC", &y.First}, {"DESC", &y.Last}} {
		at, found, err := s.readTime(ctx, "find a year", "SELECT watched_at FROM entries WHERE root IS NOT NULL ORDER BY watched_at "+bound.order+" LIMIT 1")
		if err != nil {
			return y, err
		}
		if found {
			*bound.year = at.In(in).Year()
		}
	}
	for begin := january; begin.Before(end); { // by parts without a change of the clocks
		_, offset := begin.Zone()
		next := end
		if _, change := begin.ZoneBounds(); !change.IsZero() && change.Before(end) {
			next = change
		}
		days, err := s.days(ctx, begin, next, offset)
		if err != nil {
			return y, err
		}
		for _, d := range days {
			if n := len(y.Days); n > 0 && y.Days[n-1].Date.Equal(d.Date) { // the clocks changed on that day
				y.Days[n-1].Add(d.Watched)
			} else {
				y.Days = append(y.Days, d)
			}
			y.Months[d.Date.Month()-1].Add(d.Watched)
			y.Sum.Add(d.Watched)
		}
		begin = next
	}
	span := []any{january.UnixMilli(), end.UnixMilli()}
	const inSpan = " FROM entries WHERE root IS NOT NULL AND watched_at >= ?1 AND watched_at < ?2"
	scanRank := func(r *sql.Rows) (one entry.Ranked, err error) {
		err = r.Scan(&one.Name, &one.Entry, &one.N)
		return one, err
	}
	for _, list := range []struct {
		to    *[]entry.Ranked
		query string
	}{
		{&y.Series, "SELECT root, max(id), count(*)" + inSpan + " AND root > 'tv:' AND root < 'tv;' GROUP BY root"},
		{&y.Films, "SELECT root, max(id), count(*)" + inSpan + " AND root > 'movie:' AND root < 'movie;' GROUP BY root HAVING count(*) > 1"},
		{&y.BySource, "SELECT v.source, 0, count(*) FROM (SELECT event" + inSpan + ") AS n JOIN events AS v ON v.id = n.event GROUP BY v.source"},
	} {
		if *list.to, err = read(ctx, s, "rank a year", scanRank, list.query+" ORDER BY 3 DESC, 1 LIMIT ?3", append(span, ranked)...); err != nil {
			return y, err
		}
	}
	return y, s.nameRanked(ctx, y.Series, y.Films)
}

// days counts the viewings of each day between two instants, at one offset of the clock in
// seconds.
func (s *Store) days(ctx context.Context, begin, end time.Time, offset int) ([]entry.Day, error) {
	const day = 24 * 60 * 60 * 1000
	return read(ctx, s, "count days", func(r *sql.Rows) (d entry.Day, err error) {
		var number int64
		err = r.Scan(&number, &d.Films, &d.Episodes, &d.Minutes, &d.Measured)
		at := time.UnixMilli(number * day).UTC()
		d.Date = time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, begin.Location())
		return d, err
	}, `SELECT (watched_at + ?3) / ?4 AS day, sum(root < 'tv:'), sum(root > 'tv:'), coalesce(sum(minutes), 0), count(minutes) FROM entries
		WHERE root IS NOT NULL AND watched_at >= ?1 AND watched_at < ?2 GROUP BY day ORDER BY day`,
		begin.UnixMilli(), end.UnixMilli(), offset*1000, day)
}

// nameRanked replaces the keys of series and films by their titles.
func (s *Store) nameRanked(ctx context.Context, lists ...[]entry.Ranked) error {
	var ids []int64
	for _, list := range lists {
		for _, one := range list {
			ids = append(ids, one.Entry)
		}
	}
	entries, err := read(ctx, s, "read ranked", scanEntry,
		"SELECT "+entryColumns+" FROM entries AS n JOIN events AS v ON v.id = n.event WHERE n.id IN (SELECT value FROM json_each(?))", jsonArray(ids))
	if err != nil {
		return err
	}
	if err := s.Entitle(ctx, entries); err != nil {
		return err
	}
	for _, list := range lists {
		for i, one := range list {
			at := slices.IndexFunc(entries, func(e Entry) bool { return e.ID == one.Entry })
			if at < 0 {
				continue
			}
			work := *entries[at].Media
			work.Season, work.Episode = nil, nil
			list[i].Name, list[i].Media = work.Label(), &work
		}
	}
	return nil
}
