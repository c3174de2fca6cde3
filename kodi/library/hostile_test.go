package library_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
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
			if _, err := library.Read(t.Context(), s.Path(), snapshot.Part{}); err != nil {
				t.Fatalf("before: %v", err)
			}
			for _, query := range spoil {
				s.exec(query)
			}
			_, err := library.Read(t.Context(), s.Path(), snapshot.Part{})
			for errors.Is(err, library.ErrBusy) { // a busy machine reads too long: again, until the test's own end
				_, err = library.Read(t.Context(), s.Path(), snapshot.Part{})
			}
			if !errors.Is(err, library.ErrNotDatabase) {
				t.Errorf("read with %v", err)
			}
		})
	}
}

// A view in the place of Kodi's table of add-ons is not believed: it would hide
// who else reports, and can hold ids without end.
func TestHostileTableOfAddOnsIsRefused(t *testing.T) {
	for name, spoil := range map[string]string{
		"a view":   `create view installed as select * from other`,
		"no table": ``,
	} {
		k := newKodiHome(t)
		k.install("script.tracker", `<setting id="url">https://tracker.example</setting>`)
		k.disable("Addons33.db", "script.tracker")
		if got := k.reporters("tracker.example"); len(got) != 0 {
			t.Fatalf("before: %v", got)
		}
		k.exec("Addons33.db", `alter table installed rename to other;`+spoil)
		if got := k.reporters("tracker.example"); !slices.Equal(got, []string{"script.tracker"}) {
			t.Errorf("%s: reporters %v, want script.tracker", name, got)
		}
	}
}
