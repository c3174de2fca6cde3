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

// Exists reports whether there is a database, or a write-ahead log, at path.
func Exists(path string) bool { return exists(path) || exists(path+"-wal") }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// size returns the size of a file; 0 if it is missing.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// makeFile creates the file and its folders, for this user only, and syncs their directory
// entries. SQLite creates its other files with the same mode.
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

// syncFile syncs a file and its directory entry.
func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = errors.Join(file.Sync(), file.Close())
	syncFolder(filepath.Dir(path))
	return err
}

// syncFolder syncs a folder. It ignores errors, because not every system can do that.
func syncFolder(dir string) {
	if folder, err := os.Open(dir); err == nil {
		_ = folder.Sync()
		folder.Close()
	}
}

// fileSuffixes are the suffixes of the files of a database.
var fileSuffixes = []string{"", "-wal", "-shm"}

// filesWithPrefix returns the paths that begin with prefix, sorted; none if the folder cannot be
// read.
func filesWithPrefix(prefix string) (paths []string) {
	names, _ := fs.Glob(os.DirFS(filepath.Dir(prefix)), filepath.Base(prefix)+"*")
	for _, name := range names {
		paths = append(paths, filepath.Join(filepath.Dir(prefix), name))
	}
	return paths
}

// quarantinePath returns an unused path, with the current time, for files of a damaged database.
func (db *DB) quarantinePath() string {
	for at := db.o.Now().UTC(); ; at = at.Add(time.Second) {
		if path := db.path + damagedInfix + at.Format("20060102T150405Z"); len(filesWithPrefix(path)) == 0 {
			return path
		}
	}
}

// Backup writes a consistent copy of the database to a new file without blocking writes. The copy
// is readable by this user only, and gets its name when it is complete and synced. If the file
// exists, the error wraps [os.ErrExist]. The copy contains the time of the backup; see [Opening].
func (db *DB) Backup(ctx context.Context, file string) error {
	if exists(file) {
		return fmt.Errorf("back up to %s: %w", file, os.ErrExist)
	}
	tmp := file + ".tmp"
	_ = os.Remove(tmp) // left by an interrupted backup
	err := db.copyInto(ctx, tmp)
	if err == nil {
		err = syncFile(tmp)
	}
	if err == nil {
		err = os.Rename(tmp, file)
	}
	if err != nil {
		_ = os.Remove(tmp) // it may not exist
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	syncFolder(filepath.Dir(file))
	return nil
}

// copyInto copies the database into a new file and stores the time there.
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
