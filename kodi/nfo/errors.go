package nfo

import (
	"errors"
	"fmt"
	"io/fs"
)

// What can stand in the way of a reading. Every error of [Reader.Read] wraps
// one of these, or the error of the context or of the file system.
var (
	// ErrNotFound: the folder or the file is missing.
	ErrNotFound = errors.New("no such folder or file")
	// ErrPermission: this user may not read it.
	ErrPermission = errors.New("it may not be read by this user")
	// ErrIncomplete: videodb.xml is cut off or broken, as it is while Kodi
	// writes it.
	ErrIncomplete = errors.New("the export is not whole")
	// ErrTooMany: there is more than a library can hold.
	ErrTooMany = errors.New("too many files")
)

// classify names the kind of a file system error.
func classify(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w", ErrPermission, err)
	default:
		return err
	}
}
