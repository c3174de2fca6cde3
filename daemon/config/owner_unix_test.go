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

// TestOwnerStays: who may give files away does so.
func TestOwnerStays(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only the superuser may give a file away")
	}
	s := source(t, "hold = 'all'\n")
	if err := os.Chown(s.File, 1234, 1235); err != nil {
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
