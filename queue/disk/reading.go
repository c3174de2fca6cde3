package disk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// OpenReading opens a queue to read it and changes nothing: it makes no queue,
// migrates none and sets nothing aside. On a full or read-only disk it may have to
// read a copy in a temporary folder. Writes are refused with [ErrStorage]. The
// caller holds the folder's lock, or says that the file is shared. The error wraps
// [ErrNone], [ErrNewer], [ErrForeign], [ErrDamaged] or [ErrStorage].
func OpenReading(ctx context.Context, o Options) (*File, error) {
	f := newFile(o)
	f.reading = true
	close(f.done) // nobody writes
	if err := f.openToRead(ctx, o.Shared); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// openToRead finds a way to read the database.
func (f *File) openToRead(ctx context.Context, shared bool) error {
	header, err := head(f.path)
	switch {
	case err != nil:
		return fmt.Errorf("read database: %w: %w", ErrStorage, err)
	case len(header) == 0 && nothing(f.path+"-wal"):
		return fmt.Errorf("%w: %s is missing", ErrNone, f.path)
	case len(header) == 0:
		return fmt.Errorf("%w: %s is missing or empty", ErrDamaged, f.path)
	}
	log, err := os.Stat(f.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %w: %w", ErrStorage, err)
	}
	if !shared && (err != nil || log.Size() == 0) {
		f.reader, err = openUnchanged(f.path, f.busy)
	} else {
		f.reader, err = openReader(f.path, f.busy)
	}
	if err != nil {
		return err
	}
	err = f.usable(ctx)
	if err == nil || isDamage(err) || errors.Is(err, ErrNewer) || errors.Is(err, ErrForeign) || errors.Is(err, errOlder) {
		return readingError(err)
	}
	f.logger.Debug("a copy of the database is read", "error", err)
	if err := errors.Join(f.reader.Close(), f.readCopy()); err != nil {
		return err
	}
	return readingError(f.usable(ctx))
}

// readingError says of damage what it is to a reader.
func readingError(err error) error {
	if isDamage(err) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// errOlder is a database that must be migrated first.
var errOlder = errors.New("an earlier version wrote the queue; it is brought up to date when filmspool runs")

// usable makes sure that the database can be read, and is of the schema that
// is known.
func (f *File) usable(ctx context.Context) error {
	known := len(f.schema)
	found, version, err := glance(ctx, f.reader, f.path, known)
	switch {
	case err != nil:
		return err
	case found.fresh:
		return fmt.Errorf("%w: %s is empty", ErrNone, f.path)
	case version < known:
		return errOlder
	}
	err = f.reader.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'installation'").Scan(&f.installation)
	if err != nil {
		return fmt.Errorf("read database: %w: %w", ErrStorage, err)
	}
	return nil
}

// openUnchanged opens a database without a log. SQLite makes no file beside it.
func openUnchanged(path string, busy time.Duration) (*sql.DB, error) {
	dsn, err := address(path, "ro", busy)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn+"&immutable=1")
	if err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	return db, nil
}

// readCopy reads copies of database and log in a temporary folder: SQLite must be
// able to make files beside a database that has a log.
func (f *File) readCopy() (err error) {
	if f.scratch, err = os.MkdirTemp("", "filmspool-read-"); err != nil {
		return fmt.Errorf("copy database: %w: %w", ErrStorage, err)
	}
	copied := filepath.Join(f.scratch, "queue.db")
	for _, part := range parts()[:2] {
		content, err := os.ReadFile(f.path + part)
		if err == nil {
			err = os.WriteFile(copied+part, content, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("copy database: %w: %w", ErrStorage, err)
		}
	}
	f.reader, err = openReader(copied, f.busy)
	return err
}

// OpenNothing is [OpenReading] for a file of which nothing can be read: there is
// nothing in it.
func OpenNothing(ctx context.Context, o Options) (*File, error) {
	f := newFile(o)
	f.reading = true
	close(f.done) // nobody writes
	conn, err := f.openInMemory(ctx)
	if err == nil {
		err = errors.Join(migrate(ctx, conn, f.schema), conn.Close())
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// openInMemory makes a database that lies in the one connection of the reader.
func (f *File) openInMemory(ctx context.Context) (*sql.Conn, error) {
	var err error
	if f.reader, err = sql.Open("sqlite", ":memory:"); err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	f.reader.SetMaxOpenConns(1)
	conn, err := f.reader.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	return conn, nil
}

// There reports whether there is a queue at path, or what is left of one.
func There(path string) bool {
	return !nothing(path) || !nothing(path+"-wal")
}
