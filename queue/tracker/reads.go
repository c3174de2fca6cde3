package tracker

import (
	"errors"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// ErrNoEndpoint is wrapped when the service has no such endpoint for this key:
// 404, 405, 501, 401 or 403 there, or a question that it refuses as invalid.
var ErrNoEndpoint = errors.New("the service has no such endpoint")

// ReadError is why a read gave nothing. Its Verdict is Offline, Later,
// Refused, Unproven or, with [ErrNoEndpoint], Rejected; it is never in doubt.
type ReadError struct{ Verdict Verdict }

func (e *ReadError) Error() string { return "read from the service: " + e.Verdict.Problem }

// Unwrap is [ErrNoEndpoint] for a missing one.
func (e *ReadError) Unwrap() error {
	if e.Verdict.Fate == Rejected {
		return ErrNoEndpoint
	}
	return nil
}

// VerdictOf is the verdict that an error of a read carries; ok is false for
// another error.
func VerdictOf(err error) (v Verdict, ok bool) {
	var r *ReadError
	if !errors.As(err, &r) {
		return Verdict{}, false
	}
	return r.Verdict, true
}

// User is whose key it is.
type User struct{ ID, Name string }

// RemoteList is a list as the service shows it.
type RemoteList struct{ ID, Name, Description, Visibility string }

// ItemStatus is what the service knows of one item at a glance.
type ItemStatus struct {
	Watched     *bool     // nil when it does not tell
	WatchedAt   time.Time // the last viewing; zero when not told
	InWatchlist *bool
}

// MaxStatusItems is how many items one question about their status may name.
const MaxStatusItems = 50

// MaxResolveItems is how many items one question about what they are may name.
const MaxResolveItems = 50

// Wanted asks what an item is: by an IMDb identifier alone, or by a title
// with a type and, where it is known, a year.
type Wanted struct {
	IMDB  string
	Title string
	Type  viewing.MediaType
	Year  int
}

// Match is what the service takes an item for. Zero values were not told.
type Match struct {
	TMDB       int64
	Type       string
	Title      string // one line, bounded
	Year       int
	Confidence string // high, medium or low
}
