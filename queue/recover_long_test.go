//go:build long

package queue

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// TestDamageAtRandomPlaces: after an unclean stop with damage anywhere, the queue opens, has a
// notice, and has every entry that SQLite can read one by one.
func TestDamageAtRandomPlaces(t *testing.T) {
	const places, entries = 200, 120
	s := openWithEntries(t, entries)
	change(t, s.path, "PRAGMA wal_checkpoint(TRUNCATE)")
	intact, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	recovered, lost := 0, 0
	for place := range places {
		content := append([]byte{}, intact...)
		from := random.IntN(len(content) - 1)
		part := content[from:min(len(content), from+1+random.IntN(2*pageSize))]
		for i := range part {
			part[i] = byte(random.Uint32())
		}
		path := filepath.Join(t.TempDir(), "queue.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		readable := readOneByOne(t, path)
		there, notices := openDamaged(t, path, s.clock)
		for id := range readable {
			if !there[id] {
				t.Errorf("place %d, %d bytes at %d: entry %d can be read and is gone", place, len(part), from, id)
			}
		}
		if len(notices) > 0 {
			recovered++
		} else if len(there) < entries {
			t.Errorf("place %d, %d bytes at %d: %d entries are gone, and nothing says so", place, len(part), from, entries-len(there))
		}
		lost += entries - len(there)
	}
	t.Logf("recovered %d times; %d of %d entries could not be read", recovered, lost, places*entries)
}

// openDamaged opens a damaged queue, a second time if only a read finds the damage, and returns
// its entries and notices.
func openDamaged(t *testing.T, path string, c *clock) (there map[int64]bool, notices []sqlite.Notice) {
	t.Helper()
	var failed error
	for range 3 {
		s, err := openAt(t.Context(), Options{Path: path}, c.now)
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		there = map[int64]bool{}
		found, err := s.Entries(t.Context(), entry.Filter{Limit: 1000})
		if err == nil {
			for _, e := range found {
				there[e.ID] = true
			}
			notices, err = s.Notices(t.Context())
		}
		if e := s.Close(); e != nil {
			t.Error(e)
		}
		if err == nil {
			return there, notices
		}
		failed = err
	}
	t.Fatalf("it was not recovered: %v", failed)
	return nil, nil
}

// readOneByOne returns the entries that SQLite can read by id and that satisfy the schema.
func readOneByOne(t *testing.T, path string) map[int64]bool {
	t.Helper()
	damaged, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1&_pragma=writable_schema(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer damaged.Close()
	fits, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer fits.Close()
	fits.SetMaxOpenConns(1)
	if _, err := fits.Exec(schema); err != nil {
		t.Fatal(err)
	}
	var columns string
	if err := fits.QueryRow("SELECT group_concat(name) FROM pragma_table_info('entries')").Scan(&columns); err != nil {
		t.Fatal(err)
	}
	row := make([]any, 1+strings.Count(columns, ","))
	into := make([]any, len(row))
	for i := range row {
		into[i] = &row[i]
	}
	insert := fmt.Sprintf("INSERT INTO entries (%s) VALUES (?%s)", columns, strings.Repeat(", ?", len(row)-1))
	readable := map[int64]bool{}
	for id := range int64(1000) {
		var valid bool
		err := damaged.QueryRow("SELECT "+columns+" FROM entries WHERE id = ?", id).Scan(into...)
		if err == nil {
			_, err = fits.Exec(insert, row...)
		}
		if err == nil {
			err = fits.QueryRow(`SELECT json_valid(coalesce(media, '{}')) AND json_valid(coalesce(list, '{}')) AND json_valid(decided)
				AND json_valid(coalesce(reported, '{}')) FROM entries WHERE id = ?`, id).Scan(&valid)
		}
		if err == nil && valid {
			readable[id] = true
		}
	}
	return readable
}
