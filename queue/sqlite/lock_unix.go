//go:build unix

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks the file for this open description.
func lockFile(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// lockFolder locks a folder itself. It is nil where the file system cannot.
func lockFolder(dir string) (*os.File, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, nil
	}
	err = lockFile(folder)
	if err == nil {
		return folder, nil
	}
	folder.Close()
	if !errors.Is(err, ErrLocked) {
		return nil, nil
	}
	return nil, err
}
