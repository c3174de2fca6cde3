package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/kodi/library"
)

func TestUserdataFolders(t *testing.T) {
	for name, test := range map[string]struct {
		goos, home string
		env        string // NAME=value, one a line
		want       string // one a line
	}{
		"Linux": {"linux", "/home/ann", "KODI_DATA=/tv", `
/tv/userdata
/home/ann/.kodi/userdata
/home/ann/.var/app/tv.kodi.Kodi/data/userdata
/home/ann/snap/kodi/common/.kodi/userdata
/storage/.kodi/userdata
/home/osmc/.kodi/userdata
/var/lib/kodi/.kodi/userdata`},
		"a service":  {"linux", "", "", "/storage/.kodi/userdata\n/home/osmc/.kodi/userdata\n/var/lib/kodi/.kodi/userdata"},
		"LibreELEC":  {"linux", "/storage", "", "/storage/.kodi/userdata\n/storage/.var/app/tv.kodi.Kodi/data/userdata\n/storage/snap/kodi/common/.kodi/userdata\n/home/osmc/.kodi/userdata\n/var/lib/kodi/.kodi/userdata"},
		"macOS":      {"darwin", "/Users/ann", "", "/Users/ann/Library/Application Support/Kodi/userdata"},
		"Windows":    {"windows", "C:/Users/ann", "APPDATA=C:/Users/ann/AppData/Roaming\nLOCALAPPDATA=C:/Users/ann/AppData/Local\nProgramFiles=C:/Program Files", "C:/Users/ann/AppData/Roaming/Kodi/userdata\nC:/Users/ann/AppData/Local/Packages/XBMCFoundation.Kodi_4n2hpmxwrvr6p/LocalCache/Roaming/Kodi/userdata\nC:/Program Files/Kodi/portable_data/userdata"},
		"a bare one": {"windows", "", "", ""},
	} {
		getenv := func(name string) string {
			for line := range strings.Lines(test.env) {
				if value, found := strings.CutPrefix(strings.TrimSpace(line), name+"="); found {
					return value
				}
			}
			return ""
		}
		var want []string
		for line := range strings.Lines(strings.TrimSpace(test.want)) {
			want = append(want, filepath.FromSlash(strings.TrimSpace(line)))
		}
		slices.Sort(want)
		if got := library.UserdataFolders(test.goos, test.home, getenv); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestDiscover(t *testing.T) {
	dir := t.TempDir()
	home, served, empty := filepath.Join(dir, "home"), filepath.Join(dir, "served"), filepath.Join(dir, "empty")
	make121(t, home)
	write(t, home, "profiles.xml", profiles)
	make131(t, filepath.Join(home, "profiles", "Ann"))
	make131(t, filepath.Join(home, "profiles", "Kids")) // a leftover: it shares the main one
	write(t, served, "advancedsettings.xml", settings(fullServer))
	write(t, served, "profiles.xml", profiles)
	write(t, filepath.Join(served, "profiles", "Ann"), "Database/x", "") // it has the main profile's settings
	ok(t, os.Mkdir(empty, 0o755))
	places := []string{home, filepath.Join(dir, "none"), served, empty}
	if other := filepath.Join(dir, "other"); os.Symlink(home, other) == nil {
		places = append(places, other)
	}
	got := library.Discover(places)
	if len(got) != 6 {
		t.Fatalf("got %d: %+v", len(got), got)
	}
	if g := got[0]; g.Name != "Master user" || g.Userdata != home || g.Database.Version != 121 || g.Err != nil {
		t.Errorf("the main profile: %+v", g)
	}
	if g := got[1]; g.Name != "Ann" || g.Database.Version != 131 || g.Err != nil {
		t.Errorf("a profile: %+v", g)
	}
	if g := got[2]; g.Database.Server == nil || g.Err != nil {
		t.Errorf("a server: %+v", g)
	}
	for _, g := range got[3:5] {
		if !errors.Is(g.Err, library.ErrShared) {
			t.Errorf("a profile on the same server: %+v", g)
		}
	}
	if g := got[5]; g.Userdata != empty || !errors.Is(g.Err, library.ErrNotFound) {
		t.Errorf("an empty folder: %+v", g)
	}
}
