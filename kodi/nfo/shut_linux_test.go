package nfo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A reading leaves no file and no folder open: each look at a library would
// take more of them, until the program has none left.
func TestReadingLeavesNothingOpen(t *testing.T) {
	for name, export := range map[string]string{
		"good":    "<videodb><movie><title>C</title><filenameandpath>/c.mkv</filenameandpath></movie></videodb>",
		"cut off": "<videodb><movie>",
		"crowded": "<videodb>" + strings.Repeat("<filenameandpath", maxItems+1),
	} {
		root := t.TempDir()
		put(t, root, "a/a.nfo", plain)
		put(t, root, "c/videodb.xml", export)
		if _, _, err := New(root).Read(t.Context()); (err == nil) != (name == "good") {
			t.Errorf("%s: %v", name, err)
		}
		held, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range held {
			path, _ := os.Readlink(filepath.Join("/proc/self/fd", fd.Name())) // the one of this look is gone
			if strings.HasPrefix(path, root) {
				t.Errorf("%s: %s is open", name, path)
			}
		}
	}
}
