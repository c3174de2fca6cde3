package library_test

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// What calls itself a library and is made to fill the memory is refused: a view
// in the place of a table, a text or a row that is too long, texts without end.
func TestHostileLibraryIsRefused(t *testing.T) {
	for name, spoil := range map[string][]string{
		"a view": {
			`alter table path rename to other`, `create view path as select idPath, hex(zeroblob(2000)) as strPath, strContent, exclude from other`,
		},
		"a long text": {`update path set strPath = hex(zeroblob(40000))`},
		"a long row":  {`update movie set c00 = hex(zeroblob(9000000))`},
		"many texts": {
			`with recursive n(i) as (select 1000 union all select i + 1 from n where i < 3000)
				insert into path (idPath, strPath) select i, hex(zeroblob(30000)) from n`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 121)
			s.film("Alpha One", viewing.IDs{TMDB: 603})
			if _, err := library.Read(t.Context(), s.Path(), nil); err != nil {
				t.Fatalf("before: %v", err)
			}
			for _, query := range spoil {
				s.exec(query)
			}
			_, err := library.Read(t.Context(), s.Path(), nil)
			for errors.Is(err, library.ErrBusy) { // a busy machine reads too long: again, until the test's own end
				_, err = library.Read(t.Context(), s.Path(), nil)
			}
			if !errors.Is(err, library.ErrNotDatabase) {
				t.Errorf("read with %v", err)
			}
		})
	}
}

// A table whose pages lead in a circle has rows without end; SQLite counts them
// by the billion. One whose pages are all the same has rows twice.
func TestRowsWithoutEndAreRefused(t *testing.T) {
	for table, deep := range map[string]bool{"files": true, "path": true, "movie": false, "uniqueid": true} {
		s := newScene(t, 121)
		s.exec(`with recursive n(i) as (select 1000 union all select i + 1 from n where i < 30000)
			insert into files (idFile, idPath, strFilename) select i, 1, i || '.mkv' from n`)
		s.exec(`insert into path (idPath, strPath) select idFile, '/' || idFile || '/' from files`)
		s.exec(`insert into movie (idMovie, idFile, c00) select idFile, idFile, 'A' from files`)
		s.exec(`insert into uniqueid (media_id, media_type, type, value) select idFile, 'movie', 'tmdb', idFile from files`)
		s.exec(`vacuum`)
		circle(t, s, table, deep)
		began := time.Now()
		_, err := library.Read(t.Context(), s.Path(), nil)
		for errors.Is(err, library.ErrBusy) && time.Since(began) < time.Minute {
			_, err = library.Read(t.Context(), s.Path(), nil)
		}
		if !errors.Is(err, library.ErrNotDatabase) {
			t.Errorf("%s: read with %v", table, err)
		}
	}
}

// circle has every child of a table's root page be its first one, and that one
// hold the root's cells when it is deep: each leaf is read n*n times.
func circle(t *testing.T, s scene, table string, deep bool) {
	t.Helper()
	var root, size int64
	ok(t, s.db.QueryRow(`select rootpage from sqlite_master where name = ?`, table).Scan(&root))
	ok(t, s.db.QueryRow(`pragma page_size`).Scan(&size))
	f, err := os.OpenFile(s.Path(), os.O_RDWR, 0)
	ok(t, err)
	defer f.Close()
	at := func(page int64) []byte {
		b := make([]byte, size)
		_, err := f.ReadAt(b, (page-1)*size)
		ok(t, err)
		return b
	}
	lead := func(b []byte, to uint32) { // an interior page: header of 12 bytes, then pointers to its cells
		if b[0] != 5 {
			t.Fatalf("the root of %s is no interior page", table)
		}
		for cell := range int(binary.BigEndian.Uint16(b[3:])) {
			at := binary.BigEndian.Uint16(b[12+2*cell:])
			binary.BigEndian.PutUint32(b[at:], to)
		}
		binary.BigEndian.PutUint32(b[8:], to)
	}
	top := at(root)
	first := binary.BigEndian.Uint32(top[binary.BigEndian.Uint16(top[12:]):])
	other := binary.BigEndian.Uint32(top[binary.BigEndian.Uint16(top[14:]):])
	below := append([]byte(nil), top...)
	lead(below, first) // n times the same leaf
	lead(top, other)   // n times that
	if !deep {
		top, below = below, at(int64(other))
	}
	for page, b := range map[int64][]byte{root: top, int64(other): below} {
		_, err := f.WriteAt(b, (page-1)*size)
		ok(t, err)
	}
}
