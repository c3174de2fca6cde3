package nfo

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/filmspool/filmspool/kodi/snapshot"
)

// Reader reads one place again and again, and a file in it only when it has
// changed. Calls do not overlap: each waits for the one before.
type Reader struct {
	path string

	mu      sync.Mutex
	folders map[string]*folder // of the last reading, by path
	export  *export            // the videodb.xml last read, or nil
	deep    int                // folders that lie too deep to be looked at
}

// folder is one folder of a tree.
type folder struct {
	notes map[string]*note // by name
	show  *note            // the nearest tvshow.nfo, here or above; nil when none
}

// note is what is known of one NFO file.
type note struct {
	path    string
	size    int64
	changed int64 // modification time, Unix ns
	fresh   bool  // it changed so recently that a further change might not show
	trouble trouble
	fault   string // of a broken one, with its line
	items   []item
	before  []item // those of the reading before, until this one was read
	torn    bool   // it may be half written
	passing bool   // items are those of the reading before, until this one is whole
}

// trouble says why a file gives less than it could.
type trouble byte

const (
	whole trouble = iota
	broken
	unreadable
	tooLarge
)

// New makes a reader of path: a folder of NFO files, into which
// kodi_videodb_DATE folders may have been exported too, or one videodb.xml.
// Nothing is read yet.
func New(path string) *Reader { return &Reader{path: path} }

// Tree is what one reading went through.
type Tree struct {
	Folders []string // those that hold, or could come to hold, something to read
	Changed bool     // a name, a time or a size differed from the reading before
	// Again is when to read again although nothing changes: a file may be half
	// written. 0 is never.
	Again time.Duration
}

// Read takes one reading. Of an unchanged tree it costs one look at each
// file's time and size. A file that cannot be read or made sense of is left
// out, and told in the snapshot's Remark; an error means that the place as a
// whole could not be read, and what was known stands.
func (r *Reader) Read(ctx context.Context) (snapshot.Snapshot, Tree, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	snap := snapshot.Snapshot{Path: r.path, Verified: true, ReadAt: time.Now()}
	info, err := os.Stat(r.path)
	if err != nil {
		return snap, Tree{}, fmt.Errorf("read NFO files: %w", classify(err))
	}
	w := walk{ctx: ctx, old: r.folders, found: map[string]*folder{}, now: snap.ReadAt, changed: r.folders == nil}
	if info.IsDir() {
		err = w.run(r.path)
	} else {
		err = w.single(r.path, info)
	}
	if err != nil {
		return snap, Tree{}, fmt.Errorf("read NFO files: %w", err)
	}
	newer, err := r.readExport(ctx, w.export)
	if err != nil {
		return snap, Tree{}, fmt.Errorf("read NFO files: %w", err)
	}
	r.folders, r.deep = w.found, w.deep
	snap.Files, snap.Remark = r.build()
	tree := Tree{Folders: w.list, Changed: w.changed || newer}
	if r.passing() {
		tree.Again = halfWritten
	}
	return snap, tree, nil
}

// passing reports whether a file tells what it told before, for a while.
func (r *Reader) passing() bool {
	for _, f := range r.folders {
		for _, n := range f.notes {
			if n.passing {
				return true
			}
		}
	}
	return false
}
