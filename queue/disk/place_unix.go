//go:build unix

package disk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// identity tells one file from every other, and how long it was.
type identity struct {
	device, inode uint64
	size          int64
}

// identify looks a name up.
func identify(name string) (identity, error) {
	var found unix.Stat_t
	if err := unix.Stat(name, &found); err != nil {
		return identity{}, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	return identity{uint64(found.Dev), found.Ino, found.Size}, nil //nolint:unconvert // its type is another one elsewhere
}

// same reports a database that is not the one that was opened first.
func (p *place) same(path string) error {
	if !p.known {
		return nil
	}
	now, err := identify(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s was deleted", path)
	case err == nil && (now.inode != p.files[0].inode || now.device != p.files[0].device):
		return fmt.Errorf("%s was replaced", path)
	default:
		return nil
	}
}

// learn remembers which files SQLite has open. The database stays the same for
// as long as the store is open. The files beside it may be made anew while no
// connection has them. Where they are not all there, nothing is checked.
func (p *place) learn(path string) error {
	if err := p.same(path); err != nil {
		return err
	}
	var now [3]identity
	for i, part := range parts() {
		found, err := identify(path + part)
		if err != nil {
			return nil
		}
		now[i], p.names[i] = found, path+part
	}
	p.files, p.known, p.fresh = now, true, true
	return nil
}

// check reports a file that is not there any more, was replaced or was made
// shorter, by one question to the system for each.
func (p *place) check() error {
	if !p.fresh {
		return nil
	}
	for i, name := range p.names {
		now, err := identify(name)
		was := p.files[i]
		switch {
		case errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("%s was deleted", name)
		case err != nil:
			return nil // nothing is known
		case now.inode != was.inode || now.device != was.device:
			return fmt.Errorf("%s was replaced", name)
		case now.size < was.size:
			return &shorter{name: name, log: i == 1}
		}
		p.files[i].size = now.size
	}
	return nil
}
