package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// marked is a closed file with n marks.
func marked(t *testing.T, n int) (path string) {
	t.Helper()
	f := unopened(t)
	for i := range n {
		f.enqueue(mark(fmt.Sprint(i)))
	}
	f.drain(t)
	f.end(t)
	return f.path
}

// migrating starts a file with other scripts, and closes it.
func migrating(t *testing.T, path string, scripts []string, c *clock) error {
	t.Helper()
	o := options(path)
	o.Schema, o.Now = scripts, c.now
	f := newFile(o)
	err := f.start(t.Context())
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	return err
}

// A program that is too old names the newest copy that it can read.
func TestTheNewestCopyThatCanBeReadIsNamed(t *testing.T) {
	path, clock := marked(t, 1), newClock()
	first, scripts := schema(), schema()
	for n := range 2 {
		scripts = append(scripts, fmt.Sprintf("CREATE TABLE later%d (x INTEGER) STRICT;", n))
		clock.advance(time.Second)
		if err := migrating(t, path, scripts, clock); err != nil {
			t.Fatal(err)
		}
	}
	for known := len(first); known <= len(first)+1; known++ {
		o := options(path)
		o.Schema = scripts[:known]
		_, err := newFile(o).probe(t.Context())
		advised, ok := errors.AsType[*newerError](err)
		if !ok || !errors.Is(err, ErrNewer) {
			t.Fatalf("%d scripts: %v", known, err)
		}
		if want := fmt.Sprintf("before-schema-%d-", known+1); !strings.Contains(advised.Hint(), want) {
			t.Errorf("%d scripts: no %q in: %s", known, want, advised.Hint())
		}
	}
}

// Every migration is preceded by a copy; the last two are kept.
func TestABackupBeforeAMigration(t *testing.T) {
	path, clock := marked(t, 20), newClock()
	scripts := schema()
	for n := range 3 {
		scripts = append(scripts, fmt.Sprintf("CREATE TABLE later%d (x INTEGER) STRICT;", n))
		clock.advance(time.Second)
		if err := migrating(t, path, scripts, clock); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := filepath.Glob(path + ".before-schema-*")
	want := []string{
		fmt.Sprintf("%s.before-schema-%d-20260301T120002Z", path, len(schema())+2),
		fmt.Sprintf("%s.before-schema-%d-20260301T120003Z", path, len(schema())+3),
	}
	if err != nil || !slices.Equal(kept, want) {
		t.Fatalf("kept %v, %v, want %v", kept, err, want)
	}
	change(t, kept[0], "SELECT x FROM later0", "PRAGMA user_version")
}

// A copy that cannot be made stops the migration, and not a byte is changed.
func TestNoMigrationWithoutABackup(t *testing.T) {
	path := marked(t, 5)
	if err := os.MkdirAll(filepath.Join(path+halfCopy, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := migrating(t, path, append(schema(), "CREATE TABLE later (x INTEGER) STRICT;"), newClock()); !errors.Is(err, ErrStorage) {
		t.Errorf("migrated without a copy: %v", err)
	}
	f := openAt(t, path) // it knows one schema only
	if there := f.marks(t); len(there) != 5 {
		t.Errorf("the database was changed: %v", there)
	}
	f.end(t)
}
