package library

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"
)

// Rows that take longer than a transaction may are read in several, each of
// them once.
func TestSlices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "MyVideos121.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`create table files (idFile integer primary key, idPath integer, strFilename text, playCount integer, lastPlayed text);
		insert into files (idFile, strFilename) with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000) select i * 2, 'f' from n`)
	if err != nil {
		t.Fatal(err)
	}
	files := newTables()
	files.slice = time.Nanosecond
	transactions := 0
	read := files.readFiles()
	count := func(ctx context.Context, q queryer) error {
		transactions++
		return read(ctx, q)
	}
	err = open(context.Background(), path, func(v *visit) error {
		return v.together(context.Background(), func(step func(...stepper) error) error { return step(count) })
	})
	if err != nil {
		t.Fatal(err)
	}
	if transactions != 12 || len(files.rows) != 3000 {
		t.Errorf("%d files in %d transactions", len(files.rows), transactions)
	}
	for i, f := range files.rows {
		if f.id != int64(2*i+2) {
			t.Fatalf("row %d has number %d", i, f.id)
		}
	}
}
