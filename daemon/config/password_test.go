package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestPassword(t *testing.T) {
	state, handed := t.TempDir(), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(state, "keys"), 0o700))
	must(os.WriteFile(filepath.Join(state, "keys", "kodi-mysql-ann"), []byte("from the file\n"), 0o600))
	must(os.WriteFile(filepath.Join(state, "keys", "kodi-mysql-Bob"), []byte("x"), 0o600))
	must(os.WriteFile(filepath.Join(handed, "kodi-mysql-Bob"), []byte("handed"), 0o600))
	k := Keys{Dir: state, Getenv: env("CREDENTIALS_DIRECTORY", handed)}
	for user, want := range map[string]string{"ann": "from the file", "Bob": "handed", "nobody": "", "": "", "../keys/x": ""} {
		got, err := k.Password(user)
		if err != nil || got.Reveal() != want {
			t.Errorf("%q: got %q, %v, want %q", user, got.Reveal(), err, want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	must(os.Chmod(filepath.Join(state, "keys", "kodi-mysql-ann"), 0o644))
	if _, err := k.Password("ann"); !errors.Is(err, ErrInvalid) || strings.Contains(err.Error(), "from the file") {
		t.Errorf("a file that all can read: %v", err)
	}
}

func TestLibraryNamedTwice(t *testing.T) {
	c := Default()
	c.complete()
	dir := t.TempDir()
	c.Kodi.Libraries = []Library{{Userdata: dir}, {Userdata: filepath.Join(dir, "x")}, {Userdata: dir + "/"}}
	if err := c.Validate(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "kodi.libraries[2].userdata") || strings.Contains(err.Error(), "[1]") {
		t.Errorf("got %v", err)
	}
}

func TestMySQLUserIsAPlainName(t *testing.T) {
	c := Default()
	c.complete()
	c.Kodi.Libraries = []Library{{Userdata: t.TempDir(), MySQLUser: "reader_2"}}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.Kodi.Libraries[0].MySQLUser = "../reader"
	if err := c.Validate(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "kodi.libraries[0].mysql_user") {
		t.Errorf("got %v", err)
	}
}
