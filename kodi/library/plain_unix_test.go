//go:build unix

package library

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Nothing but a plain file is opened, and nobody waits for a pipe.
func TestOnlyPlainFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	l, err := net.Listen("unix", in("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, err := range []error{
		os.WriteFile(in("file"), []byte("text"), 0o600), os.Symlink(in("file"), in("link")),
		syscall.Mkfifo(in("pipe"), 0o600), os.Symlink(in("pipe"), in("linked pipe")), os.Mkdir(in("folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"file", "link"} {
		f, err := OpenPlain(in(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := io.ReadAll(f)
		if f.Close(); string(text) != "text" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for _, name := range []string{
		"pipe", "linked pipe", "socket", "folder", "/dev/null",
	} {
		path := name
		if !filepath.IsAbs(name) {
			path = in(name)
		}
		f, err := OpenPlain(path)
		if f != nil || !errors.Is(err, ErrOdd) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	if _, err := OpenPlain(in("nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// A pipe that takes a file's place between two looks is not waited for: the open
// itself does not wait.
func TestOpenItselfDoesNotWait(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(pipe, os.O_RDONLY|noWait, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}
