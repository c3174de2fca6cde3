package resolve

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
)

// How long answers are believed. TMDB's terms allow six months. What was not found,
// hits of a search, and the list of a season grow: new films and episodes come.
const (
	foundFor = 30 * 24 * time.Hour
	growsFor = 20 * time.Hour // shorter than the first wait before an entry is asked about again
)

// Cache keeps on disk what was answered, so that each thing is asked once. With it
// nothing is lost but questions that were asked already: a file that cannot be read is
// made again. A nil Cache remembers nothing.
type Cache struct {
	db  *sql.DB
	now func() time.Time
}

// OpenCache opens or makes the file. Answers of others than those named, as "TMDB",
// are forgotten: TMDB's terms ask for that. fresh is true where somebody named has
// not answered yet.
func OpenCache(ctx context.Context, file string, names ...string) (c *Cache, fresh bool, err error) {
	db, err := openCache(ctx, file)
	if broken, ok := errors.AsType[*sqlite.Error](err); ok && (broken.Code()&0xff == sqlite3.SQLITE_NOTADB || broken.Code()&0xff == sqlite3.SQLITE_CORRUPT) {
		if err = RemoveCache(file); err == nil {
			db, err = openCache(ctx, file)
		}
	}
	if err != nil {
		return nil, false, fmt.Errorf("open the cache of answers: %w", err)
	}
	list, _ := json.Marshal(names)
	known := 0
	err = db.QueryRowContext(ctx, "SELECT count(DISTINCT who) FROM answers WHERE who IN (SELECT value FROM json_each(?))", string(list)).Scan(&known)
	if err == nil {
		_, err = db.ExecContext(ctx, "DELETE FROM answers WHERE who NOT IN (SELECT value FROM json_each(?))", string(list))
	}
	if err != nil {
		return nil, false, errors.Join(fmt.Errorf("open the cache of answers: %w", err), db.Close())
	}
	return &Cache{db: db, now: time.Now}, known < len(names), nil
}

func openCache(ctx context.Context, file string) (*sql.DB, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(file), "/") // also before a drive letter
	place := url.URL{Scheme: "file", Path: slashed, RawQuery: "_pragma=busy_timeout(2000)&_pragma=synchronous(off)"}
	db, err := sql.Open("sqlite", place.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS answers (who TEXT, question TEXT, body TEXT NOT NULL, at INTEGER NOT NULL,
		PRIMARY KEY (who, question)) WITHOUT ROWID; CREATE INDEX IF NOT EXISTS answers_at ON answers (at)`); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// RemoveCache removes the file and what SQLite keeps beside it.
func RemoveCache(file string) (all error) {
	for _, name := range []string{file, file + "-journal"} {
		if err := os.Remove(name); !errors.Is(err, os.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// Close closes the file.
func (c *Cache) Close() error {
	if c == nil {
		return nil
	}
	return c.db.Close()
}

// recall is what is remembered of some questions, and young enough.
func (c *Cache) recall(ctx context.Context, who string, wanted []Question) (map[Question]*Answer, error) {
	found := map[Question]*Answer{}
	if c == nil {
		return found, nil
	}
	for _, q := range wanted {
		var body string
		var at int64
		err := c.db.QueryRowContext(ctx, "SELECT body, at FROM answers WHERE who = ? AND question = ?", who, q.key()).Scan(&body, &at)
		var a Answer
		switch {
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return found, fmt.Errorf("recall answers: %w", err)
		case err == nil && json.Unmarshal([]byte(body), &a) == nil && c.young(q, a, time.UnixMilli(at)):
			found[q] = &a
		}
	}
	return found, nil
}

// young reports whether an answer may still be believed. One from the future is not:
// the clock was wrong, then or now.
func (c *Cache) young(q Question, a Answer, at time.Time) bool {
	lasts := foundFor
	if a.empty() || q.Ask == Season || q.Ask == ByTitle {
		lasts = growsFor
	}
	age := c.now().Sub(at)
	return age >= 0 && age < lasts
}

// keep remembers answers, and forgets those that are too old.
func (c *Cache) keep(ctx context.Context, who string, answers map[Question]*Answer) error {
	if c == nil {
		return nil
	}
	t, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("keep answers: %w", err)
	}
	defer t.Rollback()
	for q, a := range answers {
		if a == nil {
			continue
		}
		body, err := json.Marshal(a)
		if err == nil {
			_, err = t.ExecContext(ctx, "INSERT OR REPLACE INTO answers (who, question, body, at) VALUES (?, ?, ?, ?)", who, q.key(), string(body), c.now().UnixMilli())
		}
		if err != nil {
			return fmt.Errorf("keep answers: %w", err)
		}
	}
	if _, err := t.ExecContext(ctx, "DELETE FROM answers WHERE at < ?", c.now().Add(-foundFor).UnixMilli()); err != nil {
		return fmt.Errorf("keep answers: %w", err)
	}
	return t.Commit()
}

// key is a question as one text.
func (q Question) key() string {
	return fmt.Sprintf("%s %s %d %d %d %s", q.Ask, q.Kind, q.Number, q.Season, q.Year, q.Text)
}
