package queue

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/rules"
)

// change opens the file with nothing of ours around it and runs statements.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenMakesTheDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b", "50% #1?", "queue.db")
	s := open(t, path, newClock())
	for pragma, want := range map[string]string{
		"application_id": "1179865164", "user_version": "8", "journal_mode": "wal", "foreign_key_check": "",
	} {
		var got string
		err := s.reader.QueryRow("PRAGMA " + pragma).Scan(&got)
		if err != nil && !errors.Is(err, sql.ErrNoRows) || got != want {
			t.Errorf("%s is %q, %v, want %q", pragma, got, err, want)
		}
	}
	s.commit(t, film("e1", 1, -1))
	if runtime.GOOS != "windows" {
		for name, want := range map[string]fs.FileMode{
			path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, filepath.Dir(path): fs.ModeDir | 0o700,
		} {
			if info, err := os.Stat(name); err != nil || info.Mode() != want {
				t.Errorf("%s has mode %v, %v, want %v", name, info.Mode(), err, want)
			}
		}
	}
	id := s.InstallationID()
	s = s.reopen(t)
	if id == "" || s.InstallationID() != id {
		t.Errorf("installation %q became %q", id, s.InstallationID())
	}
	other := fresh(t)
	if other.InstallationID() == id {
		t.Error("two installations of one name")
	}
	s.stop()
	if left, _ := filepath.Glob(path + "-*"); !slices.Equal(left, []string{path + "-run"}) {
		t.Errorf("left %v after a clean end", left)
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name   string
		spoil  func(t *testing.T, path string)
		want   error
		intact bool
	}{
		{"newer", func(t *testing.T, path string) { change(t, path, "PRAGMA user_version = 999") }, disk.ErrNewer, true},
		{"foreign", func(t *testing.T, path string) { change(t, path, "PRAGMA application_id = 7") }, disk.ErrForeign, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fresh(t)
			s.stop()
			tt.spoil(t, s.path)
			before, err := os.ReadFile(s.path)
			if err != nil {
				t.Fatal(err)
			}
			opened, err := Open(t.Context(), Options{Path: s.path})
			if !errors.Is(err, tt.want) || opened != nil {
				t.Fatalf("open: %v, want %v", err, tt.want)
			}
			after, err := os.ReadFile(s.path)
			if err != nil || string(before) != string(after) {
				t.Errorf("the file was changed, %v", err)
			}
		})
	}
}

func TestEveryTableIsStrict(t *testing.T) {
	s := fresh(t)
	rows, err := s.reader.Query("SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite_%'")
	loose, err := disk.Collect(rows, err, func(r *sql.Rows) (name string, err error) { return name, r.Scan(&name) })
	if err != nil || len(loose) > 0 {
		t.Errorf("not strict: %v, %v", loose, err)
	}
}

// plan is what SQLite means to do for a query, one step a line.
func plan(t *testing.T, s *Store, query string, args ...any) string {
	t.Helper()
	rows, err := s.reader.Query("EXPLAIN QUERY PLAN "+query, args...)
	steps, err := disk.Collect(rows, err, func(r *sql.Rows) (detail string, err error) {
		var id, parent, unused int
		return detail, r.Scan(&id, &parent, &unused, &detail)
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

func TestQueryPlans(t *testing.T) {
	s := fresh(t)
	due := `SEARCH n USING INDEX entries_due \(account=\? AND lane=\? AND next_at<\?\)`
	elder := `SEARCH elder USING INDEX entries_unfinished \(account=\? AND item_key=\? AND .*<`
	tests := []struct {
		name  string
		query string
		args  []any
		want  []string
	}{
		{"lease", selectDue, []any{"a", 1, 1, 0, 1}, []string{due, elder, `SEARCH first USING INTEGER PRIMARY KEY`}},
		{"next due", selectNextDue, []any{"a", 1, 1, 0}, []string{`SEARCH n USING INDEX entries_due \(account=\? AND lane=\?\)`, elder}},
		{"astray", updateAstray, []any{"a", 1, 0, 1}, []string{`SEARCH entries USING INDEX entries_due \(account=\? AND lane=\? AND next_at>\?\)`}},
		{"pending after", selectPendingAfter, []any{1, "a"}, []string{`SEARCH entries USING INTEGER PRIMARY KEY \(rowid>\?\)`}},
		{"leased", selectLeased, []any{"[1]"}, []string{`SCAN wanted`, `SEARCH n USING INTEGER PRIMARY KEY`}},
		{"left sending", selectLeft, nil, []string{`USING COVERING INDEX entries_open`}},
	}
	for _, tt := range tests {
		got := plan(t, s.Store, tt.query, tt.args...)
		for _, want := range tt.want {
			if !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("%s does not %s:\n%s", tt.name, want, got)
			}
		}
		if strings.Contains(got, "TEMP B-TREE") {
			t.Errorf("%s sorts:\n%s", tt.name, got)
		}
	}
}

func TestOpenWithoutAPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), Options{Path: filepath.Join(file, "queue.db"), Settings: rules.Settings{}}); err == nil {
		t.Error("opened below a file")
	}
}
