//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// ownerOf is user and group of a file.
func ownerOf(info fs.FileInfo) [2]uint32 {
	stat := info.Sys().(*syscall.Stat_t)
	return [2]uint32{stat.Uid, stat.Gid}
}

// TestOwnerStays: where root changes the settings, the file still belongs to its owner.
func TestOwnerStays(t *testing.T) {
	s := source(t, "hold = 'all'\n")
	user, group := os.Getuid(), os.Getgid()
	if user == 0 {
		user, group = 1234, 1235
	}
	if err := os.Chown(s.File, user, group); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(s.File)
	if err != nil {
		t.Fatal(err)
	}
	mustSet(t, s, "hold", "none")
	after, err := os.Stat(s.File)
	if err != nil || os.SameFile(before, after) || ownerOf(after) != ownerOf(before) {
		t.Errorf("%v: it belongs to %v, before to %v", err, ownerOf(after), ownerOf(before))
	}
}
