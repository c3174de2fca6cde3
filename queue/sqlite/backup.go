package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup writes a copy of the database, as of one moment, to a new file while
// everything goes on. The copy gets its name when it is complete and on disk; it
// is readable by this user only. An existing file is not overwritten: the error
// wraps [os.ErrExist]. A start on the copy learns when it was made, see [Opening].
func (db *DB) Backup(ctx context.Context, file string) error {
	if exists(file) {
		return fmt.Errorf("back up to %s: %w", file, os.ErrExist)
	}
	half := file + ".tmp"
	_ = os.Remove(half) // of a copy that was cut short
	err := db.copyInto(ctx, half)
	if err == nil {
		err = syncFile(half)
	}
	if err == nil {
		err = os.Rename(half, file)
	}
	if err != nil {
		_ = os.Remove(half) // it may not have been made
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
	to, err := db.pool(file, writing, "synchronous(full)")
	if err != nil {
		return err
	}
	_, err = to.ExecContext(ctx, "INSERT OR REPLACE INTO meta (key, value) VALUES ('copied', ?)", db.o.Now().UnixMilli())
	if err := errors.Join(err, to.Close()); err != nil {
		return StorageError(err)
	}
	return nil
}
