// Package memory keeps on disk what was answered, so that each thing is asked once.
//
// It owns a SQLite file for each that is asked, beside the queue. It is a cache: with
// it nothing is lost but questions that were asked already. A file that cannot be read
// is made anew. What was found is believed for 30 days; TMDB's terms allow six months.
// What was not found, hits of a search, and the list of a season are believed for 20
// hours: new films and new episodes come.
package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/filmspool/filmspool/queue/resolve/identity"
)

const (
	foundFor = 30 * 24 * time.Hour
	grows    = 20 * time.Hour // shorter than the first wait before an entry is asked about again
)

// Memory is an open file.
type Memory struct {
	db   *sql.DB
	from string // who answers
	now  func() time.Time
}

// Open opens or makes the file, for the answers of one that answers: another
// address may say other things.
func Open(ctx context.Context, file, from string) (*Memory, error) {
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open the memory of answers: %s is no plain file", file)
	}
	db, err := open(ctx, file)
	if said, ok := errors.AsType[*sqlite.Error](err); ok && (said.Code()&0xff == sqlite3.SQLITE_NOTADB || said.Code()&0xff == sqlite3.SQLITE_CORRUPT) {
		if err := Remove(file); err != nil {
			return nil, fmt.Errorf("make the memory of answers anew: %w", err)
		}
		db, err = open(ctx, file)
	}
	if err != nil {
		return nil, fmt.Errorf("open the memory of answers: %w", err)
	}
	return &Memory{db: db, from: from, now: time.Now}, nil
}

func open(ctx context.Context, file string) (*sql.DB, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	slashed := filepath.ToSlash(file)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	place := url.URL{Scheme: "file", Path: slashed, RawQuery: "_pragma=busy_timeout(2000)&_pragma=synchronous(off)"}
	db, err := sql.Open("sqlite", place.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS answers (question TEXT PRIMARY KEY, body TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
		CREATE INDEX IF NOT EXISTS answers_at ON answers (at)`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Remove removes the file and what SQLite keeps beside it.
func Remove(file string) error {
	var all error
	for _, name := range []string{file, file + "-journal"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// Close closes the file.
func (m *Memory) Close() error { return m.db.Close() }

// Recall is what is remembered of some questions, and young enough.
func (m *Memory) Recall(ctx context.Context, wanted []identity.Question) (map[identity.Question]identity.Answer, error) {
	byKey := map[string]identity.Question{}
	keys := make([]string, len(wanted))
	for i, q := range wanted {
		keys[i] = m.key(q)
		byKey[keys[i]] = q
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, fmt.Errorf("recall answers: %w", err)
	}
	rows, err := m.db.QueryContext(ctx, `SELECT a.question, a.body, a.at FROM json_each(?) AS w CROSS JOIN answers AS a ON a.question = w.value`, string(list))
	if err != nil {
		return nil, fmt.Errorf("recall answers: %w", err)
	}
	defer rows.Close()
	found := map[identity.Question]identity.Answer{}
	for rows.Next() {
		var question, body string
		var at int64
		if err := rows.Scan(&question, &body, &at); err != nil {
			return nil, fmt.Errorf("recall answers: %w", err)
		}
		var a identity.Answer
		if q := byKey[question]; json.Unmarshal([]byte(body), &a) == nil && m.young(q, a, time.UnixMilli(at)) {
			found[q] = a
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("recall answers: %w", err)
	}
	return found, nil
}

// young reports whether an answer may still be believed. One from the future is
// not: the clock was wrong, then or now.
func (m *Memory) young(q identity.Question, a identity.Answer, at time.Time) bool {
	lasts := foundFor
	switch {
	case len(a.Films)+len(a.Series)+len(a.Episodes) == 0, q.Ask == identity.AskSeason, q.Ask == identity.SearchFor, q.Ask == identity.SearchTV:
		lasts = grows
	}
	age := m.now().Sub(at)
	return age >= 0 && age < lasts
}

// Keep remembers answers.
func (m *Memory) Keep(ctx context.Context, answers map[identity.Question]identity.Answer) error {
	t, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("remember answers: %w", err)
	}
	for q, a := range answers {
		body, err := json.Marshal(a)
		if err == nil {
			_, err = t.ExecContext(ctx, "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", m.key(q), string(body), m.now().UnixMilli())
		}
		if err != nil {
			return errors.Join(fmt.Errorf("remember answers: %w", err), t.Rollback())
		}
	}
	_, err = t.ExecContext(ctx, "DELETE FROM answers WHERE at < ?", m.now().Add(-foundFor).UnixMilli())
	if err != nil {
		return errors.Join(fmt.Errorf("remember answers: %w", err), t.Rollback())
	}
	if err := t.Commit(); err != nil {
		return fmt.Errorf("remember answers: %w", err)
	}
	return nil
}

// key is a question as one text.
func (m *Memory) key(q identity.Question) string {
	return fmt.Sprintf("%s %s %d %d %t %s", m.from, q.Ask, q.Number, q.Season, q.Own, q.Text)
}
