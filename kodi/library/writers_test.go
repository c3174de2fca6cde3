package library_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/filmspool/filmspool/kodi/library"
)

// Add-ons that write what was watched elsewhere are known by their ids, also
// from a profile. Those that are turned off, or gone, do nothing.
func TestWriters(t *testing.T) {
	k := newKodiHome(t)
	if got := library.Writers(t.Context(), k.userdata); len(got) != 0 {
		t.Errorf("without any: %v", got)
	}
	for _, id := range []string{"script.trakt", "plugin.video.jellyfin", "plugin.video.other", "service.watchedlist"} {
		k.install(id, "")
	}
	k.write("<settings/>", "userdata", "addon_data", "plugin.video.emby", "settings.xml") // uninstalled
	k.disable("Addons33.db", "service.watchedlist")
	want := []string{"plugin.video.jellyfin", "script.trakt"}
	for _, userdata := range []string{k.userdata, filepath.Join(k.userdata, "profiles", "kids")} {
		if got := library.Writers(t.Context(), userdata); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", userdata, got, want)
		}
	}
}
