package queue

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// This file holds what the diary needs: titles of items whose entries only have a number,
// the search, and the statistics of a year.

// Title is the title of an item, with what else TMDB says about it.
type Title struct {
	Key     string // "movie:603", "tv:1396" or "episode:1396:1:2"
	Title   string
	Year    int
	Minutes int    // 0 if unknown
	Poster  string // the path of its picture at TMDB; "" if none exists
}

// titleField is a title within an item: the one of a film or series, and for an episode the one
// of its series and its own.
type titleField struct {
	key   string // the [Title.Key]; "" without a TMDB id
	title *string
	year  *int
}

// titleFields returns the titles within an item.
func titleFields(m *viewing.Media) []titleField {
	switch {
	case m == nil || m.Type == viewing.Episode && (m.Show == nil || m.Show.IDs.TMDB == 0):
		return nil
	case m.Type == viewing.Episode:
		return []titleField{{fmt.Sprint("tv:", m.Show.IDs.TMDB), &m.Show.Title, &m.Show.Year}, {m.Key(), &m.Title, new(int)}}
	default:
		return []titleField{{m.Key(), &m.Title, &m.Year}}
	}
}

// missingTitles returns the keys of the titles that an item lacks and another entry may have.
func missingTitles(m *viewing.Media) (keys []string) {
	for _, n := range titleFields(m) {
		if n.key != "" && (*n.title == "" || *n.year == 0 && m.Type != viewing.Episode) {
			keys = append(keys, n.key)
		}
	}
	return keys
}

// selectTitles selects titles by key.
const selectTitles = "SELECT key, title, coalesce(year, 0) FROM titles WHERE key IN (SELECT value FROM json_each(?))"

// titles are titles by key.
type titles map[string]Title

// scan adds a row of [selectTitles].
func (all titles) scan(r *sql.Rows) (struct{}, error) {
	var t Title
	err := r.Scan(&t.Key, &t.Title, &t.Year)
	all[t.Key] = t
	return struct{}{}, err
}

// fill returns a copy of an item with the missing titles added.
func (all titles) fill(m *viewing.Media) *viewing.Media {
	full := *m
	if m.Show != nil {
		show := *m.Show
		full.Show = &show
	}
	for _, n := range titleFields(&full) {
		*n.title, *n.year = cmp.Or(*n.title, all[n.key].Title), cmp.Or(*n.year, all[n.key].Year)
	}
	return &full
}

// FillTitles adds missing titles to entries, from other entries and TMDB, for people to read. The
// service identifies items by number.
func (s *Store) FillTitles(ctx context.Context, entries []Entry) error {
	var keys []string
	for _, e := range entries {
		keys = append(keys, missingTitles(e.Media)...)
	}
	if len(keys) == 0 {
		return nil
	}
	known := titles{}
	if _, err := read(ctx, s, "read titles", known.scan, selectTitles, asJSON{keys}); err != nil {
		return err
	}
	for i, e := range entries {
		if len(missingTitles(e.Media)) > 0 {
			entries[i].Media = known.fill(e.Media)
		}
	}
	return nil
}

// SaveTitles stores what TMDB returned about items. A title that another entry has reported is
// kept.
func (s *Store) SaveTitles(ctx context.Context, all []Title) error {
	return s.write(ctx, "keep titles", func(t *tx) error {
		for _, one := range all {
			t.saveTitle(one, false)
			t.exec("UPDATE titles SET minutes = nullif(?2, 0), poster = ?3 WHERE key = ?1", one.Key, one.Minutes, one.Poster)
			if one.Minutes > 0 {
				t.exec("UPDATE entries SET minutes = ?2 WHERE item_key <> '' AND item_key = ?1 AND minutes IS NULL", one.Key, one.Minutes)
			}
		}
		t.nudge = true
		return nil
	})
}

// Poster returns the path of the picture of a film or series at TMDB; "" if none exists. known
// is false if TMDB was not asked yet.
func (s *Store) Poster(ctx context.Context, key string) (path string, known bool, err error) {
	found, err := read(ctx, s, "read poster", sqlite.Scan[string], "SELECT poster FROM titles WHERE key = ? AND poster IS NOT NULL", key)
	if len(found) == 0 {
		return "", false, err
	}
	return found[0], true, err
}

