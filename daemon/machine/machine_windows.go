package machine

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"
)

// Free is how many bytes this user can still write on the disk of a folder.
func Free(folder string) (int64, error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, fmt.Errorf("look for room on the disk of %s: %w", folder, err)
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, fmt.Errorf("look for room on the disk of %s: %w", folder, err)
	}
	return int64(free), nil
}

// Others is 0: there the folder's list of rights is made with the folder.
func Others(string) fs.FileMode { return 0 }
