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

// Access provides credentials and exclusive use of libraries.
type Access interface {
	// Login returns the server with the user and password to use; s has those of
	// advancedsettings.xml.
	Login(userdata string, s library.Server) (*library.Server, error)
	// Claim reserves the library with this origin for the folder. It returns an error if
	// another folder has it.
	Claim(userdata, origin string) error
}

// reader reads a library. Tests have their own implementations.
type reader interface {
	// Stamp returns a text that changes whenever the library or its settings do.
	Stamp(ctx context.Context) (string, error)
	// Read returns a snapshot, with the details of the files that pick selects, or of all if
	// pick is nil. Its Stamp is that from before the read.
	Read(ctx context.Context, pick func(library.File) bool) (library.Snapshot, error)
	// ReadTagged returns the films and series that have one of the tags.
	ReadTagged(ctx context.Context, tags []string) ([]library.Tagged, error)
}

// folder is the library of one userdata folder of Kodi: a file in it, or
// databases on the server that its settings name. That may change at any time.
type folder struct {
	userdata string
	access   Access
}

// find returns the library, with credentials if it is on a server.
func (f *folder) find() (library.Database, error) {
	db, err := library.Find(f.userdata)
	if err != nil || db.Server == nil {
		return db, err
	}
	db.Server, err = f.access.Login(f.userdata, *db.Server)
	return db, err
}

// Stamp implements [reader]. It costs one query on a server.
func (f *folder) Stamp(ctx context.Context) (string, error) {
	db, err := f.find()
	if err != nil || db.Server == nil {
		return f.fileStamps(), err
	}
	mark, err := db.Checksum(ctx)
	return f.fileStamps() + mark, err
}

// fileStamps returns the stamps of the library files and of the settings that name the server.
// It skips empty files: reading a library in WAL mode creates them.
func (f *folder) fileStamps() string {
	var stamp strings.Builder
	stamp.WriteString(fileStamp(filepath.Join(f.userdata, "advancedsettings.xml")))
	all, _ := os.ReadDir(databaseFolder(f.userdata)) // a missing folder has no files
	for _, e := range all {
		if info, err := e.Info(); err == nil && libraryFile.MatchString(e.Name()) && info.Size() > 0 {
			fmt.Fprintf(&stamp, "%q %d %d\n", e.Name(), info.ModTime().UnixNano(), info.Size())
		}
	}
	return stamp.String()
}

// Read implements [reader].
func (f *folder) Read(ctx context.Context, pick func(library.File) bool) (snap library.Snapshot, err error) {
	files := f.fileStamps()
	db, err := f.find()
	if err != nil {
		return snap, err
	}
	if snap, err = db.Read(ctx, pick); err != nil {
		return snap, err
	}
	snap.Stamp = files + snap.Stamp
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

// databaseFolder returns the folder of Kodi's library files.
func databaseFolder(userdata string) string { return filepath.Join(userdata, "Database") }

// libraryFile matches MyVideosNNN.db, AddonsNN.db and their journals. AddonsNN.db lists the
// enabled add-ons, which decide what is held.
var libraryFile = regexp.MustCompile(`^(MyVideos|Addons).*\.db(-journal|-wal)?$`)

// fileStamp returns the modification time and size of a file, or "" if it does not exist.
func fileStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size(), "\n")
}
