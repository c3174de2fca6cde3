package kodi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/filmspool/filmspool/kodi/library"
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

// reader reads a library. Tests have others than [folder].
type reader interface {
	// Stamp changes when a reading would show something new.
	Stamp(ctx context.Context) (string, error)
	// Read takes one reading: in full of the files that are picked, or of all. Its
	// mark is the stamp at that time.
	Read(ctx context.Context, pick func(library.File) bool) (library.Snapshot, error)
	// ReadTagged reads the films and series that have one of some tags.
	ReadTagged(ctx context.Context, tags []string) ([]library.Tagged, error)
}

// folder is the library of one userdata folder of Kodi: a file in it, or
// databases on the server that its settings name. That may change at any time.
type folder struct {
	userdata string
	access   Access
}

// find is the library with what it takes to log in.
func (f *folder) find() (library.Database, error) {
	db, err := library.Find(f.userdata)
	if err != nil || db.Server == nil {
		return db, err
	}
	db.Server, err = f.access.Login(f.userdata, *db.Server)
	return db, err
}

// Stamp implements [reader]. A server is asked one question.
func (f *folder) Stamp(ctx context.Context) (string, error) {
	db, err := f.find()
	if err != nil || db.Server == nil {
		return f.files(), err
	}
	mark, err := db.Mark(ctx)
	return f.files() + mark, err
}

// files is the stamp of the library's files, and of the settings that may lead to others.
// Empty ones beside a library say nothing: reading it in WAL mode makes them.
func (f *folder) files() string {
	var stamp strings.Builder
	stamp.WriteString(stampOfFile(filepath.Join(f.userdata, "advancedsettings.xml")))
	all, _ := os.ReadDir(databaseFolder(f.userdata)) // one that is gone has no files
	for _, e := range all {
		if info, err := e.Info(); err == nil && libraryFile.MatchString(e.Name()) && info.Size() > 0 {
			fmt.Fprintf(&stamp, "%q %d %d\n", e.Name(), info.ModTime().UnixNano(), info.Size())
		}
	}
	return stamp.String()
}

// Read implements [reader].
func (f *folder) Read(ctx context.Context, pick func(library.File) bool) (snap library.Snapshot, err error) {
	files := f.files()
	db, err := f.find()
	if err != nil {
		return snap, err
	}
	if snap, err = db.Read(ctx, pick); err != nil {
		return snap, err
	}
	snap.Mark = files + snap.Mark
	return snap, f.access.Claim(f.userdata, snap.Origin)
}

// ReadTagged implements [reader].
func (f *folder) ReadTagged(ctx context.Context, tags []string) ([]library.Tagged, error) {
	db, err := f.find()
	if err != nil {
		return nil, err
	}
	return db.ReadTagged(ctx, tags)
}

// databaseFolder is where a Kodi keeps its library files.
func databaseFolder(userdata string) string { return filepath.Join(userdata, "Database") }

// libraryFile matches MyVideosNNN.db, AddonsNN.db and the files SQLite puts beside them.
// Which add-ons are turned on decides what is held.
var libraryFile = regexp.MustCompile(`^(MyVideos|Addons).*\.db(-journal|-wal)?$`)

// stampOfFile changes with a file; "" when it is not there.
func stampOfFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size(), "\n")
}
