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

// install installs an add-on with settings.
func (k kodiHome) install(id, settings string) {
	k.write(`<addon id="`+id+`"/>`, "addons", id, "addon.xml")
	if settings != "" {
		k.write(settings, "userdata", "addon_data", id, "settings.xml")
	}
}

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

func (k kodiHome) reporters(hosts ...string) []string {
	return library.Reporters(k.t.Context(), k.userdata, hosts)
}

func TestReporters(t *testing.T) {
	k := newKodiHome(t)
	if got := k.reporters("tracker.example"); len(got) != 0 {
		t.Errorf("of a Kodi that is not there: %v", got)
	}
	k.install("script.tracker", `<settings><setting id="url">https://api.tracker.example/v1</setting><setting id="key">sk_secret</setting></settings>`)
	k.install("plugin.off", `<setting id="url">https://tracker.example</setting>`)
	k.install("plugin.else", `<setting id="url">https://mytracker.example tracker.example.org tracker.exampled</setting>`)
	k.install("service.scrobbler.http", `<setting id="url">http://127.0.0.1:43456/v1/viewings</setting>`)
	k.install("service.filmspool", `<setting id="url">https://tracker.example</setting>`)
	k.install("script.trakt", "")
	k.install("script.large", `https://tracker.example`+strings.Repeat(" ", 300<<10))
	k.write(`<setting>https://tracker.example</setting>`, "userdata", "addon_data", "script.removed", "settings.xml")
	k.write(`<addon><extension point="xbmc.service"/><website>https://www.tracker.example</website></addon>`, "addons", "service.own", "addon.xml")
	k.write(`<addon><extension point="xbmc.gui.skin"/><website>https://www.tracker.example</website></addon>`, "addons", "skin.own", "addon.xml")
	k.disable("Addons33.db", "plugin.off")
	k.disable("Addons27.db", "script.tracker") // left behind by an upgrade

	for host, want := range map[string][]string{
		"tracker.example":     {"script.tracker", "service.own"},
		"api.tracker.example": {"script.tracker", "service.own"},
		"127.0.0.1:9999":      nil,
		"127.0.0.1:43456":     {"service.scrobbler.http"},
		"api.trakt.tv":        {"script.trakt"},
		"nottrakt.tv":         nil,
		"":                    nil,
	} {
		if diff := cmp.Diff(want, k.reporters(host)); diff != "" {
			t.Errorf("%s: %s", host, diff)
		}
	}
	k.disable("Addons34.db", "script.tracker", "service.own")
	if got := k.reporters("tracker.example"); cmp.Diff([]string{"plugin.off"}, got) != "" {
		t.Errorf("after two were turned off and one on: %v", got)
	}
	k.write("no database", "userdata", "Database", "Addons35.db")
	if got := k.reporters("tracker.example"); len(got) != 3 {
		t.Errorf("with a table that cannot be read: %v", got)
	}
}
