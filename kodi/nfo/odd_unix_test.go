//go:build unix

package nfo

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What is no plain file is passed over: a pipe would never end, a link could
// lead anywhere, also back up.
func TestOddFilesArePassedOver(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	put(t, root, "a.nfo", plain)
	outside := put(t, elsewhere, "b.nfo", plain)
	for _, err := range []error{
		syscall.Mkfifo(filepath.Join(root, "pipe.nfo"), 0o600),
		os.Symlink(outside, filepath.Join(root, "link.nfo")),
		os.Symlink(root, filepath.Join(root, "loop")),
		os.Mkdir(filepath.Join(root, "folder.nfo"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	snap, tree := read(t, New(root))
	if len(snap.Files) != 1 || len(tree.Folders) != 2 {
		t.Errorf("%q in %q", says(root, snap), tree.Folders)
	}
	link := filepath.Join(elsewhere, "library")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	if snap, _ := read(t, New(link)); len(snap.Files) != 1 {
		t.Errorf("by a link of its own: %d files", len(snap.Files))
	}
}
