//go:build unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The state folder is created for its owner only, and refused if another user owns it or may
// change it.
func TestStateFolder(t *testing.T) {
	p := Paths{State: filepath.Join(t.TempDir(), "a", "state")}
	must(t, p.MakeState())
	if info, err := os.Stat(p.State); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("made as %v, %v", info.Mode(), err)
	}
	must(t, os.Chmod(p.State, 0o702))
	if err := p.MakeState(); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("open to others: %v", err)
	}
	p.State = "/" // owned by root
	if os.Geteuid() == 0 {
		p.State = t.TempDir()
		must(t, os.Chown(p.State, 1234, 1234))
	}
	if err := p.MakeState(); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("another person's: %v", err)
	}
	own := filepath.Join(t.TempDir(), "own") // with any umask
	p.State = filepath.Join(t.TempDir(), "link")
	must(t, errors.Join(os.Mkdir(own, 0o700), os.Symlink(own, p.State)))
	if err := p.MakeState(); err != nil {
		t.Errorf("a link of one's own: %v", err)
	}
	if os.Geteuid() == 0 {
		must(t, os.Lchown(p.State, 1234, 1234))
		if err := p.MakeState(); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("another person's link: %v", err)
		}
	}
}
