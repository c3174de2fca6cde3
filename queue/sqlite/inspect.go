package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// condition is how a database was found.
type condition struct {
	version int  // 0: nothing was ever written to it
	clean   bool // the last run ended in order
}

// applicationID marks the file as ours, "FSPL".
const applicationID = 0x4653504c

// inspect reads whose database it is, and how it was left. It writes nothing.
func (db *DB) inspect(ctx context.Context, pool *sql.DB) (c condition, err error) {
	var application, objects int
	err = pool.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&application, &c.version, &objects)
	switch {
	case err != nil:
	case application == 0 && c.version == 0 && objects == 0:
		return c, nil
	case application != applicationID:
		return c, fmt.Errorf("open %s: %w", db.path, ErrForeign)
	case c.version > len(db.o.Schema):
		return c, newer(db.path, c.version, len(db.o.Schema))
	default:
		err = pool.QueryRowContext(ctx, "SELECT coalesce((SELECT value FROM meta WHERE key = 'clean'), 0)").Scan(&c.clean)
	}
	if err != nil {
		err = StorageError(fmt.Errorf("read database: %w", err))
	}
	return c, err
}
