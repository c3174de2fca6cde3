// Package plainfile opens files that other programs wrote, and nothing but files.
//
// It promises never to wait in an open. A pipe without a writer, a socket or a
// device is refused with [ErrOdd] and is not opened. A network drive that hangs
// can still hold up a look at a file; package daemon bounds what that delays.
//
// It refuses to read: what a file holds is its caller's business.
package plainfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrOdd is wrapped when there is something that is no plain file: a folder, a
// pipe, a socket or a device.
var ErrOdd = errors.New("it is no plain file")

// Check reports what is wrong with a path that is to be opened: the error of the
// file system, or [ErrOdd]. Links are followed.
func Check(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return check(path, info)
}

// Open opens a plain file for reading. What takes its place between two looks
// is not waited for either, and is refused.
func Open(path string) (*os.File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = check(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func check(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%w: %s is %s", ErrOdd, path, kind(info.Mode()))
}

// kind names what is no plain file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	default:
		return "something else"
	}
}
