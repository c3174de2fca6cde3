package kodi

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/watch"
)

// Library is a library of films and episodes: see [Folder].
type Library interface {
	// Path is the userdata folder, absolute.
	Path() string
	// Read takes one reading: in full of the files that are picked, or of all.
	Read(ctx context.Context, pick func(library.File) bool) (library.Snapshot, error)
	// ReadTagged reads the films and series that have a tag.
	ReadTagged(ctx context.Context, tag string) ([]library.Tagged, error)
	// Watch tells of changes until ctx ends, which is no error.
	Watch(ctx context.Context, l *Listener) error
}

// Listener hears of one library for its importer.
type Listener struct {
	i         *Importer
	changed   chan struct{}
	unchanged chan time.Time
}

func newListener(i *Importer) *Listener {
	return &Listener{i: i, changed: make(chan struct{}, 1), unchanged: make(chan time.Time, 1)}
}

// Changed says that a reading would show something new. It is called once at
// the start.
func (l *Listener) Changed() { nudge(l.changed, struct{}{}) }

// Unchanged says that the library was at that time as the last reading has shown
// it.
func (l *Listener) Unchanged(at time.Time) { nudge(l.unchanged, at) }

// Hear takes in how changes are heard of.
func (l *Listener) Hear(e watch.Ears) { l.i.hear(e) }

// Last is the mark of the last reading that was taken in, and when that was:
// never while readings fail.
func (l *Listener) Last() (mark string, at time.Time) {
	l.i.show.Lock()
	defer l.i.show.Unlock()
	return l.i.mark, l.i.marked
}

// nudge hands v over unless one waits already.
func nudge[T any](to chan T, v T) {
	select {
	case to <- v:
	default:
	}
}
