package sqlite

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// FreeSpace returns how many bytes this user may still write on the disk of a folder.
func FreeSpace(folder string) (free int64, err error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err == nil {
		var n uint64
		err = windows.GetDiskFreeSpaceEx(name, &n, nil, nil)
		free = int64(n)
	}
	if err != nil {
		return 0, fmt.Errorf("read the free room of the disk of %s: %w", folder, err)
	}
	return free, nil
}
