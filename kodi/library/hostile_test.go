package library_test

import (
	"errors"
	"testing"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestHostileLibraryIsRefused reads libraries that are made to exhaust memory.
func TestHostileLibraryIsRefused(t *testing.T) {
	for spoil, want := range map[string]error{
		`alter table path rename to other; create view path as select idPath, hex(zeroblob(2000)) as strPath, strContent, exclude from other`: library.ErrUnsupported,
		`with recursive n(i) as (select 1000 union all select i + 1 from n where i < 9000)
			insert into path (idPath, strPath) select i, hex(zeroblob(30000)) from n`: library.ErrNotDatabase,
	} {
		s := newTestLibrary(t, 121)
		s.film("Alpha One", viewing.IDs{TMDB: 603})
		s.exec(spoil)
		_, err := at(s.Path).Read(t.Context(), nil)
		for errors.Is(err, library.ErrBusy) { // a slow machine may exceed the time limit: retry
			_, err = at(s.Path).Read(t.Context(), nil)
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: read with %v", spoil, err)
		}
	}
}
