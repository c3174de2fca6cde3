package kodi

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// An add-on that is installed while the importer runs counts at once.
func TestAddOnsAreFoundBeforeTheyCount(t *testing.T) {
	userdata := filepath.Join(t.TempDir(), ".kodi", "userdata")
	must(t, os.MkdirAll(library.AddOnFolder(userdata), 0o700))
	synctest.Test(t, func(t *testing.T) {
		s, r := newSink(), &shelfReader{files: list(film(1, 0, ""), film(2, 0, ""))}
		i := importerOf(t, userdata, s)
		i.library = r
		i.pass(t.Context())
		time.Sleep(time.Minute)
		r.files[0] = film(1, 1, local())
		i.pass(t.Context())
		must(t, os.MkdirAll(filepath.Join(library.AddOnFolder(userdata), "script.trakt"), 0o700))
		must(t, os.Chtimes(library.AddOnFolder(userdata), time.Now(), time.Now()))
		time.Sleep(time.Minute)
		r.files[1] = film(2, 1, local())
		i.pass(t.Context())
		got := s.viewings()
		if len(got) != 2 || got[0].Class != viewing.ClassLive || got[1].Class != viewing.ClassReview {
			t.Errorf("got %+v", got)
		}
		if w := i.Status().Writers; !slices.Equal(w, []string{"script.trakt"}) {
			t.Errorf("status has %v", w)
		}
	})
}
