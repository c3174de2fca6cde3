package kodi

import (
	"context"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/watch"
)

// A library on a MySQL or MariaDB server sends no events. It is asked for its
// mark now and then, which costs little, and read when the mark has changed,
// and every hour all the same.
const readEvery = time.Hour

// onServer stands in a mark between the stamp of the settings and the mark of
// the server. The mark of a library in a file is the stamp alone.
const onServer = "\x00"

// marked is what tells whether a library has changed that sends no events.
type marked interface {
	// stamp changes with the settings that lead to the library.
	stamp() string
	// mark is the server's, "" for a library in a file.
	mark(ctx context.Context) (string, error)
}

// mark implements [marked].
func (f *folder) mark(ctx context.Context) (string, error) {
	db, err := f.find()
	if err != nil || db.Server == nil {
		return "", err
	}
	return db.Server.Mark(ctx)
}

// ask looks after a library until ctx ends: whenever its folder rests, and now
// and then if it is on a server. Its pause is a little longer than the poll of
// the folder, so there is mostly one wake-up.
func ask(ctx context.Context, m marked, poll time.Duration, rests <-chan struct{}, l *Listener) {
	if poll <= 0 {
		poll = watch.DefaultPoll
	}
	pause := time.NewTicker(poll + poll/4)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-rests:
			pause.Reset(poll + poll/4)
			compare(ctx, m, l, true)
		case <-pause.C:
			compare(ctx, m, l, false)
		}
	}
}

// compare tells whether the library is as it was at the last reading. A file is
// when its folder rests.
func compare(ctx context.Context, m marked, l *Listener, rests bool) {
	at := time.Now()
	last, read := l.Last()
	stamp, mark, served := strings.Cut(last, onServer)
	switch {
	case stamp != m.stamp(), served && at.Sub(read) >= readEvery:
		l.Changed()
	case served:
		if now, err := m.mark(ctx); err != nil || now != mark {
			l.Changed()
		} else {
			l.Unchanged(at)
		}
	case rests:
		l.Unchanged(at)
	}
}
