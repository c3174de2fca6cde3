package nfo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/kodi/plainfile"
)

// Bounds of a tree.
const (
	maxNFO   = 1 << 20   // bytes of one NFO file
	maxFiles = 1_000_000 // NFO files
	maxDeep  = 64        // folders within each other
)

// settling is how old a change must be before the file's time is believed to
// show the next one: file systems count in steps of up to two seconds.
const settling = 2 * time.Second

// walk is one way through a tree.
type walk struct {
	ctx     context.Context
	old     map[string]*folder
	found   map[string]*folder
	now     time.Time
	list    []string // the folders, in order
	files   int
	deep    int  // folders that lie too deep to be looked at
	changed bool // by names, times and sizes
	jobs    chan *note
	export  candidate // the newest videodb.xml
}

// candidate is a videodb.xml that may be read.
type candidate struct {
	path    string
	size    int64
	changed time.Time
}

// run walks while workers read what has changed.
func (w *walk) run(root string) error {
	w.jobs = make(chan *note, 256)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) {
		workers.Go(func() {
			var b bytes.Buffer
			for n := range w.jobs {
				if w.ctx.Err() == nil {
					n.read(&b, w.now)
				}
			}
		})
	}
	err := w.visit(root, nil, 0)
	close(w.jobs)
	workers.Wait()
	if err == nil {
		err = w.ctx.Err()
	}
	if len(w.found) != len(w.old) {
		w.changed = true
	}
	return err
}

// visit looks at one folder and then at those in it. A folder below the root
// that is gone or may not be read is passed over; any other trouble, such as
// a drive that went away, ends the reading.
func (w *walk) visit(dir string, show *note, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if depth > maxDeep {
		w.deep++
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return w.closed(dir, err, depth)
	}
	f, err := w.enter(dir, entries, show)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && !skipped(e.Name()) {
			if err := w.visit(filepath.Join(dir, e.Name()), f.show, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// closed is a folder that cannot be read. What was known of one that is
// forbidden now is kept: it did not go away.
func (w *walk) closed(dir string, err error, depth int) error {
	switch {
	case depth == 0:
		return classify(err)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case !errors.Is(err, fs.ErrPermission):
		return err
	}
	for path, f := range w.old {
		if path == dir || strings.HasPrefix(path, dir+string(filepath.Separator)) {
			w.found[path] = f
		}
	}
	return nil
}

// skipped are folders that hold no NFO files of films: hidden ones, and those
// in which Kodi and storage devices keep pictures and waste.
func skipped(name string) bool {
	switch strings.ToLower(name) {
	case "extrafanart", "extrathumbs", "@eadir", "#recycle", "$recycle.bin", "lost+found", "system volume information":
		return true
	default:
		return strings.HasPrefix(name, ".")
	}
}

// enter looks at the files of one folder.
func (w *walk) enter(dir string, entries []fs.DirEntry, above *note) (*folder, error) {
	old := w.old[dir]
	if old == nil {
		old = &folder{}
		w.changed = true
	}
	f := &folder{notes: make(map[string]*note, len(old.notes)), show: above}
	w.list = append(w.list, dir)
	w.found[dir] = f
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		name := strings.ToLower(e.Name())
		switch {
		case strings.HasSuffix(name, ".nfo"):
			n, err := w.note(dir, e, old.notes[e.Name()])
			if err != nil {
				return nil, err
			}
			if n != nil {
				f.notes[e.Name()] = n
			}
			if n != nil && name == "tvshow.nfo" {
				f.show = n
			}
		case name == exportName:
			w.consider(dir, e)
		}
	}
	if len(f.notes) != len(old.notes) {
		w.changed = true
	}
	return f, nil
}

// note is what is known of a file; it is read when its time or size is new.
func (w *walk) note(dir string, e fs.DirEntry, old *note) (*note, error) {
	info, err := e.Info()
	if err != nil {
		return nil, nil // it vanished meanwhile: it is not there
	}
	if w.files++; w.files > maxFiles {
		return nil, fmt.Errorf("%w: more than %d", ErrTooMany, maxFiles)
	}
	at := info.ModTime()
	if old == nil || old.size != info.Size() || old.changed != at.UnixNano() {
		w.changed = true
	} else if !old.fresh {
		return old, nil
	}
	n := &note{
		path: filepath.Join(dir, e.Name()), size: info.Size(), changed: at.UnixNano(),
		fresh: at.After(w.now.Add(-settling)),
	}
	if old != nil {
		n.before = old.items
	}
	w.jobs <- n
	return n, nil
}

// torn reports whether a broken file does not end as a whole one does, with the
// last tag: it may be half written.
func torn(text []byte) bool {
	doc := decode(text)
	end := doc[max(0, bytes.LastIndexByte(doc, '<')):]
	for _, tag := range []string{"</movie", "</episodedetails", "</tvshow", "</xbmcmultiepisode"} {
		if bytes.HasPrefix(end, []byte(tag)) && bytes.ContainsRune(end, '>') {
			return false
		}
	}
	return true
}

// halfWritten is how old a change must be before a broken file is believed to be
// broken: programs take seconds to write one.
const halfWritten = 30 * time.Second

// read reads the file. One that cannot be opened now is tried again next time,
// and so is one that may be half written. Until then it tells what it told
// before: it did not go away.
func (n *note) read(b *bytes.Buffer, now time.Time) {
	n.load(b)
	recent := time.Unix(0, n.changed).After(now.Add(-halfWritten))
	if len(n.before) > 0 && (n.trouble == unreadable || n.torn && recent) {
		n.items, n.fresh, n.passing = n.before, true, true
	}
	n.before = nil
}

// load reads the file as it is.
func (n *note) load(b *bytes.Buffer) {
	text, err := load(b, n.path)
	switch {
	case err != nil:
		n.trouble, n.fresh = unreadable, true
	case len(text) > maxNFO:
		n.trouble = tooLarge
	default:
		items, fault := parse(text)
		n.items, n.torn = items, len(text) == 0
		if fault != "" {
			n.trouble, n.fault, n.torn = broken, fault, torn(text)
		}
	}
}

// load reads a file, and one byte more than may be at most.
func load(b *bytes.Buffer, path string) ([]byte, error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b.Reset()
	_, err = b.ReadFrom(io.LimitReader(file, maxNFO+1))
	return b.Bytes(), err
}

// consider takes the newest export of all that lie in the tree.
func (w *walk) consider(dir string, e fs.DirEntry) {
	info, err := e.Info()
	if err != nil {
		return // it vanished meanwhile
	}
	c := candidate{filepath.Join(dir, e.Name()), info.Size(), info.ModTime()}
	if w.export.path == "" || c.changed.After(w.export.changed) || c.changed.Equal(w.export.changed) && c.path > w.export.path {
		w.export = c
	}
}

// single takes one file for the whole place: an export, or one NFO file.
func (w *walk) single(path string, info fs.FileInfo) error {
	w.list = []string{filepath.Dir(path)}
	if !strings.HasSuffix(strings.ToLower(path), ".nfo") {
		w.export = candidate{path, info.Size(), info.ModTime()}
		return nil
	}
	return fmt.Errorf("%w: give the folder of %s", ErrNotFound, filepath.Base(path))
}
