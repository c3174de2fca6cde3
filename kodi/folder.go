package kodi

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/watch"
)

// Access lets a library be read.
type Access interface {
	// Login gives the server of a folder's library the user and the password to
	// use; it is given those of advancedsettings.xml.
	Login(userdata string, s library.Server) (*library.Server, error)
	// Claim is told which library the folder leads to, before a reading of it is
	// believed; an error stands in its way.
	Claim(userdata, origin string) error
}

// pace is that of package watch; 0 means its own.
type pace struct {
	quiet, ceiling, poll time.Duration
}

// folder is the library of one userdata folder of Kodi: a file in it, or
// databases on the server that its settings name. That may change at any time.
type folder struct {
	pace
	userdata string
	access   Access
	log      *slog.Logger
}

// Folder is the library of a userdata folder of Kodi, which need not exist yet.
func Folder(userdata string, a Access, log *slog.Logger) Library {
	return &folder{userdata: filepath.Clean(userdata), access: a, log: log}
}

// Path implements [Library].
func (f *folder) Path() string { return f.userdata }

// find is the library with what it takes to log in.
func (f *folder) find() (library.Database, error) {
	db, err := library.Find(f.userdata)
	if err != nil || db.Server == nil {
		return db, err
	}
	db.Server, err = f.access.Login(f.userdata, *db.Server)
	return db, err
}

// Read implements [Library].
func (f *folder) Read(ctx context.Context, pick func(library.File) bool) (snap library.Snapshot, err error) {
	mark := f.stamp()
	db, err := f.find()
	switch {
	case err != nil:
		return snap, err
	case db.Server != nil:
		snap, err = db.Server.Read(ctx, pick)
		mark += onServer + snap.Mark
	default:
		written := writtenAt(db.Path)
		snap, err = library.Read(ctx, db.Path, pick)
		snap.Written = written
	}
	if err == nil {
		err = f.access.Claim(f.userdata, snap.Origin)
	}
	snap.Mark = mark
	return snap, err
}

// ReadTagged implements [Library].
func (f *folder) ReadTagged(ctx context.Context, tag string) ([]library.Tagged, error) {
	db, err := f.find()
	switch {
	case err != nil:
		return nil, err
	case db.Server != nil:
		return db.Server.ReadTagged(ctx, tag)
	default:
		return library.ReadTagged(ctx, db.Path, tag)
	}
}

// Watch implements [Library]: it watches the folder of Kodi's library files.
func (f *folder) Watch(ctx context.Context, l *Listener) error {
	rests := make(chan struct{}, 1)
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error {
		return watch.Run(ctx, watch.Options{
			Dir: filepath.Join(f.userdata, "Database"), Match: isLibraryFile, Logger: f.log,
			Quiet: f.quiet, Ceiling: f.ceiling, Poll: f.poll, Unchanged: func() { nudge(rests, struct{}{}) }, Ears: l.Hear,
		}, func(context.Context) { l.Changed() })
	})
	all.Go(func() error {
		ask(ctx, f, f.poll, rests, l)
		return nil
	})
	return all.Wait()
}

// isLibraryFile matches MyVideosNNN.db, AddonsNN.db and the files SQLite puts beside
// them. Which add-ons are turned on decides what is held.
func isLibraryFile(name string) bool {
	rest, ok := strings.CutPrefix(name, "MyVideos")
	if !ok {
		rest, ok = strings.CutPrefix(name, "Addons")
	}
	return ok && (strings.HasSuffix(rest, ".db") || strings.HasSuffix(rest, ".db-journal") || strings.HasSuffix(rest, ".db-wal"))
}

// stamp changes with the settings that lead to the library.
func (f *folder) stamp() string {
	return stampOfFile(filepath.Join(f.userdata, "advancedsettings.xml"))
}

// stampOfFile changes with a file; "" when it is not there.
func stampOfFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// writtenAt is when a library file was last written, its write-ahead log
// counted in; zero when it cannot be told.
func writtenAt(path string) (at time.Time) {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at
}
