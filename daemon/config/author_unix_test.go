//go:build unix

package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestAuthor: a program that the settings name is not run where others could have
// named it.
func TestAuthor(t *testing.T) {
	dir := t.TempDir()
	real, linked := filepath.Join(dir, "real"), filepath.Join(dir, "linked")
	file, link := filepath.Join(real, "config.toml"), filepath.Join(linked, "config.toml")
	err := errors.Join(os.Mkdir(real, 0o755), os.Mkdir(linked, 0o755), os.WriteFile(file, nil, 0o644), os.Symlink(file, link))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		if err := (Paths{File: path}).CheckAuthor(); err != nil {
			t.Error(err)
		}
	}
	for _, open := range []string{file, real, linked} {
		info, err := os.Stat(open)
		if err == nil {
			err = os.Chmod(open, 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
		var trust *TrustError
		if err := (Paths{File: link}).CheckAuthor(); !errors.As(err, &trust) || trust.Path != open || trust.Hint() == "" {
			t.Errorf("%s is open to all: %v", open, err)
		}
		if err := os.Chmod(open, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() != 0 {
		return // only root can give files away
	}
	if err := os.Chown(file, 1234, 1234); err != nil {
		t.Fatal(err)
	}
	if err := (Paths{File: link}).CheckAuthor(); err == nil {
		t.Error("another's file is run")
	}
}
