package kodi

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func pack(t *testing.T, a Architecture) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Pack(&out, a, []byte("the program"), []byte("the licences")); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open reads an archive back: entries in their order, and contents of files
// below the top folder.
func open(t *testing.T, archive []byte) ([]*zip.File, map[string]string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		content, err := fs.ReadFile(r, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(f.Name, ID+"/")] = string(content)
	}
	return r.File, files
}

// TestArchive: one folder named like the add-on, in it everything and nothing
// else, each folder before its files, in forms that Kodi's reader knows.
func TestArchive(t *testing.T) {
	for _, a := range Architectures() {
		entries, files := open(t, pack(t, a))
		seen := map[string]bool{"": true}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name, ID+"/") {
				t.Errorf("%s: %s is outside the folder", a.Name, e.Name)
			}
			parent := e.Name[:strings.LastIndex(strings.TrimSuffix(e.Name, "/"), "/")+1]
			if !seen[parent] {
				t.Errorf("%s: %s comes before its folder", a.Name, e.Name)
			}
			seen[e.Name] = true
			if e.Method != zip.Deflate && e.Method != zip.Store || e.Flags&8 != 0 || e.Modified.Year() != 1980 {
				t.Errorf("%s: %s: method %d, flags %x, time %v", a.Name, e.Name, e.Method, e.Flags, e.Modified)
			}
			want := fs.FileMode(0o644)
			switch e.Name {
			case ID + "/bin/filmspool", ID + "/program/filmspool":
				want = 0o755
			}
			if strings.HasSuffix(e.Name, "/") {
				want = fs.ModeDir | 0o755
			}
			if e.Mode() != want {
				t.Errorf("%s: %s has mode %v, want %v", a.Name, e.Name, e.Mode(), want)
			}
		}
		want := []string{
			"LICENSE.txt", "addon.xml", "bin/filmspool", "default.py", "program/filmspool",
			"resources/config.toml", "resources/icon.png", "system.d/service.filmspool.service",
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(files))); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", a.Name, diff)
		}
		if files["program/filmspool"] != "the program" || files["LICENSE.txt"] != "the licences" {
			t.Errorf("%s: program %q, licences %q", a.Name, files["program/filmspool"], files["LICENSE.txt"])
		}
		for name, text := range files {
			if left := regexp.MustCompile(`@[A-Z]+@`).FindString(text); left != "" {
				t.Errorf("%s: %s still holds %s", a.Name, name, left)
			}
		}
		if !bytes.Equal(pack(t, a), pack(t, a)) {
			t.Errorf("%s: packed twice, other bytes", a.Name)
		}
	}
}

// manifestXML is addon.xml as Kodi's AddonInfoBuilder.cpp reads it.
type manifestXML struct {
	XMLName  xml.Name
	ID       string `xml:"id,attr"`
	Name     string `xml:"name,attr"`
	Version  string `xml:"version,attr"`
	Provider string `xml:"provider-name,attr"`
	Imports  []struct {
		Addon   string `xml:"addon,attr"`
		Version string `xml:"version,attr"`
	} `xml:"requires>import"`
	Extensions []extension `xml:"extension"`
}

type extension struct {
	Point       string   `xml:"point,attr"`
	Library     string   `xml:"library,attr"`
	Summary     []string `xml:"summary"`
	Description []string `xml:"description"`
	Platform    string   `xml:"platform"`
	License     string   `xml:"license"`
	Icon        []string `xml:"assets>icon"`
}

// TestManifest holds addon.xml to what Kodi refuses an add-on for, and to what
// its makers ask of one.
func TestManifest(t *testing.T) {
	for _, a := range Architectures() {
		_, files := open(t, pack(t, a))
		var m manifestXML
		if err := xml.Unmarshal([]byte(files["addon.xml"]), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.XMLName.Local != "addon", m.ID != ID, m.Name == "", m.Provider == "":
			t.Errorf("%s: %+v", a.Name, m)
		case !regexp.MustCompile(`^[a-z0-9._-]+$`).MatchString(m.ID):
			t.Errorf("%s: id %q", a.Name, m.ID)
		case !regexp.MustCompile(`^\d+\.\d+\.\d+([~+][a-z0-9.]+)?$`).MatchString(m.Version):
			t.Errorf("%s: version %q", a.Name, m.Version)
		case len(m.Imports) != 1 || m.Imports[0].Addon != "xbmc.python" || m.Imports[0].Version != "3.0.0":
			t.Errorf("%s: imports %+v; 3.0.0 is Kodi 19 and later", a.Name, m.Imports)
		case len(m.Extensions) != 2:
			t.Fatalf("%s: %d extensions", a.Name, len(m.Extensions))
		}
		// The first one makes it a service, which LibreELEC starts units for.
		service, about := m.Extensions[0], m.Extensions[1]
		if service.Point != "xbmc.service" || !strings.HasSuffix(service.Library, ".py") || files[service.Library] == "" {
			t.Errorf("%s: service %+v", a.Name, service)
		}
		if about.Point != "xbmc.addon.metadata" || len(about.Summary) != 1 || len(about.Description) != 1 || about.License != "MIT" {
			t.Errorf("%s: metadata %+v", a.Name, about)
		}
		if about.Platform != a.Platform {
			t.Errorf("%s: platform %q, want %q", a.Name, about.Platform, a.Platform)
		}
		if len(about.Icon) != 1 || files[about.Icon[0]] == "" {
			t.Errorf("%s: icon %q", a.Name, about.Icon)
		}
	}
}

// TestVersion: Kodi knows an update by the add-on's version, which has to be
// that of the program in it.
func TestVersion(t *testing.T) {
	version, err := Version()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../cmd/filmspool/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(source, []byte("\nvar version = \""+version+"\"\n")) {
		t.Errorf("addon.xml says %s, and the program something else", version)
	}
	if got := Name(version, Architectures()[1]); got != ID+"-"+version+"-aarch64.zip" {
		t.Error(got)
	}
}

// TestUnit: what LibreELEC does with an add-on finds the unit by its name and
// starts it with Kodi, and what must not be in it.
func TestUnit(t *testing.T) {
	_, files := open(t, pack(t, Architectures()[0]))
	unit := files["system.d/"+ID+".service"]
	for _, line := range []string{
		"[Install]\nWantedBy=kodi.target\n",
		"\nExecStart=/bin/sh /storage/.kodi/addons/" + ID + "/bin/filmspool run\n",
		"\nType=simple\n", "\nRestart=on-failure\n", "\nRestartPreventExitStatus=78\n",
		"\nNotifyAccess=main\n", "\nWatchdogSec=180\n", "\nUMask=0077\n", "\nRestartSec=10\n", "\nStartLimitIntervalSec=0\n",
	} {
		if !strings.Contains(unit, line) {
			t.Errorf("the unit lacks %q", line)
		}
	}
	// A machine without a network or a clock chip may wait for either for ever,
	// and with the unit Kodi.
	if ordered := regexp.MustCompile(`(?m)^(After|Requires|Wants)=.*`).FindString(unit); ordered != "" {
		t.Errorf("the unit waits: %s", ordered)
	}
	if !strings.Contains(files["resources/config.toml"], "\nuserdata = \"/storage/.kodi/userdata\"\n") {
		t.Error("the configuration lacks Kodi's library")
	}
	// LibreELEC removes addon_data/*/*.log and addon_data/*/log/* at every start.
	for _, name := range []string{"bin/filmspool", "resources/config.toml"} {
		if strings.Contains(files[name], ".log") || strings.Contains(files[name], "/log/") {
			t.Errorf("%s names a log", name)
		}
	}
}
