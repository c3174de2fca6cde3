package main

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// transcript is the output of several programs.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *transcript) add(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// keepsItsKey fails the test if the key is anywhere but in its file.
func (h *fixture) keepsItsKey() {
	for _, leak := range h.leaks() {
		h.t.Error(leak)
	}
}

// leaks returns every place that contains the key or a large part of it, plain or encoded: the
// output, every file in the folder, and every column of its databases, except the key file.
func (h *fixture) leaks() (found []string) {
	if part := disclosed([]byte(h.said.String())); part != "" {
		found = append(found, fmt.Sprintf("the key (%s) stands in what was printed", part))
	}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if filepath.Base(filepath.Dir(path)) == "keys" && filepath.Ext(path) == ".json" {
			return nil
		}
		text, err := os.ReadFile(path)
		if part := disclosed(text); part != "" {
			found = append(found, fmt.Sprintf("the key (%s) stands in %s", part, path))
		}
		if err == nil && bytes.HasPrefix(text, []byte("SQLite format 3\x00")) {
			found = append(found, leaksInDatabase(path)...)
		}
		return err
	})
	if err != nil {
		found = append(found, err.Error())
	}
	return found
}

// disclosed returns the part of the key that text contains and its encoding, or "". Twelve
// consecutive characters count.
func disclosed(text []byte) string {
	const part = 12
	for i := 0; i+part <= len(secretKey); i++ {
		if piece := secretKey[i : i+part]; bytes.Contains(text, []byte(piece)) {
			return piece
		}
	}
	for how, disguised := range map[string]string{
		"in base64":      strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secretKey)), "="),
		"in hexadecimal": hex.EncodeToString([]byte(secretKey)),
	} {
		if bytes.Contains(text, []byte(disguised)) {
			return how
		}
	}
	return ""
}

// leaksInDatabase checks each value: one that crosses pages of the file cannot be found in its
// bytes.
func leaksInDatabase(path string) (found []string) {
	db, err := readOnly(path)
	if err != nil {
		return []string{err.Error()}
	}
	defer db.Close()
	tables, err := columnOf(db, "SELECT name FROM sqlite_schema WHERE type = 'table'")
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", path, err)}
	}
	for _, table := range tables {
		columns, err := columnOf(db, "SELECT name FROM pragma_table_xinfo(?)", table)
		if err != nil {
			found = append(found, err.Error())
		}
		for _, column := range columns {
			values, err := columnOf(db, fmt.Sprintf("SELECT CAST(%q AS TEXT) FROM %q WHERE %q IS NOT NULL", column, table, column))
			if err != nil {
				found = append(found, err.Error())
			}
			if part := disclosed([]byte(strings.Join(values, "\n"))); part != "" {
				found = append(found, fmt.Sprintf("the key (%s) stands in %s, %s.%s", part, path, table, column))
			}
		}
	}
	return found
}

// readOnly opens a database that no program has open.
func readOnly(path string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro&_pragma=busy_timeout(5000)")
}

// columnOf returns a column as text.
func columnOf(db *sql.DB, query string, args ...any) ([]string, error) {
	rows, err := db.Query(query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var one sql.RawBytes
		if err := rows.Scan(&one); err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		all = append(all, string(one))
	}
	return all, rows.Err()
}

// The search finds a key in each kind of place.
func TestLeaksAreFound(t *testing.T) {
	t.Parallel()
	h := &fixture{t: t, dir: t.TempDir()}
	must(t, os.Mkdir(filepath.Join(h.dir, "keys"), 0o700))
	must(t, os.WriteFile(filepath.Join(h.dir, "keys", "default.json"), []byte(secretKey), 0o600))
	if found := h.leaks(); len(found) != 0 {
		t.Fatalf("found %q in a house that keeps its key", found)
	}
	h.said.add([]byte("error: The key " + secretKey + " is wrong"))
	must(t, os.WriteFile(filepath.Join(h.dir, "support.txt"), []byte("key: …"+secretKey[3:]), 0o600))
	must(t, os.WriteFile(filepath.Join(h.dir, "dump"), []byte(base64.StdEncoding.EncodeToString([]byte(secretKey))), 0o600))
	must(t, plantAcrossPages(filepath.Join(h.dir, "a.db")))
	if found := h.leaks(); len(found) != 4 {
		t.Errorf("found %q, want four", found)
	}
}

// plantAcrossPages creates a database that contains the key across pages.
func plantAcrossPages(path string) error {
	for after := 600; after < 1200; after += 3 {
		os.Remove(path)
		db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=page_size(512)&_pragma=synchronous(off)")
		if err != nil {
			return err
		}
		_, err = db.Exec("CREATE TABLE t (note TEXT); INSERT INTO t VALUES (?)", strings.Repeat("x", 900)+secretKey+strings.Repeat("x", after))
		if err := errors.Join(err, db.Close()); err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || disclosed(text) == "" {
			return err
		}
	}
	return errors.New("the key never lay across pages")
}
