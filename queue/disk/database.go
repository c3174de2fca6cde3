package disk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// applicationID marks the file as ours, "FSPL".
const applicationID = 0x4653504c

// address is the URI of the database. SQLite honours mode only in a URI, and
// every connection of a pool gets the pragmas only from there. The time-out
// comes first, so that the pragmas after it wait too.
func address(path, mode string, busy time.Duration, pragmas ...string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find database: %w", err)
	}
	slashed := filepath.ToSlash(full)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	query := url.Values{"mode": {mode}, "_txlock": {"immediate"}}
	for _, pragma := range append([]string{fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds())}, pragmas...) {
		query.Add("_pragma", pragma)
	}
	if mode == "ro" {
		query.Del("_txlock")
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	return u.String(), nil
}

// openPool opens a pool of at most n connections.
func openPool(n int, path, mode string, busy time.Duration, pragmas ...string) (*sql.DB, error) {
	dsn, err := address(path, mode, busy, pragmas...)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// openReader opens the connections that read.
func openReader(path string, busy time.Duration) (*sql.DB, error) {
	return openPool(2, path, "ro", busy)
}

// makeFile makes the file and its folder for this user only. SQLite gives the
// files beside it the same mode.
func makeFile(path string) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	defer file.Close()
	if err := file.Chmod(0o600); err != nil {
		return fmt.Errorf("restrict database: %w", err)
	}
	return nil
}

// makeFolder makes dir and what is missing above it, and has the system put
// each new name on disk: a database in a lost folder is lost.
func makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o700)
	switch {
	case err == nil:
		syncFolder(filepath.Dir(dir))
		return nil
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir:
		if err := makeFolder(filepath.Dir(dir)); err != nil {
			return err
		}
		return makeFolder(dir)
	default:
		return fmt.Errorf("create state folder: %w", err)
	}
}

// syncFolder is best effort: not every system lets a folder be flushed.
func syncFolder(dir string) {
	if folder, err := os.Open(dir); err == nil {
		_ = folder.Sync()
		folder.Close()
	}
}

// look is what was found at a path.
type look struct {
	fresh bool // a file with nothing in it
	clean bool // the last run ended in order
}

// probe looks whose file it is before anything is written to it, and how it
// was left.
func (f *File) probe(ctx context.Context) (look, error) {
	db, err := openPool(1, f.path, "ro", f.busy)
	if err != nil {
		return look{}, err
	}
	defer db.Close()
	found, _, err := glance(ctx, db, f.path, len(f.schema))
	return found, err
}

// glance is probe for a database that is open. It tells the version, too.
func glance(ctx context.Context, db *sql.DB, path string, known int) (found look, version int, err error) {
	var application, objects int
	err = db.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&application, &version, &objects)
	switch {
	case err != nil:
		return look{}, 0, fmt.Errorf("read database: %w: %w", ErrStorage, err)
	case application == 0 && version == 0 && objects == 0:
		return look{fresh: true}, 0, nil
	case application != applicationID:
		return look{}, 0, fmt.Errorf("open %s: %w", path, ErrForeign)
	case version > known:
		return look{}, 0, newer(path, version, known)
	}
	var clean bool
	err = db.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'clean'").Scan(&clean)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return look{}, 0, fmt.Errorf("read database: %w: %w", ErrStorage, err)
	}
	return look{clean: clean}, version, nil
}
