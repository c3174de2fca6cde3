package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Backup writes a copy of the database, as of one moment, to a new file while
// everything goes on. The copy gets its name when it is complete and on disk; it
// is readable by this user only. An existing file is not overwritten: the error
// wraps [os.ErrExist]. A start on the copy learns when it was made, see [Opening].
func (db *DB) Backup(ctx context.Context, file string) error {
	if err := db.backup(ctx, file); err != nil {
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	return nil
}

func (db *DB) backup(ctx context.Context, file string) (err error) {
	if exists(file) {
		return os.ErrExist
	}
	made, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*"+unfinished)
	if err != nil {
		return err
	}
	half := made.Name()
	if err := made.Close(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(half))
		}
	}()
	if err := db.copyInto(ctx, half); err != nil {
		return StorageError(err)
	}
	if err := syncFile(half); err != nil {
		return err
	}
	if err := os.Rename(half, file); err != nil {
		return err
	}
	syncFolder(filepath.Dir(file))
	return nil
}

// copyInto copies the database into an empty file, and notes there when.
func (db *DB) copyInto(ctx context.Context, file string) error {
	if _, err := db.reader.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return err
	}
	to, err := db.pool(file, writing, nil, "synchronous(full)")
	if err != nil {
		return err
	}
	_, err = to.ExecContext(ctx, "INSERT OR REPLACE INTO meta (key, value) VALUES ('copied', ?)", db.o.Now().UnixMilli())
	return errors.Join(err, to.Close())
}

const (
	unfinished   = ".tmp"            // ends the name of a copy that is being made
	beforeSchema = ".before-schema-" // in the name of a copy made before a migration, with the new version
	keptBackups  = 2                 // of those copies
)

// backupBefore copies the database before it is migrated to a version. Like any
// copy it is marked: what waits in it may have been sent since.
func (db *DB) backupBefore(ctx context.Context, version int) error {
	file := db.stampedPath(fmt.Sprintf("%s%s%d-", db.path, beforeSchema, version))
	if err := db.backup(ctx, file); err != nil {
		return fmt.Errorf("back up before migrating: %w: %w", ErrStorage, err)
	}
	db.logger.Info("backed up before migrating", "file", file)
	copies := siblings(db.path + beforeSchema)
	for i, file := range copies {
		if i < len(copies)-keptBackups || strings.HasSuffix(file, unfinished) { // a crash cut that one short
			_ = os.Remove(file) // it only takes room
		}
	}
	return nil
}

// siblings are the files whose path begins with prefix, by name. A folder that
// cannot be read has none.
func siblings(prefix string) (paths []string) {
	names, _ := os.ReadDir(filepath.Dir(prefix))
	for _, name := range names {
		if strings.HasPrefix(name.Name(), filepath.Base(prefix)) {
			paths = append(paths, filepath.Join(filepath.Dir(prefix), name.Name()))
		}
	}
	return paths
}