// addWords adds search words to the entries of a range of items.
const addWords = "UPDATE entries SET words = words || ?1 WHERE item_key <> '' AND item_key >= ?2 AND item_key < ?3"

// saveTitle stores a title. A chosen title, one that a person has entered, replaces another;
// otherwise only a missing year is added. The words of the title are added to the search words of
// the entries with its key.
func (t *tx) saveTitle(one Title, chosen bool) {
	if year, known := t.titles[one.Key]; known && !chosen && (year > 0 || one.Year == 0) {
		return
	}
	n := t.exec(`INSERT INTO titles (key, title, year) VALUES (?1, ?2, nullif(?3, 0)) ON CONFLICT (key)
		DO UPDATE SET title = iif(?4, ?2, title), year = iif(?4, nullif(?3, 0), coalesce(year, nullif(?3, 0)))
		WHERE ?4 AND (title <> ?2 OR year IS NOT nullif(?3, 0)) OR year IS NULL AND ?3 > 0`, one.Key, one.Title, one.Year, chosen)
	if t.titles[one.Key] = max(t.titles[one.Key], one.Year); chosen {
		delete(t.titles, one.Key)
	}
	if n == 0 {
		return
	}
	from, to := one.Key, one.Key+"\x01" // this key only, no longer number
	if number, series := strings.CutPrefix(one.Key, "tv:"); series {
		from, to = "episode:"+number+":", "episode:"+number+";"
	}
	t.exec(addWords, foldWords(one.Title, one.Year), from, to)
}

// isReportedTitle reports whether the source of an entry reported this title.
func isReportedTitle(e Entry, title string) bool {
	was := e.AsReported()
	return e.Reported != nil && (was.Title == title || was.Show != nil && was.Show.Title == title)
}

// saveTitles stores the titles of an entry, and returns its search words, including those of
// titles that other entries have for its number.
func (t *tx) saveTitles(e Entry) (words string) {
	for _, n := range titleFields(e.Media) {
		if n.key != "" && *n.title != "" {
			chosen := e.Touched == entry.Edited && !isReportedTitle(e, *n.title)
			t.saveTitle(Title{Key: n.key, Title: *n.title, Year: *n.year}, chosen)
		}
	}
	if keys := missingTitles(e.Media); len(keys) > 0 {
		known := titles{}
		selectRows(t, known.scan, selectTitles, asJSON{keys})
		e.Media = known.fill(e.Media)
	}
	return searchWords(e)
}

// searchWords returns what an entry is found by: titles, years, numbers, "S01E02", the name of a
// list.
func searchWords(e Entry) string {
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
	return foldWords(parts...)
}

// foldWords returns the words of texts and numbers, each after a blank, in lower case and without
// accents or punctuation. A zero is left out.
func foldWords(parts ...any) string {
	var words strings.Builder
	for _, part := range parts {
		text := fmt.Sprint(part)
		if text == "0" {
			continue
		}
		for word := range strings.FieldsSeq(resolve.Words(text)) {
			words.WriteByte(' ')
			words.WriteString(word)
		}
	}
	return words.String()
}

// rootOf returns the key of the film or series of a viewing, by number or else by title; NULL if
// it does not count in the statistics.
func rootOf(e Entry) (root sql.NullString) {
	m := e.Media
	switch root.Valid = e.Counted() && m != nil; {
	case !root.Valid:
	case m.Type != viewing.Episode:
		root.String = cmp.Or(m.Key(), "movie:"+m.Title)
	case m.Show == nil:
		root.String = "tv:" + m.Title
	case m.Show.IDs.TMDB == 0:
		root.String = "tv:" + cmp.Or(m.Show.Title, m.Title)
	default:
		root.String = fmt.Sprint("tv:", m.Show.IDs.TMDB)
	}
	return root
}

