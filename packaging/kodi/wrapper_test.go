//go:build unix

package kodi

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// box is a machine's folder /storage, with the add-on as Kodi unpacks it: no
// file may be executed. Its program is a script that says how it was started.
type box struct {
	t       *testing.T
	storage string
	addon   string
	state   string
	tools   string // commands that stand before the machine's own
	path    string
	shell   []string
}

const stub = `#!/bin/sh
echo "args: $*"
echo "HOME: $HOME"
echo "state: $FILMSPOOL_STATE_DIR"
echo "config: $FILMSPOOL_CONFIG"
echo "umask: $(umask)"
echo "parent: $PPID"
exit "${EXIT:-0}"
`

// shells are those of this machine that LibreELEC's resembles.
func shells() map[string][]string {
	found := map[string][]string{"sh": {"/bin/sh"}}
	for name, words := range map[string][]string{"dash": nil, "busybox": {"sh"}, "bash": {"--posix"}} {
		if path, err := exec.LookPath(name); err == nil {
			found[name] = append([]string{path}, words...)
		}
	}
	return found
}

// inShells runs a test in a new box for each shell.
func inShells(t *testing.T, test func(t *testing.T, b box)) {
	t.Helper()
	for name, words := range shells() {
		t.Run(name, func(t *testing.T) { test(t, newBox(t, words)) })
	}
}

func newBox(t *testing.T, shell []string) box {
	t.Helper()
	storage := filepath.Join(t.TempDir(), "the storage")
	b := box{
		t: t, storage: storage, shell: shell,
		addon: filepath.Join(storage, ".kodi/addons", ID),
		state: filepath.Join(storage, ".kodi/userdata/addon_data", ID),
		tools: filepath.Join(t.TempDir(), "tools"),
	}
	a := Architectures()[1]
	_, files := open(t, pack(t, a))
	files[program] = stub
	for name, text := range files {
		b.write(filepath.Join(b.addon, name), text, 0o644)
	}
	b.machine("aarch64")
	b.path = b.tools + ":/usr/bin:/bin"
	if filepath.Base(shell[0]) == "busybox" {
		applets := filepath.Join(filepath.Dir(b.tools), "applets")
		if err := os.Mkdir(applets, 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), shell[0], "--install", "-s", applets).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		b.path = b.tools + ":" + applets // and nothing else
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

// run starts the wrapper as the unit does, with nothing in the environment but
// what is given.
func (b box) run(env []string, args ...string) (string, int) {
	b.t.Helper()
	return b.start(env, append(append(b.shell, filepath.Join(b.addon, "bin/filmspool")), args...)...)
}

func (b box) start(env []string, words ...string) (string, int) {
	b.t.Helper()
	cmd := exec.CommandContext(b.t.Context(), words[0], words[1:]...)
	cmd.Env = append([]string{"PATH=" + b.path}, env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	return said.String(), cmd.ProcessState.ExitCode()
}

func (b box) want(said, args, home, state, config string) {
	b.t.Helper()
	// No shell stays between: systemd must have the program itself as its child.
	want := fmt.Sprintf("args: %s\nHOME: %s\nstate: %s\nconfig: %s\numask: 0077\nparent: %d\n", args, home, state, config, os.Getpid())
	if diff := cmp.Diff(want, said); diff != "" {
		b.t.Errorf("(-want +got)\n%s", diff)
	}
}

func (b box) mode(path string) fs.FileMode {
	b.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.t.Fatal(err)
	}
	return info.Mode().Perm()
}

// TestWrapperOnANewMachine: no folder is there, no HOME, nothing may be
// executed.
func TestWrapperOnANewMachine(t *testing.T) {
	inShells(t, func(t *testing.T, b box) {
		said, code := b.run(nil, "run")
		if code != 0 {
			t.Fatalf("exit %d: %s", code, said)
		}
		config := filepath.Join(b.state, "config.toml")
		b.want(said, "run", b.storage, b.state, config)
		for path, want := range map[string]fs.FileMode{
			filepath.Dir(b.state):                   0o755, // Kodi's own
			b.state:                                 0o700,
			config:                                  0o600,
			filepath.Join(b.addon, program):         0o755,
			filepath.Join(b.addon, "bin/filmspool"): 0o755,
		} {
			if got := b.mode(path); got != want {
				t.Errorf("%s has mode %o, want %o", path, got, want)
			}
		}
		got, err := os.ReadFile(config)
		if err != nil || !strings.Contains(string(got), `userdata = "/storage/.kodi/userdata"`) {
			t.Errorf("%v: the configuration is %s", err, got)
		}
		if left, _ := filepath.Glob(config + ".*"); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		// From now on it can be typed, and called from a link on the PATH.
		link := filepath.Join(b.tools, "filmspool")
		if err := os.Symlink(filepath.Join(b.addon, "bin/filmspool"), link); err != nil {
			t.Fatal(err)
		}
		said, _ = b.start([]string{"HOME=/root"}, link, "diary", "--state", "in_doubt")
		b.want(said, "diary --state in_doubt", "/root", b.state, config)
	})
}

// TestWrapperKeepsTheConfiguration, unless a power cut has left it empty; and
// takes from others what Kodi let them read.
func TestWrapperKeepsTheConfiguration(t *testing.T) {
	inShells(t, func(t *testing.T, b box) {
		config := filepath.Join(b.state, "config.toml")
		b.write(config, "listen = \"127.0.0.1:1\"\n", 0o640)
		if said, code := b.run(nil, "run"); code != 0 {
			t.Fatalf("exit %d: %s", code, said)
		}
		if got, err := os.ReadFile(config); err != nil || string(got) != "listen = \"127.0.0.1:1\"\n" {
			t.Errorf("%v: the configuration became %s", err, got)
		}
		if got := b.mode(b.state); got != 0o700 {
			t.Errorf("the state folder has mode %o", got)
		}
		b.write(config, "", 0o600)
		if said, code := b.run(nil, "run"); code != 0 {
			t.Fatalf("exit %d: %s", code, said)
		}
		if got, err := os.ReadFile(config); err != nil || !strings.Contains(string(got), "[[kodi.libraries]]") {
			t.Errorf("%v: the empty configuration became %s", err, got)
		}
	})
}

// TestWrapperOnTheWrongMachine says so, in words, and is not tried again.
func TestWrapperOnTheWrongMachine(t *testing.T) {
	inShells(t, func(t *testing.T, b box) {
		b.machine("armv7l")
		said, code := b.run(nil, "run")
		if code != 78 || !strings.Contains(said, "for aarch64, and this machine is armv7l") || strings.Contains(said, "args:") {
			t.Errorf("exit %d: %s", code, said)
		}
	})
	for _, c := range []struct {
		architecture int
		machine      string
		fits         bool
	}{
		{0, "x86_64", true},
		{0, "aarch64", false},
		{0, "i686", false},
		{1, "aarch64", true},
		{1, "x86_64", false},
		{1, "armv8l", false},
		{2, "armv7l", true},
		{2, "armv8l", true},
		{2, "aarch64", true},
		{2, "armv6l", false},
		{2, "x86_64", false},
	} {
		b := newBox(t, []string{"/bin/sh"})
		a := Architectures()[c.architecture]
		_, files := open(t, pack(t, a))
		b.write(filepath.Join(b.addon, "bin/filmspool"), files["bin/filmspool"], 0o755)
		b.machine(c.machine)
		if said, code := b.run(nil, "run"); (code == 0) != c.fits {
			t.Errorf("%s on %s: exit %d: %s", a.Name, c.machine, code, said)
		}
	}
}
