// Package transfer reads the history files of other services and programs, and exports the
// diary in formats that they import. The queue decides what happens to a row.
package transfer

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Options are choices of the user that a file does not contain.
type Options struct {
	// DayFirst reports whether 03/04/2026 is the third of April; nil without a choice.
	DayFirst *bool
}

// Skip is the reason why a row is not imported.
type Skip string

// The skip reasons.
const (
	SkipMark       Skip = "mark"       // marked as watched, or watched at an unknown time
	SkipRating     Skip = "rating"     // a rating or a review
	SkipUnfinished Skip = "unfinished" // not watched to the end
	SkipOther      Skip = "other"      // trailers, music, advertisements
	SkipMissing    Skip = "missing"    // the export reports missing data
	SkipUnreadable Skip = "unreadable" // no title, or invalid values
)

// Row is one row of a file.
type Row struct {
	// Key identifies the row, also in a newer file: the play's own id, else a hash of the row's
	// content with the number of equal rows before it. It has at most 150 characters.
	Key string
	// Event is a viewing, a watchlist item, a list, or a list item. Its EventID is not set;
	// InList is the Key of the list's row.
	Event viewing.Event
	// Source is set only in our own export: the original source, with its event id in Key.
	// Otherwise the source is the file.
	Source string
	// Person is the profile or user of the row, in formats with several.
	Person string
	// Skip is set if the row has no event.
	Skip Skip
	// Ambiguous reports that neither the file nor [Options] gives the order of day and month.
	// The time of Event is then meaningless.
	Ambiguous bool
}

// Record is one entry to export.
type Record struct {
	Kind      viewing.Kind
	Media     viewing.Media
	WatchedAt viewing.Instant
	List      *viewing.List // the list of a list item
	Rewatch   bool          // there is an earlier viewing of the same item
	Source    string        // such as "kodi" or "browser"
	EventID   string        // the event id of its source
}

// Format is one file format.
type Format struct {
	// Name is its name in commands and JSON, such as "letterboxd".
	Name string
	// Write writes records: viewings, oldest first, then the watchlist, then the items of one list
	// after the other. It returns how many records it left out because the format cannot
	// represent them. Nil if the format is import-only.
	Write func(io.Writer, iter.Seq2[Record, error]) (left int, err error)

	shapes []shape
}

// shape says how to recognize and read one kind of text of a format. The name of a file is ignored,
// but members of an archive are recognized by their names: other members may be private and stay
// closed.
type shape struct {
	members string           // patterns of member names, in lower case
	columns string           // columns that a table must have, in any order
	json    string           // words that JSON must contain, unless the member name matches
	matches func(*Part) bool // recognizes other texts

	names     string                  // column names, if the first line does not have them
	bare      bool                    // no line with column names, no quotes, separated by tabs
	key       string                  // the columns that identify a row
	learnLine func(*reader, Line)     // called for each line before any row is read
	row       func(*reader, Line) Row // reads a line; a zero Row means none

	learn, read func(*reader, *Part) // like learnLine and row, for a text that is not a table
}

// Formats lists all formats in the order in which Detect tries them.
var Formats = []Format{
	{Name: "trakt", Write: writeTrakt, shapes: []shape{
		{members: "watched-history*.json", json: `"watched_at" "action"`, learn: learnTraktMarks, read: readTraktPlays},
		{members: "lists-watchlist.json", read: readTraktItems},
		{members: "lists-lists.json", read: readTraktLists},
		{members: "lists-list-*.json", read: readTraktItems},
		{members: "ratings-*.json", read: skipAll(SkipRating)},
		{members: "_errors.json", read: skipAll(SkipMissing)},
	}},
	{Name: "jsonl", shapes: []shape{{json: `{"v":1,`, names: "json", bare: true, row: ownRow}}},
	{Name: "letterboxd", Write: writeLetterboxd, shapes: []shape{
		{
			members: "diary.csv watched.csv ratings.csv reviews.csv watchlist.csv", columns: "name,year,letterboxd uri",
			key: "letterboxd uri", row: filmRow,
		},
		{columns: "tmdbid,title,watcheddate", key: "title,year,tmdb,imdb,watched_at", row: filmRow},
		{members: "lists/*.csv", matches: isLetterboxdList, names: "position,title,year,url,description", row: letterboxdListRow},
	}},
	{Name: "simkl", shapes: []shape{
		{members: "simkl*.json", json: `"simkl" "last_watched_at"`, read: readSimkl},
		{members: "simkl*.csv", columns: "title,lastepwatched,watcheddate", key: "type,simkl_id,title,watchlist,watched_at", row: simklRow},
	}},
	{Name: "tvtime", shapes: []shape{
		{members: tvtimeMembers, columns: "key,s_id,season_number,episode_number,created_at", key: tvtimeKey, row: tvtimeRow},
		{members: tvtimeMembers, columns: "type,movie_name,created_at", key: tvtimeKey, learnLine: learnTVTime, row: tvtimeRow},
	}},
	{Name: "imdb", shapes: []shape{{columns: "const,title,title type", key: "imdb", row: imdbRow}}},
	{Name: "tautulli", shapes: []shape{
		{columns: "media_type,title,stopped,watched_status", key: tautulliKey, row: tautulliRow},
		{json: `"watched_status"`, read: readTautulli},
	}},
	{Name: "jellyfin", shapes: []shape{{
		matches: isJellyfin, names: "began,user,item,type,title,method,client,device,played", bare: true,
		key: "began,user,item", learnLine: learnJellyfin, row: jellyfinRow,
	}}},
	{Name: "netflix", shapes: []shape{
		{
			members: "viewingactivity.csv */viewingactivity.csv", columns: "profile name,start time,duration,title",
			key: "profile name,start time,title", learnLine: learnNetflix, row: netflixSittingRow,
		},
		{matches: isNetflixPage, names: "title,watched_at", key: "title,watched_at", learnLine: learnNetflix, row: netflixPageRow},
	}},
	{Name: "csv", Write: writeCSV, shapes: []shape{{columns: "kind,type,title,series_tmdb,watched_at", key: csvColumns, row: csvRow}}},
	{Name: "yamtrack", Write: writeYamtrack, shapes: []shape{{
		columns: "media_id,media_type,season_number,episode_number", key: "tmdb,source,type,season,episode,watched_at", row: yamtrackRow,
	}}},
	{Name: "movary", shapes: []shape{
		{columns: "title,tmdbid,imdbid,watchedat", key: "tmdb,watched_at", row: filmRow},
		{columns: "title,tmdbid,imdbid,addedat", key: "tmdb", row: filmRow},
		{columns: "title,tmdbid,imdbid,userrating", key: "tmdb", row: filmRow},
	}},
}

