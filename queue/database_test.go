package queue

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/sqlite"
)

// change opens the file with plain SQLite and runs statements.
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

func TestOpenCreatesTheDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b", "50% #1?", "queue.db")
	s := open(t, path, newClock())
	for pragma, want := range map[string]string{
		"application_id": "1179865164", "user_version": "1", "journal_mode": "wal", "foreign_key_check": "",
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
	other := openNew(t)
	if other.InstallationID() == id {
		t.Error("two installations of one name")
	}
	s.stop()
	if left := files(t, path+"-"); len(left) != 1 || left[0] != path+"-count" {
		t.Errorf("left %v after a clean end", left)
	}
}

func TestOpenRejectsForeignAndNewerDatabases(t *testing.T) {
	tests := []struct {
		name   string
		spoil  func(t *testing.T, path string)
		want   error
		intact bool
	}{
		{"newer", func(t *testing.T, path string) { change(t, path, "PRAGMA user_version = 999") }, sqlite.ErrNewer, true},
		{"foreign", func(t *testing.T, path string) { change(t, path, "PRAGMA application_id = 7") }, sqlite.ErrForeign, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openNew(t)
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

// TestQueriesUseTheirIndex: selecting the next entry and comparing a new one with others must not
// scan a million entries.
func TestQueriesUseTheirIndex(t *testing.T) {
	s := openNew(t)
	for query, c := range map[string]struct {
		arguments []any
		plan      string
	}{
		selectNext:           {[]any{"a", 0}, "SEARCH n USING INDEX entries_due (account=? AND lane=?)"},
		selectNearby:         {[]any{"a", 1, 2, "s", "k"}, "SEARCH n USING INDEX entries_item (item_key=? AND account=? AND happened_at>? AND happened_at<?)"},
		selectNearbyNumbered: {[]any{"a", 1, 2, "s", "k"}, "SEARCH n USING INDEX entries_numbered (account=? AND happened_at>? AND happened_at<?)"},
		addWords:             {[]any{"w", "k", "l"}, "SEARCH entries USING INDEX entries_item (item_key>? AND item_key<?)"},
		selectNearbyPlaced:   {[]any{"a", 1, 2, "s", "k"}, "SEARCH n USING INDEX entries_happened (happened_at>? AND happened_at<?)"},
	} {
		rows, err := s.reader.Query("EXPLAIN QUERY PLAN "+query, c.arguments...)
		steps, err := sqlite.Collect(rows, err, func(r *sql.Rows) (detail string, err error) {
			var id, parent, unused int
			return detail, r.Scan(&id, &parent, &unused, &detail)
		})
		if err != nil {
			t.Fatal(err)
		}
		plan := strings.Join(steps, "\n")
		if !strings.Contains(plan, c.plan) || strings.Contains(plan, "SCAN n") || strings.Contains(plan, "SCAN v") {
			t.Errorf("%s\nthe plan is:\n%s", query, plan)
		}
		if query == selectNext && strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("the next entry is sorted:\n%s", plan)
		}
	}
}
