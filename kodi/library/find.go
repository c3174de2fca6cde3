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

// Database locates one library: a file, or databases of a server.
type Database struct {
	Path    string  // of the file; absolute if the userdata folder was
	Version int     // schema number of the file, such as 121
	Server  *Server // nil if the library is a file
}

// String returns the file path or the server address.
func (d Database) String() string {
	if d.Server != nil {
		return d.Server.String()
	}
	return d.Path
}

// Find locates the library of a userdata folder. If advancedsettings.xml names a MySQL or MariaDB
// server, it returns that, because files in the folder are stale; [Database.Read] then chooses the
// database. Otherwise it returns the file Database/MyVideosNNN.db that changed last, including its
// -wal and -journal; of two that changed at the same time, the higher number. Kodi leaves old
// versions behind when it upgrades, and uses them again after a downgrade. Find does not open the
// file: during an upgrade the newest one cannot be read, and an older one must not replace it.
//
// It returns [ErrNotFound] or [ErrEmpty] if there is no library.
func Find(userdata string) (d Database, err error) {
	settings, err := readAdvancedSettings(userdata)
	if err == nil {
		if d.Server = settings.server(); d.Server != nil {
			return d, nil
		}
		d, err = newestFile(filepath.Join(userdata, "Database"), "MyVideos")
	}
	if err != nil {
		return Database{}, fmt.Errorf("find library in %s: %w", userdata, err)
	}
	return d, nil
}

// newestFile returns the file NAMEnnn.db of a folder that changed last; of two that changed at
// the same time, the one with the higher number.
func newestFile(folder, name string) (live Database, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return live, classifyFile(err)
	}
	var latest time.Time
	for _, e := range entries {
		version, ok := parseVersion(e.Name(), name, ".db")
		path := filepath.Join(folder, e.Name())
		if info, err := os.Stat(path); !ok || err != nil || !info.Mode().IsRegular() {
			continue
		}
		at := lastChanged(path)
		if cmp.Or(at.Compare(latest), cmp.Compare(version, live.Version)) > 0 {
			live, latest = Database{Path: path, Version: version}, at
		}
	}
	if live.Path == "" {
		return live, fmt.Errorf("%w: %s", ErrEmpty, folder)
	}
	return live, nil
}

// parseVersion parses the schema number between a prefix and a suffix of a name.
func parseVersion(name, before, after string) (n int, ok bool) {
	digits, begins := strings.CutPrefix(name, before)
	digits, ends := strings.CutSuffix(digits, after)
	n, err := strconv.Atoi(digits)
	return n, begins && ends && err == nil && len(digits) <= 5
}

// lastChanged returns when a library file or its journals last changed. It skips empty journals:
// reading a library in WAL mode creates them.
func lastChanged(path string) time.Time {
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
