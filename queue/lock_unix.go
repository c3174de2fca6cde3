//go:build unix

package queue

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks the whole file for this open description.
func lockFile(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
