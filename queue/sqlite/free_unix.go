//go:build unix

package sqlite

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// FreeSpace returns how many bytes this user may still write on the disk of a folder.
func FreeSpace(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, fmt.Errorf("read the free room of the disk of %s: %w", folder, err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // their types differ between systems
}
