package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// OpenReading opens a database to read it and changes nothing. Writes fail with
// [ErrStorage]. The error wraps [ErrNone], [ErrNewer], [ErrForeign], [ErrDamaged] or
// [ErrStorage].
func OpenReading(ctx context.Context, o Options) (*DB, error) {
	db := newReadOnly(o)
	err := db.openReading(ctx)
	if isDamage(err) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, errors.Join(err, db.closeFiles())
	}
	return db, nil
}

// OpenNothing is [OpenReading] where nothing can be read: an empty database in
// memory.
func OpenNothing(ctx context.Context, o Options) (*DB, error) {
	db := newReadOnly(o)
	var err error
	if db.reader, err = sql.Open("sqlite", ":memory:"); err != nil {
		return nil, err
	}
	db.reader.SetMaxOpenConns(1) // another one would have a memory of its own
	for _, script := range db.o.Schema {
		if _, err := db.reader.ExecContext(ctx, script); err != nil {
			return nil, errors.Join(err, db.closeFiles())
		}
	}
	return db, nil
}

// newReadOnly is a DB whose writer has ended.
func newReadOnly(o Options) *DB {
	db := newDB(o)
	db.readOnly = true
	db.started.Store(true)
	close(db.done)
	return db
}

func (db *DB) openReading(ctx context.Context) (err error) {
	logged := size(db.path+"-wal") > 0
	switch {
	case size(db.path) == 0 && logged:
		return fmt.Errorf("%w: %s is missing or empty", ErrDamaged, db.path)
	case size(db.path) == 0:
		return fmt.Errorf("%w: %s is missing or empty", ErrNone, db.path)
	}
	how := unchanged
	if logged {
		how = reading
	}
	if db.reader, err = db.pool(db.path, how, nil); err != nil {
		return err
	}
	found, err := db.inspect(ctx, db.reader)
	if err == nil && found.version < len(db.o.Schema) {
		err = errors.New("an earlier version wrote the queue; it is brought up to date when filmspool runs")
	}
	db.installation = found.installation
	return err
}

// condition is how a database was found.
type condition struct {
	version      int  // 0: nothing was ever written to it
	clean        bool // the last run ended in order
	installation string
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
		return c, &newerError{db.path, c.version, len(db.o.Schema)}
	default:
		err = pool.QueryRowContext(ctx, `SELECT coalesce((SELECT value FROM meta WHERE key = 'clean'), 0),
			coalesce((SELECT value FROM meta WHERE key = 'installation'), '')`).Scan(&c.clean, &c.installation)
	}
	if err != nil {
		err = StorageError(fmt.Errorf("read database: %w", err))
	}
	return c, err
}
