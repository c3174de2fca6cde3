//go:build unix

package packaging_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const addonID = "service.filmspool"

// stub is a program that says how it was started.
const stub = `#!/bin/sh
echo "args: $*"
echo "HOME: $HOME"
echo "state: $FILMSPOOL_STATE_DIR"
echo "config: $FILMSPOOL_CONFIG"
echo "umask: $(umask)"
echo "parent: $PPID"
`

// packAddon packs the add-on for a processor, and returns the archive and its files.
func packAddon(t *testing.T, arch string) (archive []byte, entries []*zip.File, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	program, licences := filepath.Join(dir, "program"), filepath.Join(dir, "licences")
	if err := errors.Join(os.WriteFile(program, []byte(stub), 0o600), os.WriteFile(licences, []byte("the licences"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "sh", "kodi/pack.sh", arch, "1.2.3", program, licences, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	name := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "arm": "arm"}[arch]
	archive, err := os.ReadFile(filepath.Join(dir, addonID+"-1.2.3-"+name+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, f := range r.File {
		if content, err := fs.ReadFile(r, f.Name); err == nil && !strings.HasSuffix(f.Name, "/") {
			files[strings.TrimPrefix(f.Name, addonID+"/")] = string(content)
		}
	}
	return archive, r.File, files
}

// An archive has one folder named like the add-on, in it everything and nothing else, each
// folder before its files, in forms that Kodi's reader knows. It is the same each time.
func TestAddonArchive(t *testing.T) {
	archive, entries, files := packAddon(t, "arm64")
	if again, _, _ := packAddon(t, "arm64"); !bytes.Equal(archive, again) {
		t.Error("packed twice, other bytes")
	}
	seen := map[string]bool{"": true}
	for _, e := range entries {
		parent := e.Name[:strings.LastIndex(strings.TrimSuffix(e.Name, "/"), "/")+1]
		if !seen[parent] || !strings.HasPrefix(e.Name, addonID+"/") {
			t.Errorf("%s comes before its folder, or is outside of the add-on's", e.Name)
		}
		seen[e.Name] = true
		want := fs.FileMode(0o644)
		switch e.Name {
		case addonID + "/bin/filmspool", addonID + "/program/filmspool":
			want = 0o755
		}
		if strings.HasSuffix(e.Name, "/") {
			want = fs.ModeDir | 0o755
		}
		if e.Mode() != want || e.Method != zip.Deflate && e.Method != zip.Store || e.Flags&8 != 0 || e.Modified.Year() != 1980 {
			t.Errorf("%s: mode %v, method %d, flags %x, time %v", e.Name, e.Mode(), e.Method, e.Flags, e.Modified)
		}
	}
	want := []string{
		"LICENSE.txt", "addon.xml", "bin/filmspool", "default.py", "program/filmspool",
		"resources/config.toml", "resources/icon.png", "system.d/service.filmspool.service",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if files["program/filmspool"] != stub || files["LICENSE.txt"] != "the licences" {
		t.Errorf("program %q, licences %q", files["program/filmspool"], files["LICENSE.txt"])
	}
}

// Kodi installs the add-on on the machines that it is made for, and knows an update by its version.
func TestAddonManifest(t *testing.T) {
	for arch, platform := range map[string]string{"amd64": "linux-x86_64", "arm64": "linux-aarch64", "arm": "linux"} {
		_, _, files := packAddon(t, arch)
		var m struct {
			ID      string `xml:"id,attr"`
			Version string `xml:"version,attr"`
			Imports []struct {
				Addon string `xml:"addon,attr"`
			} `xml:"requires>import"`
			Extensions []struct {
				Point    string `xml:"point,attr"`
				Library  string `xml:"library,attr"`
				Platform string `xml:"platform"`
				Icon     string `xml:"assets>icon"`
			} `xml:"extension"`
		}
		if err := xml.Unmarshal([]byte(files["addon.xml"]), &m); err != nil {
			t.Fatal(err)
		}
		if m.ID != addonID || m.Version != "1.2.3" || len(m.Imports) != 1 || m.Imports[0].Addon != "xbmc.python" || len(m.Extensions) != 2 {
			t.Fatalf("%s: %+v", arch, m)
		}
		// The first one makes it a service, which LibreELEC starts units for.
		service, about := m.Extensions[0], m.Extensions[1]
		if service.Point != "xbmc.service" || files[service.Library] == "" || about.Platform != platform || files[about.Icon] == "" {
			t.Errorf("%s: %+v", arch, m.Extensions)
		}
	}
}

// What LibreELEC does with an add-on starts the unit with Kodi. Nothing in it waits for a
// network or a clock, which may never come, and with the unit Kodi.
func TestAddonUnit(t *testing.T) {
	text, err := os.ReadFile("kodi/addon/system.d/" + addonID + ".service")
	if err != nil {
		t.Fatal(err)
	}
	unit := directives(string(text))
	for section, lines := range map[string][]string{
		"Install": {"WantedBy=kodi.target"}, "Unit": {"StartLimitIntervalSec=0"},
		"Service": {
			"ExecStart=/bin/sh /storage/.kodi/addons/" + addonID + "/bin/filmspool run", "Type=simple", "Restart=on-failure", "RestartSec=10",
			"RestartPreventExitStatus=78", "NotifyAccess=main", "WatchdogSec=180", "UMask=0077",
		},
	} {
		for _, line := range lines {
			if !slices.Contains(unit[section], line) {
				t.Errorf("[%s] lacks %s", section, line)
			}
		}
	}
	if ordered := regexp.MustCompile(`(?m)^(After|Requires|Wants)=.*`).FindString(string(text)); ordered != "" {
		t.Errorf("the unit waits: %s", ordered)
	}
}

// box is a machine's folder /storage, with the add-on as Kodi unpacks it: no file may be executed.
type box struct {
	t                     *testing.T
	storage, addon, state string
	config, bin           string
	tools                 string // commands that stand before the machine's own
	path                  string
	shell                 []string
}

// TestMain gives the scripts the umask of a new machine.
func TestMain(m *testing.M) {
	syscall.Umask(0o022)
	m.Run()
}

// inShells runs a test in a new box for each shell of this machine that LibreELEC's resembles.
func inShells(t *testing.T, test func(t *testing.T, b box)) {
	t.Helper()
	for name, words := range map[string][]string{"sh": {}, "dash": {}, "busybox": {"sh"}, "bash": {"--posix"}} {
		if path, err := exec.LookPath(name); err == nil {
			t.Run(name, func(t *testing.T) { test(t, newBox(t, "arm64", append([]string{path}, words...)...)) })
		}
	}
}

func newBox(t *testing.T, arch string, shell ...string) box {
	t.Helper()
	storage := filepath.Join(t.TempDir(), "the storage")
	b := box{
		t: t, storage: storage, shell: shell, tools: t.TempDir(),
		addon: filepath.Join(storage, ".kodi/addons", addonID), state: filepath.Join(storage, ".kodi/userdata/addon_data", addonID),
	}
	b.config, b.bin = filepath.Join(b.state, "config.toml"), filepath.Join(b.addon, "bin/filmspool")
	_, _, files := packAddon(t, arch)
	for name, text := range files {
		b.write(filepath.Join(b.addon, name), text, 0o644)
	}
	b.machine("aarch64")
	b.path = b.tools + ":/usr/bin:/bin"
	if filepath.Base(shell[0]) == "busybox" { // and nothing else
		applets := t.TempDir()
		if out, err := exec.CommandContext(t.Context(), shell[0], "--install", "-s", applets).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		b.path = b.tools + ":" + applets
	}
	return b
}

func (b box) write(path, text string, mode fs.FileMode) {
	b.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		b.t.Fatal(err)
	}
}

// machine is what uname -m says.
func (b box) machine(name string) {
	b.write(filepath.Join(b.tools, "uname"), "#!/bin/sh\necho "+name+"\n", 0o755)
}

// run starts the wrapper as the unit does, with nothing in the environment but what is given.
func (b box) run(env []string, words ...string) (said string, code int) {
	b.t.Helper()
	cmd := exec.CommandContext(b.t.Context(), words[0], words[1:]...)
	cmd.Env = append([]string{"PATH=" + b.path}, env...)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (b box) runUnit() (said string, code int) {
	b.t.Helper()
	return b.run(nil, append(b.shell, b.bin, "run")...)
}

func (b box) want(said, args, home string) {
	b.t.Helper()
	// No shell stays between: systemd must have the program itself as its child.
	want := fmt.Sprintf("args: %s\nHOME: %s\nstate: %s\nconfig: %s\numask: 0077\nparent: %d\n", args, home, b.state, b.config, os.Getpid())
	if diff := cmp.Diff(want, said); diff != "" {
		b.t.Errorf("(-want +got)\n%s", diff)
	}
}

// On a new machine no folder is there, there is no HOME, and nothing may be executed.
func TestAddonOnANewMachine(t *testing.T) {
	inShells(t, func(t *testing.T, b box) {
		said, code := b.runUnit()
		if code != 0 {
			t.Fatalf("exit %d: %s", code, said)
		}
		b.want(said, "run", b.storage)
		for path, want := range map[string]fs.FileMode{
			filepath.Dir(b.state): 0o755, // Kodi's own
			b.state:               0o700,
			b.config:              0o600,
			b.bin:                 0o755,
			filepath.Join(b.addon, "program/filmspool"): 0o755,
		} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s has mode %v, want %o: %v", path, info, want, err)
			}
		}
		if got, err := os.ReadFile(b.config); err != nil || !strings.Contains(string(got), `userdata = "/storage/.kodi/userdata"`) {
			t.Errorf("%v: the configuration is %s", err, got)
		}
		// From now on it can be typed, and called from a link on the PATH.
		link := filepath.Join(b.tools, "filmspool")
		if err := os.Symlink(b.bin, link); err != nil {
			t.Fatal(err)
		}
		said, _ = b.run([]string{"HOME=/root"}, link, "diary", "--state", "in_doubt")
		b.want(said, "diary --state in_doubt", "/root")
	})
}

// The configuration stays, unless a power cut has left it empty.
func TestAddonKeepsTheConfiguration(t *testing.T) {
	inShells(t, func(t *testing.T, b box) {
		for before, want := range map[string]string{"listen = \"127.0.0.1:1\"\n": "listen = \"127.0.0.1:1\"\n", "": "[[kodi.libraries]]"} {
			b.write(b.config, before, 0o640)
			said, code := b.runUnit()
			if got, err := os.ReadFile(b.config); code != 0 || err != nil || !strings.Contains(string(got), want) {
				t.Errorf("exit %d: %s%v: %q became %q", code, said, err, before, got)
			}
		}
	})
}

// The add-on of another machine says so, and is not tried again.
func TestAddonOnTheWrongMachine(t *testing.T) {
	for arch, machines := range map[string]map[string]bool{
		"amd64": {"x86_64": true, "aarch64": false, "i686": false},
		"arm64": {"aarch64": true, "x86_64": false, "armv8l": false},
		"arm":   {"armv7l": true, "armv8l": true, "aarch64": true, "armv6l": false, "x86_64": false},
	} {
		b := newBox(t, arch, "/bin/sh")
		for machine, fits := range machines {
			b.machine(machine)
			said, code := b.runUnit()
			if fits != (code == 0) || !fits && (code != 78 || !strings.Contains(said, "this machine is "+machine)) {
				t.Errorf("%s on %s: exit %d: %s", arch, machine, code, said)
			}
		}
	}
}
