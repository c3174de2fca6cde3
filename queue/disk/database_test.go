package disk

import (
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestEveryConnectionIsSafe(t *testing.T) {
	s := unopened(t)
	defer s.end(t)
	for pragma, want := range map[string]int{"synchronous": 2, "busy_timeout": 5000, "foreign_keys": 1} {
		var got int
		if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("writer: %s is %d, %v, want %d", pragma, got, err, want)
		}
	}
	for range 2 { // both of the pool
		conn, err := s.reader.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(t.Context(), "DELETE FROM marks"); err == nil {
			t.Error("a reader wrote")
		}
		var wait int
		if err := conn.QueryRowContext(t.Context(), "PRAGMA busy_timeout").Scan(&wait); err != nil || wait != 5000 {
			t.Errorf("reader waits %d, %v", wait, err)
		}
	}
}

func TestMigrationsAreWholeAndInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	if err := makeFile(path); err != nil {
		t.Fatal(err)
	}
	c, err := connect(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	version := func() (n int) {
		t.Helper()
		if err := c.conn.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	first := "CREATE TABLE a (x INTEGER) STRICT;"
	broken := "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO absent VALUES (1);"
	if err := migrate(t.Context(), c.conn, []string{first, broken}); !errors.Is(err, ErrStorage) {
		t.Fatalf("broken migration: %v", err)
	}
	if version() != 1 {
		t.Errorf("version %d after the second failed, want 1", version())
	}
	if err := migrate(t.Context(), c.conn, []string{first, "CREATE TABLE b (y TEXT) STRICT;"}); err != nil || version() != 2 {
		t.Errorf("mended: %v, version %d: half of the broken one was left", err, version())
	}
	if err := migrate(t.Context(), c.conn, []string{first, "CREATE TABLE b (y TEXT) STRICT;"}); err != nil {
		t.Errorf("again: %v", err)
	}
}
