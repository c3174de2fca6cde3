package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/filmspool/filmspool/queue/viewing"
)

// migrate brings the database to the newest schema. It makes a backup of an older one first; see
// [DB.Backup].
func (db *DB) migrate(ctx context.Context) error {
	var from int
	if err := db.writer.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&from); err != nil {
		return fmt.Errorf("read schema version: %w: %w", ErrStorage, err)
	}
	if from > 0 && from < len(db.o.Schema) {
		file := migrationBackup(db.path, len(db.o.Schema))
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replace copy: %w: %w", ErrStorage, err)
		}
		if err := db.Backup(ctx, file); err != nil {
			return fmt.Errorf("copy before migrating: %w: %w", ErrStorage, err)
		}
		db.logger.Info("database copied before migrating", "file", file)
	}
	return applySchema(ctx, db.writer.conn, db.o.Schema, from)
}

// applySchema runs the scripts after the first from, each in a transaction with its version
// number. After an error the connection must be closed.
func applySchema(ctx context.Context, conn *sql.Conn, scripts []string, from int) error {
	for version := from + 1; version <= len(scripts); version++ {
		_, err := conn.ExecContext(ctx, fmt.Sprintf("BEGIN IMMEDIATE;\n%s\n; PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
			scripts[version-1], applicationID, version))
		if err != nil {
			return fmt.Errorf("migrate to schema %d: %w: %w", version, ErrStorage, err)
		}
	}
	return nil
}

// migrationBackup returns the path of the backup made before the migration to a version.
func migrationBackup(path string, version int) string {
	return fmt.Sprintf("%s.before-schema-%d", path, version)
}

// newerError returns the error for a database with a newer schema. Its hint names the backup, if
// there is one, that this version of the program can open.
func newerError(path string, found, known int) error {
	r := &viewing.Refusal{
		Kind:    fmt.Errorf("open %s: %w: it has schema %d, this program knows %d; nothing was changed", path, ErrNewer, found, known),
		Message: viewing.Say("newerQueue", "path", path), Hint: viewing.Say("hint.newerAgain"),
	}
	for version := found; version > known; version-- {
		if file := migrationBackup(path, version); exists(file) {
			r.Hint = viewing.Say("hint.newerOrCopy", "file", filepath.Base(file))
		}
	}
	return r
}

// applicationID marks the file as ours, "FSPL".
const applicationID = 0x4653504c

// inspect returns the schema version, 0 for an empty file, and whether the last run was stopped
// cleanly. It returns an error if the database belongs to another program or has a newer schema.
// It does not write.
func (db *DB) inspect(ctx context.Context, pool *sql.DB) (version int, clean bool, err error) {
	var application, objects int
	err = pool.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&application, &version, &objects)
	switch {
	case err != nil:
	case application == 0 && version == 0 && objects == 0:
		return version, clean, nil
	case application != applicationID:
		return version, clean, fmt.Errorf("open %s: %w", db.path, ErrForeign)
	case version > len(db.o.Schema):
		return version, clean, newerError(db.path, version, len(db.o.Schema))
	default:
		err = pool.QueryRowContext(ctx, "SELECT coalesce((SELECT value FROM meta WHERE key = 'clean'), 0)").Scan(&clean)
	}
	if err != nil {
		err = StorageError(fmt.Errorf("read database: %w", err))
	}
	return version, clean, err
}
