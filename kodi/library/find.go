package library

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Database is one library: a file, or databases of a server.
type Database struct {
	Path    string  // of the file; absolute when the userdata folder was
	Version int     // of the file: schema number, such as 121
	Server  *Server // nil when the library is a file
}

// String is where the library lies.
func (d Database) String() string {
	if d.Server != nil {
		return d.Server.String()
	}
	return d.Path
}

// Find tells where the library of a userdata folder is. When
// advancedsettings.xml keeps it in a MySQL or MariaDB server, that is the
// answer, and files that lie here are stale; [Database.Read] then picks the
// database. Else it is the live one of the files Database/MyVideosNNN.db: the
// one that changed last, its -wal and -journal counted in; of two that changed
// at once the higher number. Old versions stay behind when Kodi upgrades, and
// come back into use when it is downgraded. It does not open the file: while Kodi
// upgrades, the newest one cannot be read, and an older one is never taken in its stead.
//
// The errors are those of this package: [ErrNotFound] and [ErrEmpty] when there is none.
func Find(userdata string) (d Database, err error) {
	settings, err := advanced(userdata)
	if err == nil {
		if d.Server = settings.server(); d.Server != nil {
			return d, nil
		}
		d, err = newest(filepath.Join(userdata, "Database"), "MyVideos")
	}
	if err != nil {
		return Database{}, fmt.Errorf("find library in %s: %w", userdata, err)
	}
	return d, nil
}

// newest is the file NAMEnnn.db of a Database folder that changed last; of two that
// changed at once the one with the higher number.
func newest(folder, name string) (live Database, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return live, classifyFile(err)
	}
	var latest time.Time
	for _, e := range entries {
		version, ok := numbered(e.Name(), name, ".db")
		path := filepath.Join(folder, e.Name())
		if info, err := os.Stat(path); !ok || err != nil || !info.Mode().IsRegular() {
			continue
		}
		at := changed(path)
		if cmp.Or(at.Compare(latest), cmp.Compare(version, live.Version)) > 0 {
			live, latest = Database{Path: path, Version: version}, at
		}
	}
	if live.Path == "" {
		return live, fmt.Errorf("%w: %s", ErrEmpty, folder)
	}
	return live, nil
}

// numbered reads the number of a schema between two parts of a name.
func numbered(name, before, after string) (n int, ok bool) {
	digits, begins := strings.CutPrefix(name, before)
	digits, ends := strings.CutSuffix(digits, after)
	n, err := strconv.Atoi(digits)
	return n, begins && ends && err == nil && len(digits) <= 5
}

// changed is when a library last changed. Empty files beside it say nothing:
// reading a library in WAL mode makes them.
func changed(path string) time.Time {
	var latest time.Time
	for _, suffix := range []string{"", "-wal", "-journal"} {
		info, err := os.Stat(path + suffix)
		if err != nil || suffix != "" && info.Size() == 0 {
			continue
		}
		if info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest
}
