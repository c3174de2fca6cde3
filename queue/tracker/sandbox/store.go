package sandbox

import (
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the "sqlite" driver
)

const (
	schemaVersion = 1
	applicationID = 0x46537362 // "FSsb": tells this file from other SQLite files
)

//go:embed schema.sql
var schema string

// store is the SQLite file. It has one connection, so statements never wait
// for each other's locks; whoever reads rows drains them before the next.
type store struct{ db *sql.DB }

// openStore opens or makes the file at path. The error says when the file is
// another program's, or of a newer version of this one.
func openStore(ctx context.Context, path string) (*store, error) {
	if path == "" {
		return nil, errors.New("open store: no path given")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := touch(path); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db, err := sql.Open("sqlite", dataSource(path))
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db.SetMaxOpenConns(1)
	s := &store{db: db}
	if err := s.inTx(ctx, migrate); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), db.Close())
	}
	return s, nil
}

// touch makes the file readable by its owner alone: SQLite would follow the
// umask. An existing file is not opened, since closing it would drop locks.
func touch(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// dataSource is a file: URI; a plain path would pass no option to SQLite.
// busy_timeout comes first, so that the other pragmas already wait.
func dataSource(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	query := url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(wal)", "synchronous(full)"},
		"_txlock": {"immediate"},
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

func migrate(ctx context.Context, tx *sql.Tx) error {
	var version, owner, tables int
	err := errors.Join(
		tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version),
		tx.QueryRowContext(ctx, "PRAGMA application_id").Scan(&owner),
		tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables))
	switch {
	case err != nil:
		return fmt.Errorf("read version: %w", err)
	case tables == 0:
		_, err = tx.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA user_version = %d; PRAGMA application_id = %d",
			schema, schemaVersion, applicationID))
	case owner != applicationID:
		return errors.New("the file is another program's database")
	case version > schemaVersion:
		return fmt.Errorf("the file is of a newer version (%d, known is %d)", version, schemaVersion)
	}
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, listItems)
	return err
}

func (s *store) close() error { return s.db.Close() }

// inTx runs do in one transaction, and rolls back when it fails.
func (s *store) inTx(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// own is the service's own value of that name, made and kept when absent.
func (s *store) own(ctx context.Context, name, fresh string) (value string, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO own (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", name, fresh); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT value FROM own WHERE name = ?", name).Scan(&value)
	})
	if err != nil {
		return "", fmt.Errorf("read own %s: %w", name, err)
	}
	return value, nil
}

// record keeps what the request asks for and, when it carries a key, the
// answer: both or nothing.
func (s *store) record(ctx context.Context, r request) (a answer, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if a, err = r.input.save(ctx, tx, r); err != nil || !r.once {
			return err
		}
		sum := sha256.Sum256(r.body)
		_, err := tx.ExecContext(ctx, "INSERT INTO answers (idempotency_key, operation, body_sum, status, body) VALUES (?, ?, ?, ?, ?)",
			r.key, r.operation, sum[:], a.status, a.body)
		return err
	})
	if err != nil {
		return answer{}, fmt.Errorf("record %s: %w", r.operation, err)
	}
	return a, nil
}

// recall finds the first answer to the request's key. It refuses the key for
// another body or operation.
func (s *store) recall(ctx context.Context, r request) (a answer, found bool, err error) {
	var operation string
	var sum []byte
	err = s.db.QueryRowContext(ctx, "SELECT operation, body_sum, status, body FROM answers WHERE idempotency_key = ?", r.key).
		Scan(&operation, &sum, &a.status, &a.body)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return answer{}, false, nil
	case err != nil:
		return answer{}, false, fmt.Errorf("recall answer: %w", err)
	case operation != r.operation || sha256.Sum256(r.body) != [sha256.Size]byte(sum):
		return answer{}, false, reusedKey()
	}
	return a, true, nil
}
