// Package transfer reads the history files of other services and programs, and writes the
// diary in forms that they read. It knows files only: what becomes of a row is up to the
// queue.
package transfer

import (
	"io"
	"iter"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Format is one form of file.
type Format struct {
	// Name is the form in commands and JSON, such as "letterboxd".
	Name string
	// Is reports whether a file has this form, by its content: the name of a file is no
	// evidence.
	Is func(*File) bool
	// Read gives the rows of a file in its order. An error that names the line ends it.
	// Nil where the form is only written.
	Read func(*File, Options) iter.Seq2[Row, error]
	// Write writes entries: viewings, the oldest first, then the watchlist, then the items of
	// lists, one list after the other. What the form cannot hold is left out. Nil where the
	// form is only read.
	Write func(io.Writer, iter.Seq2[Record, error]) error
}

// Options are what a file cannot tell and a person was asked.
type Options struct {
	// Zone is where days and times without a zone are meant; nil is the local zone.
	Zone *time.Location
	// DayFirst says whether 03/04/2026 is the third of April; nil where nobody has said.
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
	SkipUnreadable Skip = "unreadable" // it lacks a date or a title, or its values cannot be right
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
