package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
)

// migrate brings the database to the newest schema, after a copy of an older one.
func (db *DB) migrate(ctx context.Context) error {
	var from int
	if err := db.writer.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&from); err != nil {
		return fmt.Errorf("read schema version: %w: %w", ErrStorage, err)
	}
	if from > 0 && from < len(db.o.Schema) {
		if err := db.backupBefore(ctx, len(db.o.Schema)); err != nil {
			return err
		}
	}
	return applySchema(ctx, db.writer.conn, db.o.Schema, from)
}

// applySchema runs the scripts after the first from, each in one transaction
// with its version.
func applySchema(ctx context.Context, conn *sql.Conn, scripts []string, from int) error {
	apply := func(version int) error {
		transaction, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer transaction.Rollback()
		if _, err := transaction.ExecContext(ctx, scripts[version-1]); err != nil {
			return err
		}
		marks := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version)
		if _, err := transaction.ExecContext(ctx, marks); err != nil {
			return err
		}
		return transaction.Commit()
	}
	for version := from + 1; version <= len(scripts); version++ {
		if err := apply(version); err != nil {
			return fmt.Errorf("migrate to schema %d: %w: %w", version, ErrStorage, err)
		}
	}
	return nil
}

// newerError is a database of a schema that this program does not know.
type newerError struct {
	path       string
	has, knows int
}

func (e *newerError) Error() string {
	return fmt.Sprintf("open %s: %v: it has schema %d, this program knows %d; nothing was changed", e.path, ErrNewer, e.has, e.knows)
}

func (e *newerError) Unwrap() error { return ErrNewer }

// Hint is what to do: the newest copy from before a migration, if there is one,
// can be read by an older program.
func (e *newerError) Hint() string {
	hint := "install the newer version of Filmspool again"
	if copies := siblings(e.path + beforeSchema); len(copies) > 0 {
		hint += "; or go back to the copy " + filepath.Base(copies[len(copies)-1]) + ", without what was added since"
	}
	return hint
}
