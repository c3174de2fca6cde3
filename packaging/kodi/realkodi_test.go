//go:build kodi

package kodi

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/internal/realkodi"
)

// unpacker is an add-on that lets Kodi unpack an archive by its own means:
// JSON-RPC has no word for it.
const unpacker = `<?xml version="1.0" encoding="UTF-8"?>
<addon id="service.unpacker" name="Unpacker" version="1.0.0" provider-name="test">
  <requires><import addon="xbmc.python" version="3.0.0"/></requires>
  <extension point="xbmc.service" library="default.py"/>
  <extension point="xbmc.addon.metadata"><summary>unpacks</summary><platform>all</platform></extension>
</addon>
`

// foreign is our add-on under another name, for an architecture that is not
// this machine's.
const foreign = "service.foreign"

// realKodi is a Kodi with our add-on.
type realKodi struct {
	*realkodi.Kodi
	addons string
}

// TestRealKodi: a real Kodi unpacks the archive, lists the add-on, enables it
// and runs its script. It is not patched as LibreELEC's, so no unit starts.
func TestRealKodi(t *testing.T) {
	base, err := os.MkdirTemp("", "filmspool-kodi")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	if err := os.Chmod(base, 0o755); err != nil { // Kodi runs as another user
		t.Fatal(err)
	}
	k := &realKodi{Kodi: realkodi.New(t, filepath.Join(base, "kodi"))}
	k.addons = filepath.Join(k.Dir, "home/.kodi/addons")
	k.prepare(t, filepath.Join(base, "filmspool.zip"))
	t.Cleanup(k.Stop)
	k.Start()
	defer func() {
		if t.Failed() {
			t.Log(k.Tail())
		}
	}()

	k.enable(t, "service.unpacker")
	var details map[string]any
	k.Await("add-on from the archive", func() bool {
		details = k.details(t, ID)
		return details != nil
	})
	if k.details(t, foreign) != nil {
		t.Error("Kodi takes the add-on for another architecture")
	}
	version, err := Version()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"addonid": ID, "type": "xbmc.service", "name": "Filmspool", "version": version, "author": "Filmspool contributors",
		"enabled": false, "broken": false, "path": filepath.Join(k.addons, ID) + "/",
	} {
		if details[name] != want {
			t.Errorf("%s is %v, want %v", name, details[name], want)
		}
	}
	if icon, _ := details["thumbnail"].(string); !strings.Contains(icon, "icon.png") {
		t.Errorf("the picture is %q", icon)
	}
	k.unpacked(t)
	k.enable(t, ID)
	k.Await("enabled add-on", func() bool { return k.details(t, ID)["enabled"] == true })
	k.Await("words of the add-on's script", func() bool {
		log, err := os.ReadFile(filepath.Join(k.Dir, "home/.kodi/temp/kodi.log"))
		return err == nil && bytes.Contains(log, []byte(ID+": Only for LibreELEC and CoreELEC"))
	})
}

// prepare puts the archive and the unpacker where Kodi finds them.
func (k *realKodi) prepare(t *testing.T, archive string) {
	t.Helper()
	mine, other := Architectures()[0], Architectures()[1]
	if runtime.GOARCH == "arm64" {
		mine, other = other, mine
	}
	write(t, archive, string(pack(t, mine)))
	_, files := open(t, pack(t, other))
	for name, text := range files {
		write(t, filepath.Join(k.addons, foreign, name), strings.ReplaceAll(text, ID, foreign))
	}
	write(t, filepath.Join(k.addons, "service.unpacker/addon.xml"), unpacker)
	write(t, filepath.Join(k.addons, "service.unpacker/default.py"), fmt.Sprintf(`import xbmc

xbmc.executebuiltin("Extract(%s,%s/)", True)
xbmc.executebuiltin("UpdateLocalAddons", True)
`, archive, k.addons))
}

// unpacked holds what the wrapper is made for: Kodi gives no file the
// permission to execute.
func (k *realKodi) unpacked(t *testing.T) {
	t.Helper()
	_, files := open(t, pack(t, Architectures()[0]))
	for name := range files {
		info, err := os.Stat(filepath.Join(k.addons, ID, name))
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm()&0o111 != 0 {
			t.Errorf("Kodi unpacks %s with mode %v", name, info.Mode())
		}
	}
	err := filepath.WalkDir(filepath.Join(k.addons, ID), func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(filepath.Join(k.addons, ID), path)
		if err == nil && !d.IsDir() && files[name] == "" {
			t.Errorf("Kodi unpacked %s", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// details is what Kodi knows of an add-on; nil when it does not know it.
func (k *realKodi) details(t *testing.T, id string) map[string]any {
	t.Helper()
	answer, err := k.Ask("Addons.GetAddonDetails", "addonid", id,
		"properties", []string{"name", "version", "author", "enabled", "broken", "path", "thumbnail"})
	if err != nil {
		t.Fatal(err)
	}
	result, _ := answer["result"].(map[string]any)
	addon, _ := result["addon"].(map[string]any)
	return addon
}

func (k *realKodi) enable(t *testing.T, id string) {
	t.Helper()
	k.Await("add-on "+id, func() bool {
		answer, err := k.Ask("Addons.SetAddonEnabled", "addonid", id, "enabled", true)
		return err == nil && answer["result"] == "OK"
	})
}
