package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TrustError is wrapped when a file or folder of ours could be another
// person's doing. Nothing was read from it or written to it.
type TrustError struct {
	Path string
	Why  string // what is wrong with it, after its name
	Fix  string // what to do about it
}

// Error says what is wrong.
func (e *TrustError) Error() string { return e.Path + " " + e.Why }

// Hint is what to do about it.
func (e *TrustError) Hint() string { return e.Fix }

// CheckFolders refuses folders in which somebody else could have put a control
// file; the error wraps a [TrustError]. A folder that is not there is no fault.
func (p Paths) CheckFolders() error {
	runtime := filepath.Dir(p.Control)
	folders := []string{p.State, runtime}
	if p.System {
		folders = folders[1:] // the state folder may be hidden from whoever controls the service
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			continue // nothing can be read there; whoever tries says so
		case err != nil:
			return fmt.Errorf("look at folder: %w", err)
		}
		if err := p.checkFolder(folder, info); err != nil {
			return err
		}
	}
	return nil
}

// checkFolder refuses a folder that belongs to somebody else, or in which
// others may change what is there.
func (p Paths) checkFolder(folder string, info fs.FileInfo) error {
	switch {
	case !ours(folder, info) && !(p.System && entrusted(folder, info)):
		return &TrustError{folder, "belongs to another user", "name a folder of your own with --state-dir, or type this as its owner"}
	case changeable(info):
		return &TrustError{folder, "can be changed by other users", "look whether what is in it is yours, then: chmod go-w " + folder}
	default:
		return nil
	}
}

// CheckControl refuses an open control file that somebody else could have
// written, or that others could read; the error wraps a [TrustError].
func (p Paths) CheckControl(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at the control file: %w", err)
	}
	group := filepath.Dir(p.Control) != p.State // there the group may control the service
	switch {
	case !info.Mode().IsRegular():
		return &TrustError{file.Name(), "is not a file", "remove it, and start Filmspool again"}
	case !ours(file.Name(), info) && !(p.System && ofFolder(file.Name(), info)):
		return &TrustError{file.Name(), "belongs to another user", "remove it, and start Filmspool again"}
	case readable(info, group):
		return &TrustError{file.Name(), "is open to other users", "stop filmspool, and start it again"}
	default:
		return nil
	}
}
