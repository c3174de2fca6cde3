package library_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/library"
)

// kodiHome is a Kodi with add-ons.
type kodiHome struct {
	t                *testing.T
	folder, userdata string
}

func newKodiHome(t *testing.T) kodiHome {
	folder := filepath.Join(t.TempDir(), ".kodi")
	return kodiHome{t, folder, filepath.Join(folder, "userdata")}
}

func (k kodiHome) write(text string, path ...string) {
	k.t.Helper()
	file := filepath.Join(append([]string{k.folder}, path...)...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

// install installs an add-on.
func (k kodiHome) install(id string) { k.write(`<addon id="`+id+`"/>`, "addons", id, "addon.xml") }

// disable writes the table of add-ons, in which these are turned off.
func (k kodiHome) disable(file string, ids ...string) {
	k.t.Helper()
	k.write("", "userdata", "Database", file)
	statements := []string{`create table installed (id integer primary key, addonID text unique, enabled boolean)`}
	for _, id := range ids {
		statements = append(statements, `insert into installed (addonID, enabled) values ('`+id+`', 0)`)
	}
	k.exec(file, strings.Join(statements, ";"))
}

// exec changes a table of add-ons.
func (k kodiHome) exec(file, statements string) {
	k.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(k.userdata, "Database", file))
	if err != nil {
		k.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		k.t.Fatal(err)
	}
}

// Add-ons are known by their ids, also from a profile. Those that are turned off,
// or gone, do nothing.
func TestAddOns(t *testing.T) {
	k := newKodiHome(t)
	check := func(why, host string, write, report []string) {
		t.Helper()
		for _, userdata := range []string{k.userdata, filepath.Join(k.userdata, "profiles", "kids")} {
			gotWrite, gotReport := library.AddOns(t.Context(), userdata, []string{host})
			if diff := cmp.Diff([][]string{write, report}, [][]string{gotWrite, gotReport}); diff != "" {
				t.Errorf("%s, %s: %s", why, userdata, diff)
			}
		}
	}
	check("without any", "api.trakt.tv", nil, nil)
	for _, id := range []string{"script.trakt", "plugin.video.jellyfin", "plugin.video.other", "service.watchedlist"} {
		k.install(id)
	}
	k.write("<settings/>", "userdata", "addon_data", "plugin.video.emby", "settings.xml") // uninstalled
	k.disable("Addons33.db", "service.watchedlist")
	k.disable("Addons27.db", "script.trakt") // left behind by an upgrade
	some := []string{"plugin.video.jellyfin", "script.trakt"}
	check("one is off", "api.trakt.tv:443", some, []string{"script.trakt"})
	check("another service", "nottrakt.tv", some, nil)
	k.disable("Addons34.db", "script.trakt")
	check("another is off", "trakt.tv", []string{"plugin.video.jellyfin", "service.watchedlist"}, nil)
	k.exec("Addons34.db", `alter table installed rename to other; create view installed as select * from other`)
	check("a view is not believed", "trakt.tv", []string{"plugin.video.jellyfin", "script.trakt", "service.watchedlist"}, []string{"script.trakt"})
	k.write("no database", "userdata", "Database", "Addons35.db")
	check("no table that can be read", "trakt.tv", []string{"plugin.video.jellyfin", "script.trakt", "service.watchedlist"}, []string{"script.trakt"})
}
