package kodi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
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

// realKodi is a Kodi run by the script that FILMSPOOL_REAL_KODI names.
type realKodi struct {
	t            *testing.T
	script, port string
	dir, addons  string
}

// TestRealKodi: a real Kodi unpacks the archive, lists the add-on, enables it
// and runs its script. It is not patched as LibreELEC's, so no unit starts.
func TestRealKodi(t *testing.T) {
	script := os.Getenv("FILMSPOOL_REAL_KODI")
	if script == "" {
		t.Skip("needs a real Kodi: run \"real-kodi install\" as root once, then set FILMSPOOL_REAL_KODI to the path of that script")
	}
	k := &realKodi{t: t, script: script, port: freePort(t)}
	k.prepare()
	k.do("start")
	t.Cleanup(func() { k.do("stop") })

	k.enable("service.unpacker")
	var details map[string]any
	k.await("add-on from the archive", func() bool {
		details = k.details(ID)
		return details != nil
	})
	if k.details(foreign) != nil {
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
	k.unpacked()
	k.enable(ID)
	k.await("enabled add-on", func() bool { return k.details(ID)["enabled"] == true })
	k.await("words of the add-on's script", func() bool {
		log, err := os.ReadFile(filepath.Join(k.dir, "home/.kodi/temp/kodi.log"))
		return err == nil && bytes.Contains(log, []byte(ID+": Only for LibreELEC and CoreELEC"))
	})
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// prepare puts the archive and the unpacker where Kodi finds them.
func (k *realKodi) prepare() {
	k.t.Helper()
	base, err := os.MkdirTemp("", "filmspool-kodi")
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { _ = os.RemoveAll(base) })
	if err := os.Chmod(base, 0o755); err != nil { // Kodi runs as another user
		k.t.Fatal(err)
	}
	k.dir = filepath.Join(base, "kodi")
	k.addons = filepath.Join(k.dir, "home/.kodi/addons")
	archive := filepath.Join(base, "filmspool.zip")
	mine, other := Architectures()[0], Architectures()[1]
	if runtime.GOARCH == "arm64" {
		mine, other = other, mine
	}
	write(k.t, archive, string(pack(k.t, mine)))
	_, files := open(k.t, pack(k.t, other))
	for name, text := range files {
		write(k.t, filepath.Join(k.addons, foreign, name), strings.ReplaceAll(text, ID, foreign))
	}
	write(k.t, filepath.Join(k.addons, "service.unpacker/addon.xml"), unpacker)
	write(k.t, filepath.Join(k.addons, "service.unpacker/default.py"), fmt.Sprintf(`import xbmc

xbmc.executebuiltin("Extract(%s,%s/)", True)
xbmc.executebuiltin("UpdateLocalAddons", True)
`, archive, k.addons))
}

// unpacked holds what the wrapper is made for: Kodi gives no file the
// permission to execute.
func (k *realKodi) unpacked() {
	k.t.Helper()
	_, files := open(k.t, pack(k.t, Architectures()[0]))
	for name := range files {
		info, err := os.Stat(filepath.Join(k.addons, ID, name))
		if err != nil {
			k.t.Error(err)
		} else if info.Mode().Perm()&0o111 != 0 {
			k.t.Errorf("Kodi unpacks %s with mode %v", name, info.Mode())
		}
	}
	err := filepath.WalkDir(filepath.Join(k.addons, ID), func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(filepath.Join(k.addons, ID), path)
		if err == nil && !d.IsDir() && files[name] == "" {
			k.t.Errorf("Kodi unpacked %s", name)
		}
		return err
	})
	if err != nil {
		k.t.Error(err)
	}
}

func (k *realKodi) do(verb string, args ...string) []byte {
	k.t.Helper()
	cmd := exec.Command(k.script, append([]string{verb, k.dir}, args...)...)
	cmd.Env = append(os.Environ(), "KODI_PORT="+k.port)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(k.dir, "home/.kodi/temp/kodi.log"))
		k.t.Fatalf("%s Kodi: %v\n%s%s\n%s", verb, err, out, &said, log[max(0, len(log)-4000):])
	}
	return out
}

// details is what Kodi knows of an add-on; nil when it does not know it.
func (k *realKodi) details(id string) map[string]any {
	k.t.Helper()
	var answer struct {
		Result struct{ Addon map[string]any }
	}
	out := k.do("rpc", "Addons.GetAddonDetails", `{"addonid":"`+id+`","properties":["name","version","author","enabled","broken","path","thumbnail"]}`)
	if err := json.Unmarshal(out, &answer); err != nil {
		k.t.Fatalf("%v: %s", err, out)
	}
	return answer.Result.Addon
}

func (k *realKodi) enable(id string) {
	k.t.Helper()
	k.await("add-on "+id, func() bool {
		out := k.do("rpc", "Addons.SetAddonEnabled", `{"addonid":"`+id+`","enabled":true}`)
		return bytes.Contains(out, []byte(`"OK"`))
	})
}

// await polls: Kodi gives no other sign.
func (k *realKodi) await(what string, done func() bool) {
	k.t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(60 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-limit:
			log, _ := os.ReadFile(filepath.Join(k.dir, "home/.kodi/temp/kodi.log"))
			k.t.Fatalf("no %s\n%s", what, log[max(0, len(log)-6000):])
		}
	}
}
