package service

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging"
)

func TestPersonUnit(t *testing.T) {
	text, err := personUnit(packaging.SystemUnit, "kid", []string{"/home/kid/.kodi/userdata", "/home/my kid/100%:'x'"})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	has := func(want string) bool {
		for _, line := range lines {
			if line == want {
				return true
			}
		}
		return false
	}
	for _, want := range []string{
		"User=kid", "Group=filmspool", "StateDirectory=filmspool", "ConfigurationDirectory=filmspool", "RuntimeDirectory=filmspool",
		"ProtectHome=tmpfs", "BindReadOnlyPaths=-/home/kid/.kodi/userdata", `BindReadOnlyPaths=-/home/my\ kid/100%%\:\'x\'`,
		"ExecStart=@COMMAND@", "WatchdogSec=180",
	} {
		if !has(want) {
			t.Errorf("the unit lacks %s", want)
		}
	}
	for _, not := range []string{"DynamicUser=yes", "User=filmspool-daemon", "RemoveIPC=yes"} {
		if has(not) {
			t.Errorf("the unit has %s", not)
		}
	}
	if strings.Contains(text, "exists only while the service runs") {
		t.Error("a comment tells of the user that is not there")
	}
}

// Names and folders are whatever a machine has; a line break in one would be a
// directive of its own.
func TestPersonUnitRefuses(t *testing.T) {
	for _, c := range []struct{ text, name, folder string }{
		{packaging.SystemUnit, "kid\nExecStartPre=/bin/sh", "/a"},
		{packaging.SystemUnit, "kid", "/a\nExecStartPre=/bin/sh"},
		{packaging.UserUnit, "kid", "/a"},
		{"[Service]\nDynamicUser=yes\nUser=filmspool-daemon\n", "kid", "/a"},
	} {
		if text, err := personUnit(c.text, c.name, []string{c.folder}); err == nil {
			t.Errorf("%q %q: %s", c.name, c.folder, text)
		}
	}
}

func TestFindPerson(t *testing.T) {
	if _, err := FindPerson(t.Context(), "no-such-person"); err == nil || !strings.Contains(err.Error(), `no user "no-such-person"`) || hint(err) == "" {
		t.Errorf("got %v, hint %q", err, hint(err))
	}
	if _, err := FindPerson(t.Context(), "root"); err == nil || !strings.Contains(err.Error(), "does not run as root") || hint(err) == "" {
		t.Errorf("root: %v, hint %q", err, hint(err))
	}
	if p, err := FindPerson(t.Context(), "nobody"); err != nil || p.Name != "nobody" || p.Home == "" {
		t.Errorf("nobody: %+v, %v", p, err)
	}
}

func TestUserWantsSystem(t *testing.T) {
	_, err := New(Options{User: "kid"})
	if !errors.Is(err, errors.ErrUnsupported) || !strings.HasSuffix(hint(err), "filmspool --system service install --user kid") {
		t.Errorf("got %v, hint %q", err, hint(err))
	}
}

func TestInstallAsAPerson(t *testing.T) {
	f := newFake(t, true)
	f.unit.template, f.unit.o.Executable = packaging.SystemUnit, "/bin/sh"
	f.unit.o.User, f.unit.o.Visible = "kid", []string{"/home/kid/.kodi/userdata"}
	if err := f.unit.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.unit.unitFile)
	if err != nil || !strings.Contains(string(text), "\nUser=kid\n") {
		t.Errorf("%v: %s", err, text)
	}
	f.unit.euid = 1000
	if err := f.unit.install(t.Context()); hint(err) != "sudo filmspool --system service install --user kid" {
		t.Errorf("as a person: %v, hint %q", err, hint(err))
	}
}

// What systemd says of the unit is said before anything is written; what its
// tool says of itself is no fault of the unit's.
func TestInstallVerifies(t *testing.T) {
	f := newFake(t, false)
	t.Setenv("TMPDIR", t.TempDir()) // other tests verify units at the same time
	f.write("fail.verify", "/tmp/x/filmspool.service:3: Refusing.", 0o644)
	if err := f.unit.install(t.Context()); err == nil || !strings.Contains(err.Error(), "Refusing.") {
		t.Errorf("got %v", err)
	}
	if exists(f.unit.unitFile) || f.asked() != "" {
		t.Errorf("a unit was written, asked %q", f.asked())
	}
	f.write("fail.verify", "Failed to initialize manager: No such device or address", 0o644)
	if err := f.unit.install(t.Context()); err != nil {
		t.Errorf("without a manager to verify with: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "filmspool-unit-*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"/a/b": "/a/b", "/a b": "'/a b'", "/it's": `'/it'\''s'`} {
		if got := shellWord(word); got != want {
			t.Errorf("%s: %s", word, got)
		}
	}
}
