package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Exists reports whether there is a database at path, or the log of one.
func Exists(path string) bool { return exists(path) || exists(path+"-wal") }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// size is the size of a file; 0 when it is missing.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// makeFile makes the file and its folder for this user only, and puts their
// names on disk. SQLite gives the files beside it the same mode.
func makeFile(path string) error {
	if exists(path) {
		return os.Chmod(path, 0o600)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create state folder: %w", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		syncFolder(dir)
	}
	return nil
}

// syncFile puts a file and its name on disk.
func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = errors.Join(file.Sync(), file.Close())
	syncFolder(filepath.Dir(path))
	return err
}

// syncFolder is best effort: not every system can flush a folder.
func syncFolder(dir string) {
	if folder, err := os.Open(dir); err == nil {
		_ = folder.Sync()
		folder.Close()
	}
}

// fileSuffixes are the suffixes of the files of a database.
var fileSuffixes = []string{"", "-wal", "-shm"}

// filesWithPrefix are the files whose path begins with prefix, by name. A folder that
// cannot be read has none.
func filesWithPrefix(prefix string) (paths []string) {
	names, _ := fs.Glob(os.DirFS(filepath.Dir(prefix)), filepath.Base(prefix)+"*")
	for _, name := range names {
		paths = append(paths, filepath.Join(filepath.Dir(prefix), name))
	}
	return paths
}

// quarantinePath is where a file that is set aside now goes: it has the time in its name.
func (db *DB) quarantinePath() string {
	for at := db.o.Now().UTC(); ; at = at.Add(time.Second) {
		if path := db.path + damagedInfix + at.Format("20060102T150405Z"); len(filesWithPrefix(path)) == 0 {
			return path
		}
	}
}

// Backup writes a copy of the database, as of one moment, to a new file while
// everything goes on. The copy gets its name when it is complete and on disk; it
// is readable by this user only. An existing file is not overwritten: the error
// wraps [os.ErrExist]. A start on the copy learns when it was made, see [Opening].
func (db *DB) Backup(ctx context.Context, file string) error {
	if exists(file) {
		return fmt.Errorf("back up to %s: %w", file, os.ErrExist)
	}
	tmp := file + ".tmp"
	_ = os.Remove(tmp) // of a copy that was cut short
	err := db.copyInto(ctx, tmp)
	if err == nil {
		err = syncFile(tmp)
	}
	if err == nil {
		err = os.Rename(tmp, file)
	}
	if err != nil {
		_ = os.Remove(tmp) // it may not have been made
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	syncFolder(filepath.Dir(file))
	return nil
}

// copyInto copies the database into a new file, and notes there when.
func (db *DB) copyInto(ctx context.Context, file string) error {
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return err
	}
	if _, err := db.reader.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return StorageError(err)
	}
	to, err := db.pool(file, readWrite, "synchronous(full)")
	if err != nil {
		return err
	}
	_, err = to.ExecContext(ctx, "INSERT OR REPLACE INTO meta (key, value) VALUES ('copied', ?)", db.o.Now().UnixMilli())
	if err := errors.Join(err, to.Close()); err != nil {
		return StorageError(err)
	}
	return nil
}
