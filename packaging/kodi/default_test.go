package kodi

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kodis is what default.py sees of Kodi; it writes down what it is told.
const kodis = `
import os

LOGWARNING = 2
NOTIFICATION_WARNING = "warning"


class Addon:
    def getAddonInfo(self, name):
        assert name == "path"
        return os.environ["ADDON"] + "/"


class Monitor:
    def waitForAbort(self, seconds):
        print("waited")
        return "ABORT" in os.environ


class Dialog:
    def notification(self, heading, text, icon, milliseconds):
        print("shown:", heading, "|", text)


def log(text, level):
    print("logged:", text)
`

// TestScript runs default.py with a Kodi made up for it, over a wrapper that
// says what "filmspool status" may say.
func TestScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	_, files := open(t, pack(t, Architectures()[0]))
	dir := t.TempDir()
	for _, name := range []string{"xbmc.py", "xbmcaddon.py", "xbmcgui.py"} {
		write(t, filepath.Join(dir, name), kodis)
	}
	home := filepath.Join(dir, ID)
	script := strings.ReplaceAll(files["default.py"], "/storage/.kodi/addons/service.filmspool", home)
	if script == files["default.py"] {
		t.Fatal("default.py does not know the folder of add-ons")
	}
	write(t, filepath.Join(home, "default.py"), script)

	for _, c := range []struct {
		name, status string
		env          []string
		want         string
	}{
		{name: "well", status: "echo All is well.", want: "waited\n"},
		{
			name: "needs the user", status: "echo No key yet.; echo more; exit 4",
			want: "waited\nlogged: service.filmspool: No key yet.\nshown: Filmspool | No key yet.\n",
		},
		{
			name: "not running", status: "echo 'error: it does not run' >&2; exit 3",
			want: "waited\nlogged: service.filmspool: error: it does not run\nshown: Filmspool | error: it does not run\n",
		},
		{
			name: "silent", status: "exit 5",
			want: "waited\nlogged: service.filmspool: status ended with 5\nshown: Filmspool | status ended with 5\n",
		},
		{name: "Kodi ends", status: "exit 4", env: []string{"ABORT=1"}, want: "waited\n"},
		{
			name: "elsewhere", status: "exit 4", env: []string{"ADDON=/home/me/.kodi/addons/" + ID},
			want: "logged: service.filmspool: Only for LibreELEC and CoreELEC: nothing was started\n" +
				"shown: Filmspool | Only for LibreELEC and CoreELEC: nothing was started\n",
		},
	} {
		write(t, filepath.Join(home, "bin/filmspool"), c.status+"\n")
		cmd := exec.CommandContext(t.Context(), python, filepath.Join(home, "default.py"))
		cmd.Env = append([]string{"PATH=/usr/bin:/bin", "PYTHONPATH=" + dir, "PYTHONDONTWRITEBYTECODE=1", "ADDON=" + home}, c.env...)
		if got, err := cmd.CombinedOutput(); err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%swant\n%s", c.name, err, got, c.want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
