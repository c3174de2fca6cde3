package disk

import (
	"fmt"
	"path/filepath"
	"strings"
)

// newerError is a database that this program is too old for. It wraps
// [ErrNewer], and its hint names what can be gone back to.
type newerError struct {
	path       string
	has, knows int    // schemas
	back       string // the newest copy that this program can read, or empty
}

// newer looks for a copy that was made before the database came to a schema
// that is not known.
func newer(path string, has, knows int) error {
	e := &newerError{path: path, has: has, knows: knows}
	for _, file := range copiesBefore(path) {
		var next int
		name := strings.TrimPrefix(filepath.Base(file), filepath.Base(path)+beforeSchema)
		if _, err := fmt.Sscanf(name, "%d-", &next); err == nil && next-1 <= knows {
			e.back = filepath.Base(file)
		}
	}
	return e
}

// Error says what is wrong, and that nothing happened.
func (e *newerError) Error() string {
	return fmt.Sprintf("open %s: %v: it has schema %d, this program knows %d; nothing was changed", e.path, ErrNewer, e.has, e.knows)
}

func (e *newerError) Unwrap() error { return ErrNewer }

// Hint is what to do. The words can be typed into a Unix shell and PowerShell 7.
func (e *newerError) Hint() string {
	const again = "install the newer version of Filmspool again"
	if e.back == "" {
		return again + "; no copy from before it is kept here"
	}
	name := filepath.Base(e.path)
	return fmt.Sprintf("%s; or go back to the copy made before it came, without what it wrote: cd '%s' && mkdir newer && mv '%s'* newer && mv 'newer/%s' '%s'",
		again, filepath.Dir(e.path), name, e.back, name)
}
