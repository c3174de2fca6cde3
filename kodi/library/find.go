package library

import (
	"cmp"
	"context"
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

// Find tells where the library of a userdata folder is. When
// advancedsettings.xml keeps it in a MySQL or MariaDB server, that is the
// answer, and files that lie here are stale; [Server.Read] then picks the
// database. Else it is the live one of the files Database/MyVideosNNN.db: the
// one that changed last, its -wal and -journal counted in; of two that changed
// at once the higher number. Old versions stay behind when Kodi upgrades, and
// come back into use when it is downgraded.
//
// The errors are those of this package: [ErrNotFound] and [ErrEmpty] when
// there is none, and [ErrUpgrading] when the file that changed last is half
// made. Any trouble with that file is returned; an older file is never taken
// in its stead.
func Find(userdata string) (Database, error) {
	settings, err := advanced(userdata)
	if err != nil {
		return Database{}, fmt.Errorf("find library in %s: %w", userdata, err)
	}
	if s := settings.server(); s != nil {
		return Database{Server: s}, nil
	}
	live, err := newest(filepath.Join(userdata, "Database"))
	if err == nil {
		err = probe(live)
	}
	if err != nil {
		return Database{}, fmt.Errorf("find library in %s: %w", userdata, err)
	}
	return live, nil
}

// newest is the library file of a Database folder that changed last; of two that
// changed at once the one with the higher number.
func newest(folder string) (live Database, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return live, classifyFile(err)
	}
	var latest time.Time
	for _, e := range entries {
		version, ok := versionOf(e.Name())
		if !ok || e.IsDir() {
			continue
		}
		path := filepath.Join(folder, e.Name())
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

// versionOf reads the number in the name MyVideosNNN.db.
func versionOf(name string) (int, bool) {
	digits, named := strings.CutPrefix(name, "MyVideos")
	digits, ended := strings.CutSuffix(digits, ".db")
	if !named || !ended {
		return 0, false
	}
	return numberOf(digits)
}

// numberOf reads the number of a schema.
func numberOf(digits string) (int, bool) {
	if len(digits) > 5 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
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

// probe tells whether a library can be read now and is whole.
func probe(d Database) error {
	err := openFile(context.Background(), d.Path, func(ctx context.Context, s *session) error {
		s.version = d.Version
		return s.transact(ctx, func() error { return s.check(ctx) })
	})
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(d.Path), err)
	}
	return nil
}
