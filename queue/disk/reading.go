package disk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// OpenReading opens a queue to read it and changes nothing: it makes no queue,
// migrates none and sets nothing aside. It works on a full and on a read-only
// disk; there, what the log has is put together in memory, which takes as much
// of it as the database is large. Writes are refused with [ErrStorage]. The
// caller holds the folder's lock, or says that the file is shared. The error wraps [ErrNone], [ErrNewer],
// [ErrForeign], [ErrDamaged] or [ErrStorage].
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
	case len(header) == 0 && nothing(f.path+"-wal") && nothing(f.path+"-run"):
		return fmt.Errorf("%w: %s is missing", ErrNone, f.path)
	case len(header) == 0:
		return fmt.Errorf("%w: %s is missing or empty", ErrDamaged, f.path)
	}
	log, err := os.Stat(f.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %w: %w", ErrStorage, err)
	}
	if !shared && (err != nil || log.Size() == 0) {
		f.reader, err = openUnchanged(f.path)
	} else {
		f.reader, err = openReader(f.path)
	}
	if err != nil {
		return err
	}
	err = f.usable(ctx)
	if err == nil || isDamage(err) || errors.Is(err, ErrNewer) || errors.Is(err, ErrForeign) || errors.Is(err, errOlder) {
		return readingError(err)
	}
	f.logger.Debug("the database is read into memory", "error", err)
	return readingError(errors.Join(f.reader.Close(), f.readIntoMemory(ctx), f.usable(ctx)))
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
func openUnchanged(path string) (*sql.DB, error) {
	dsn, err := address(path, "ro")
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn+"&immutable=1")
	if err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	return db, nil
}

// readIntoMemory puts database and log together where no disk is needed.
func (f *File) readIntoMemory(ctx context.Context) error {
	content, err := os.ReadFile(f.path)
	if err != nil {
		return fmt.Errorf("read database: %w: %w", ErrStorage, err)
	}
	log, err := os.ReadFile(f.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %w: %w", ErrStorage, err)
	}
	if found := readLog(log); !found.empty() {
		content = found.over(content)
	}
	if len(content) < headerSize {
		return fmt.Errorf("%w: %s is too short", ErrDamaged, f.path)
	}
	content[18], content[19] = 1, 1 // a database in memory keeps no log
	conn, err := f.openInMemory(ctx)
	if err != nil {
		return err
	}
	err = conn.Raw(func(below any) error {
		into, ok := below.(interface{ Deserialize(content []byte) error })
		if !ok {
			return errors.New("the driver reads nothing from memory")
		}
		return into.Deserialize(content)
	})
	if err := errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	return nil
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
	return !nothing(path) || !nothing(path+"-wal") || !nothing(path+"-run")
}
