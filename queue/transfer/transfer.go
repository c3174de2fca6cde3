// Package transfer reads the history files of other services and programs, and writes the
// diary in forms that they read. It knows files only: what becomes of a row is up to the
// queue.
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

// Options are what a file cannot tell and a person was asked.
type Options struct {
	// DayFirst says whether 03/04/2026 is the third of April; nil if the person has not said.
	DayFirst *bool
}

// Skip is why a row is not imported.
type Skip string

// The rows that say nothing of one viewing.
const (
	SkipMark       Skip = "mark"       // watched at an unknown time, or only marked so
	SkipRating     Skip = "rating"     // a rating or a review
	SkipUnfinished Skip = "unfinished" // the player says that it was left early
	SkipOther      Skip = "other"      // trailers, music, advertisements
	SkipMissing    Skip = "missing"    // the file says that something is missing in it
	SkipUnreadable Skip = "unreadable" // it lacks a title, or its values cannot be right
)

// Row is one row of a file.
type Row struct {
	// Key is the same for the same row of a newer file: the play's own id, else a hash of
	// the row's content and of how many equal ones come before it. It has at most 150
	// characters.
	Key string
	// Event is a viewing, an item for the watchlist, a list, or an item of one. Its EventID is not
	// set; InList is the Key of the list's row.
	Event viewing.Event
	// Source is the source that reported it, and Key its own event id: set by our own export
	// alone. Else the source is the file.
	Source string
	// Person is whose row it is, such as a profile, where a file can hold those of several.
	Person string
	// Skip is set where the row is no event.
	Skip Skip
	// Ambiguous says that the order of day and month is not known, from the whole file, and
	// [Options] does not tell it. The time of Event means nothing then.
	Ambiguous bool
}

// Record is one entry to write.
type Record struct {
	Kind      viewing.Kind
	Media     viewing.Media
	WatchedAt viewing.Instant
	List      *viewing.List // of an item of one
	Rewatch   bool          // an earlier viewing of the same item is known
	Source    string        // such as "kodi" or "browser"
	EventID   string        // what its source calls it
}

// Format is one form of file.
type Format struct {
	// Name is the form in commands and JSON, such as "letterboxd".
	Name string
	// Write writes entries: viewings, the oldest first, then the watchlist, then the items of
	// lists, one list after the other. It reports how many it left out, because the form cannot
	// hold them. Nil where the form is only read.
	Write func(io.Writer, iter.Seq2[Record, error]) (left int, err error)

	shapes []shape
}

// shape is how a text of a format looks, and how it is read. The name of a file is no evidence,
// but that of an archive's member is: other members may be private, and are not looked into.
type shape struct {
	members string           // patterns of names in an archive, in lower case
	columns string           // of a table that has these, in any order
	json    string           // words that are in a text of JSON, unless its name tells it
	matches func(*Part) bool // else what tells the text

	names     string                  // of its columns, where its first line does not say so
	bare      bool                    // it has no first line and no quotes, and tabs between its fields
	key       string                  // the columns that tell rows apart
	learnLine func(*reader, Line)     // looks at each line before any is read
	row       func(*reader, Line) Row // reads a line; the zero Row stands for none

	learn, read func(*reader, *Part) // the same of what is no table
}

// Formats are all forms of file, in the order in which a file is tried.
var Formats = []Format{
	{Name: "trakt", Write: writeTrakt, shapes: []shape{
		{members: "watched-history*.json", json: `"watched_at" "action"`, learn: learnTraktPlays, read: readTraktPlays},
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

// Detect finds the form of a file by its content.
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

// partsOf are the texts of a file that have this shape.
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

// reader reads the rows of one file. Once it has an error, it reads and gives nothing more.
type reader struct {
	format string
	yield  func(Row, error) bool
	err    error

	seenKeys map[uint64]struct{} // the rows, by a hash of their content
	repeated map[uint64]int      // how often, where that is more than once

	// What was learned of the file.
	dates   calendar
	numbers map[uint64]int    // counts and lengths, by a hash of what they are about
	known   map[string]string // lists by name, and films by number
}

// errStop ends a reading because nothing more is wanted.
var errStop = errors.New("stopped")

// Read gives the rows of a file of this form. An error that names the line ends it.
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

// read reads a text: first to learn what only all of it can tell, such as the order of its
// dates, and then to give its rows.
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

// fail keeps the first error.
func (r *reader) fail(err error) { r.err = cmp.Or(r.err, err) }

// line gives the row of a line.
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

// give gives a row. One that the queue would refuse is unreadable.
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
