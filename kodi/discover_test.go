package kodi_test

import (
	"path/filepath"
	"testing"

	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/kodisim"
)

func TestDiscover(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, dir := range []string{"tv/userdata", "mine"} {
		if err := kodisim.Create(filepath.Join(home, dir), 121).Close(); err != nil {
			t.Fatal(err)
		}
	}
	configured := []string{filepath.Join(home, "mine"), filepath.Join(home, "gone")}
	found := map[string]kodi.Library{}
	for _, l := range kodi.Discover(configured, func(name string) string {
		return map[string]string{"KODI_DATA": filepath.Join(home, "tv"), "APPDATA": home}[name]
	}) {
		found[l.Userdata] = l
	}
	if l := found[filepath.Join(home, "mine")]; !l.Configured || l.Version != 121 || l.Problem.Code != "" {
		t.Errorf("the configured one: %+v", l)
	}
	if l := found[filepath.Join(home, "gone")]; !l.Configured || l.Problem.Code == "" {
		t.Errorf("one that is not there: %+v", l)
	}
	if l := found[filepath.Join(home, "tv", "userdata")]; filepath.Separator == '/' && (l.Configured || l.Version != 121) {
		t.Errorf("one that is found: %+v", l)
	}
}