// Detect returns the format of a file, by its content.
func Detect(f *File) (Format, error) {
	var names []string
	for _, format := range Formats {
		if slices.ContainsFunc(format.shapes, func(s shape) bool { return len(s.partsOf(f)) > 0 }) {
			return format, nil
		}
		names = append(names, format.Name)
	}
	for _, p := range f.parts {
		switch {
		case p.err != nil && !errors.Is(p.err, io.EOF):
			return Format{}, describeError(p.err)
		case strings.Contains(p.Head(), "\x00"):
			return Format{}, viewing.Say("file.binary")
		}
	}
	return Format{}, viewing.Say("file.unknown", "forms", strings.Join(names, ", "))
}

// partsOf returns the parts of a file that have this shape.
func (s shape) partsOf(f *File) (parts []*Part) {
	for _, p := range f.parts {
		matches := func(pattern string) bool { ok, _ := path.Match(pattern, p.Name); return ok }
		named := slices.ContainsFunc(strings.Fields(s.members), matches)
		fits := named
		switch {
		case !named && len(f.parts) > 1:
		case s.matches != nil:
			fits = s.matches(p)
		case s.columns != "":
			fits = p.hasColumns(s.columns)
		case s.json != "":
			fits = named || p.isJSON(s.json)
		}
		if fits {
			parts = append(parts, p)
		}
	}
	return parts
}

// reader reads the rows of one file. After an error it reads and emits nothing more.
type reader struct {
	format string
	yield  func(Row, error) bool
	err    error

	seenKeys map[uint64]struct{} // hashes of the emitted rows
	repeated map[uint64]int      // number of repetitions, by hash

	// Facts learned from the whole file.
	dates   calendar
	numbers map[uint64]int    // counts and lengths, by the hash of their subject
	known   map[string]string // list keys by name, and films by id
}

// errStop stops a reader after the consumer stopped iterating.
var errStop = errors.New("stopped")

// Read returns the rows of a file of this format. The sequence ends with the first error, which
// has the line number.
func (f Format) Read(file *File, o Options) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		r := &reader{
			format: f.Name, yield: yield, seenKeys: map[uint64]struct{}{}, repeated: map[uint64]int{},
			dates: calendar{dayFirst: o.DayFirst}, numbers: map[uint64]int{}, known: map[string]string{},
		}
		for _, learning := range []bool{true, false} {
			for _, s := range f.shapes {
				for _, p := range s.partsOf(file) {
					r.readPart(s, p, learning)
				}
			}
		}
		if r.err != nil && !errors.Is(r.err, errStop) {
			yield(Row{}, describeError(r.err))
		}
	}
}

// readPart reads a part: first to learn facts from the whole text, such as the order of its
// dates, and then to emit its rows.
func (r *reader) readPart(s shape, p *Part, learning bool) {
	switch {
	case s.row != nil:
		r.readTable(s, p, learning)
	case !learning:
		s.read(r, p)
	case s.learn != nil:
		s.learn(r, p)
	}
}

// readTable reads the lines of a table, to learn from them or to emit their rows.
func (r *reader) readTable(s shape, p *Part, learning bool) {
	for line, err := range p.lines(s.names, s.bare) {
		if r.fail(err); r.err != nil {
			return
		}
		if !learning {
			r.readLine(s, line)
		} else if r.fail(r.dates.learnOrder(line)); s.learnLine != nil {
			s.learnLine(r, line)
		}
	}
}

// fail stores the first error.
func (r *reader) fail(err error) { r.err = cmp.Or(r.err, err) }

// readLine emits the row of a line.
func (r *reader) readLine(s shape, line Line) {
	row := s.row(r, line)
	if row.Event.Media == nil && row.Event.List == nil && row.Skip == "" {
		return
	}
	if row.Key == "" && row.Skip == "" {
		var content []string
		for name := range strings.SplitSeq(s.key, ",") {
			content = append(content, line.Get(name))
		}
		row.Key = r.key(content...)
	}
	row.Person = line.Get("person")
	r.emit(row)
}

// emit yields a row. It marks events that the queue would refuse as unreadable.
func (r *reader) emit(row Row) {
	if row.Skip == "" {
		row.Event.Origin.Site = cmp.Or(row.Event.Origin.Site, r.format)
		probe := row.Event
		if probe.EventID = row.Key; probe.Validate() != nil {
			row.Skip = SkipUnreadable
		}
	}
	if r.err == nil && !r.yield(row, nil) {
		r.err = errStop
	}
}
