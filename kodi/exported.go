package kodi

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/nfo"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/kodi/watch"
)

// The pace at which exported files are looked at: nobody waits for them, and
// an export of a large library takes minutes.
const (
	exportQuiet   = 2 * time.Second
	exportCeiling = 30 * time.Second
)

// exported is what a library was exported to.
type exported struct {
	pace
	path   string
	reader *nfo.Reader
	seen   chan watch.Seen // from the reader to the watch
	log    *slog.Logger
}

// Exported is what a library was exported to: a folder of NFO files, or a
// videodb.xml. A reading of the files stands for one of the library.
func Exported(path string, log *slog.Logger) Library {
	path = filepath.Clean(path)
	return &exported{pace: pace{quiet: exportQuiet, ceiling: exportCeiling}, path: path, reader: nfo.New(path), seen: make(chan watch.Seen, 1), log: log}
}

// Path implements [Library].
func (e *exported) Path() string { return e.path }

// Read implements [Library]: it reads all, and tells the watch which folders
// there are.
func (e *exported) Read(ctx context.Context, _ snapshot.Part) (snapshot.Snapshot, error) {
	from := time.Now()
	snap, tree, err := e.reader.Read(ctx)
	if err != nil {
		return snap, err
	}
	select {
	case <-e.seen: // an older one that was not taken yet
	default:
	}
	nudge(e.seen, watch.Seen{Folders: tree.Folders, Changed: tree.Changed, Again: tree.Again, Took: time.Since(from)})
	return snap, nil
}

// ReadTagged implements [Library]: files hold no tags that are read.
func (e *exported) ReadTagged(context.Context, string) ([]snapshot.Tagged, error) {
	return nil, library.ErrUnsupported
}

// Watch implements [Library].
func (e *exported) Watch(ctx context.Context, l *Listener) error {
	return watch.RunTree(ctx, watch.TreeOptions{
		Root: e.path, Match: isExport, Quiet: e.quiet, Ceiling: e.ceiling, Poll: e.poll,
		Seen: e.seen, Unchanged: func() { l.Unchanged(time.Now()) }, Ears: l.Hear, Logger: e.log,
	}, func(context.Context) { l.Changed() })
}

// isExport matches the files that are read.
func isExport(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".nfo") || strings.HasSuffix(name, ".xml")
}
