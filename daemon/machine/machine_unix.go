//go:build !windows

package machine

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Free is how many bytes this user can still write on the disk of a folder.
func Free(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, fmt.Errorf("look for room on the disk of %s: %w", folder, err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // their types differ between systems
}

// Others are the rights that others have to a folder, where it and all that lies in it
// belong to this user; 0 elsewhere.
func Others(folder string) fs.FileMode {
	info, err := os.Stat(folder)
	if err != nil || !mine(info) {
		return 0
	}
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if info, err := e.Info(); err != nil || !mine(info) {
			return 0
		}
	}
	if err != nil {
		return 0
	}
	return info.Mode().Perm() & 0o077
}

func mine(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