// Days counts the viewings of n days from begin on, and returns the days that have any. The cost
// depends on the number of these viewings only.
func (s *Store) Days(ctx context.Context, begin time.Time, n int) ([]entry.Day, error) {
	spans, days := make([][2]int64, n), []entry.Day{}
	for i := range spans {
		spans[i] = [2]int64{begin.AddDate(0, 0, i).UnixMilli(), begin.AddDate(0, 0, i+1).UnixMilli()}
	}
	_, err := read(ctx, s, "count days", func(r *sql.Rows) (struct{}, error) {
		var day int
		var counted *[4]int
		err := r.Scan(&day, fromJSON{&counted})
		if counted != nil {
			days = append(days, entry.Day{Date: begin.AddDate(0, 0, day), Watched: entry.Watched{
				Films: counted[0], Episodes: counted[1], Minutes: counted[2], Measured: counted[3],
			}})
		}
		return struct{}{}, err
	}, `SELECT key, (SELECT iif(count(*), json_array(sum(root < 'tv:'), sum(root > 'tv:'), coalesce(sum(minutes), 0), count(minutes)), NULL)
		FROM (SELECT root, minutes FROM entries AS n WHERE n.root IS NOT NULL AND watched_at >= value ->> 0 AND watched_at < value ->> 1))
		FROM json_each(?)`, asJSON{spans})
	return days, err
}

// inYear selects the viewings from ?1 to before ?2.
const inYear = " FROM entries WHERE root IS NOT NULL AND watched_at >= ?1 AND watched_at < ?2"

// Year returns the statistics of a year, with days in a time zone. The cost depends on the number
// of viewings of that year only.
func (s *Store) Year(ctx context.Context, year int, in *time.Location) (y entry.Year, err error) {
	january := time.Date(year, 1, 1, 0, 0, 0, 0, in)
	next := january.AddDate(1, 0, 0)
	y.Year = year
	var parts errgroup.Group // the queries run in parallel
	parts.Go(func() error {
		_, err := read(ctx, s, "find years", func(r *sql.Rows) (struct{}, error) {
			var first, last sql.NullInt64
			err := r.Scan(&first, &last)
			if first.Valid {
				y.First, y.Last = millis(first.Int64).In(in).Year(), millis(last.Int64).In(in).Year()
			}
			return struct{}{}, err
		}, "SELECT (SELECT min(watched_at) FROM entries WHERE root IS NOT NULL), (SELECT max(watched_at) FROM entries WHERE root IS NOT NULL)")
		return err
	})
	parts.Go(func() (err error) {
		y.Days, err = s.Days(ctx, january, next.AddDate(0, 0, -1).YearDay())
		for _, d := range y.Days {
			y.Months[d.Date.Month()-1].Add(d.Watched)
			y.Sum.Add(d.Watched)
		}
		return err
	})
	parts.Go(func() (err error) { y.Series, err = s.ranked(ctx, january, next, "root > 'tv:'", 1); return err })
	parts.Go(func() (err error) { y.Films, err = s.ranked(ctx, january, next, "root < 'tv:'", 2); return err })
	parts.Go(func() (err error) {
		y.BySource, err = read(ctx, s, "rank sources", func(r *sql.Rows) (one entry.Ranked, err error) {
			err = r.Scan(&one.Name, &one.N)
			return one, err
		}, "SELECT v.source, count(*) FROM (SELECT event"+inYear+") AS n JOIN events AS v ON v.id = n.event GROUP BY v.source ORDER BY 2 DESC, 1 LIMIT ?3",
			january.UnixMilli(), next.UnixMilli(), mostRanked)
		return err
	})
	err = parts.Wait()
	return y, err
}

// mostRanked is the length of the lists of series, films and sources in a year.
const mostRanked = 10

// ranked returns the films or series watched most often, at least least times, with their titles.
func (s *Store) ranked(ctx context.Context, begin, end time.Time, which string, least int) (all []entry.Ranked, err error) {
	var entries []Entry
	all, err = read(ctx, s, "rank a year", func(r *sql.Rows) (one entry.Ranked, err error) {
		e, err := scanEntryWith(r, &one.N)
		entries, one.Entry = append(entries, e), e.ID
		return one, err
	}, "SELECT "+entryColumns+", most.n FROM (SELECT max(id) AS id, count(*) AS n, root"+inYear+" AND "+which+` GROUP BY root HAVING count(*) >= ?3
		ORDER BY 2 DESC, 3 LIMIT ?4) AS most JOIN entries AS n ON n.id = most.id JOIN events AS v ON v.id = n.event ORDER BY most.n DESC, most.root`,
		begin.UnixMilli(), end.UnixMilli(), least, mostRanked)
	if err == nil {
		err = s.FillTitles(ctx, entries)
	}
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		work := *e.Media
		work.Season, work.Episode = nil, nil
		all[i].Name, all[i].Media = work.Label(), &work
	}
	return all, nil
}
