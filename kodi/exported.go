package kodi

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

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

// NewExported makes an importer of what a library was exported to: Userdata is
// a folder of NFO files, or a videodb.xml. The rule is the same; a reading of
// the files stands for one of the library. Nothing starts before Run.
func NewExported(o Options) (*Importer, error) {
	if o.Userdata != "" {
		path, err := filepath.Abs(o.Userdata)
		if err != nil {
			return nil, fmt.Errorf("make importer: %w", err)
		}
		o.Userdata = path
	}
	e := &exported{reader: nfo.New(o.Userdata), seen: make(chan watch.Seen, 1), o: o}
	if o.Quiet == 0 {
		e.o.Quiet = exportQuiet
	}
	if o.Ceiling == 0 {
		e.o.Ceiling = exportCeiling
	}
	o.Read, o.Watch = e.read, e.watch
	if o.Sink != nil {
		o.Sink = beWary(o.Sink)
	}
	i, err := New(o)
	if err == nil {
		e.o.ears = i.hear
	}
	return i, err
}

// exported stands between the reader of files and the watch over them.
type exported struct {
	o      Options
	reader *nfo.Reader
	seen   chan watch.Seen
}

// read takes a reading, and tells the watch which folders there are.
func (e *exported) read(ctx context.Context) (snapshot.Snapshot, error) {
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

func (e *exported) watch(ctx context.Context, settled func(context.Context), unchanged func()) error {
	return watch.RunTree(ctx, watch.TreeOptions{
		Root: e.o.Userdata, Match: isExport, Quiet: e.o.Quiet, Ceiling: e.o.Ceiling, Poll: e.o.Poll,
		Seen: e.seen, Unchanged: unchanged, Ears: e.o.ears, Logger: e.o.Logger,
	}, settled)
}

// isExport matches the files that are read.
func isExport(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".nfo") || strings.HasSuffix(name, ".xml")
}
