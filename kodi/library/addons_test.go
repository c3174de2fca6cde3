package library_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/library"
)

// TestAddOns: add-ons are found by id, also from a profile. Disabled and removed ones are ignored.
func TestAddOns(t *testing.T) {
	userdata := filepath.Join(t.TempDir(), ".kodi", "userdata")
	install := func(id string) { ok(t, os.MkdirAll(filepath.Join(library.AddOnFolder(userdata), id), 0o700)) }
	disable := func(file, id string) {
		t.Helper()
		ok(t, os.MkdirAll(filepath.Join(userdata, "Database"), 0o700))
		db, err := sql.Open("sqlite", filepath.Join(userdata, "Database", file))
		ok(t, err)
		defer db.Close()
		_, err = db.Exec(`create table installed (id integer primary key, addonID text unique, enabled boolean); insert into installed values (1, '` + id + `', 0)`)
		ok(t, err)
	}
	check := func(why, host string, write, report []string) {
		t.Helper()
		for _, folder := range []string{userdata, filepath.Join(userdata, "profiles", "kids")} {
			gotWrite, gotReport := library.AddOns(t.Context(), folder, []string{host})
			if diff := cmp.Diff([][]string{write, report}, [][]string{gotWrite, gotReport}); diff != "" {
				t.Errorf("%s, %s: %s", why, folder, diff)
			}
		}
	}
	check("without any", "api.trakt.tv", nil, nil)
	for _, id := range []string{"script.trakt", "plugin.video.jellyfin", "plugin.video.other", "service.watchedlist"} {
		install(id)
	}
	disable("Addons27.db", "script.trakt") // left behind by an upgrade
	disable("Addons33.db", "service.watchedlist")
	some := []string{"plugin.video.jellyfin", "script.trakt"}
	check("one is disabled", "api.trakt.tv:443", some, []string{"script.trakt"})
	check("another service", "nottrakt.tv", some, nil)
	disable("Addons34.db", "script.trakt")
	check("another is disabled", "trakt.tv", []string{"plugin.video.jellyfin", "service.watchedlist"}, nil)
	write(t, userdata, "Database/Addons35.db", "no database")
	check("an unreadable table", "trakt.tv", []string{"plugin.video.jellyfin", "script.trakt", "service.watchedlist"}, []string{"script.trakt"})
}
