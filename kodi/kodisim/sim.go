package kodisim

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// What an act can be refused for.
var (
	// ErrNoItem: the library has no such film, episode, show or file.
	ErrNoItem = errors.New("no such item in the library")
	// ErrSchema: the library's schema is not 121 or 131, or the act needs the
	// other one.
	ErrSchema = errors.New("not possible in this schema")
)

// Sim is one library, held open as Kodi holds its own. Its methods may not be
// called at the same time.
type Sim struct {
	path    string
	version int
	db      *sql.DB
}

// Open opens the library file at path: one of a real Kodi or one of ours. It
// will be written to.
func Open(path string) (*Sim, error) {
	s, err := open(path, "rw")
	if err != nil {
		return nil, err
	}
	if err := s.db.QueryRow(`select idVersion from version`).Scan(&s.version); err != nil {
		return nil, errors.Join(fmt.Errorf("open library %s: %w", path, err), s.Close())
	}
	if s.version != 121 && s.version != 131 {
		return nil, errors.Join(fmt.Errorf("open library %s: %w: %d", path, ErrSchema, s.version), s.Close())
	}
	return s, nil
}

// patience is how long a write waits for readers. Kodi waits for ever.
const patience = 30 * time.Second

func open(path, mode string) (*Sim, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open library: %w", err)
	}
	query := url.Values{
		"mode": {mode}, "_txlock": {"immediate"},
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "synchronous(normal)"},
	}
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(abs), "/")
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, fmt.Errorf("open library: %w", err)
	}
	db.SetMaxOpenConns(1)
	if err := db.Ping(); err != nil {
		return nil, errors.Join(fmt.Errorf("open library %s: %w", path, err), db.Close())
	}
	return &Sim{path: abs, db: db}, nil
}

// Path is the library file.
func (s *Sim) Path() string { return s.path }

// Close lets go of the file.
func (s *Sim) Close() error { return s.db.Close() }

// write runs one transaction. Kodi takes the write lock when it begins.
func (s *Sim) write(act func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	if err := act(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// clock is a time as Kodi writes it: the wall clock, without a zone.
func clock(at time.Time) string { return at.Format("2006-01-02 15:04:05") }
