package library

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/filmspool/filmspool/kodi/snapshot"
)

// Read takes one snapshot of the library file at path, whose name must be
// MyVideosNNN.db. It waits for Kodi for at most 0.8 s, keeps it waiting for at
// most 4 s at a time, and has let go of the file when it returns. It leaves no
// trace, but in a folder that it may write to SQLite makes the empty -wal and
// -shm files that a library in WAL mode needs.
//
// Of the files that part does not pick it gives the outline alone. An episode
// that claims a TMDB identifier of a picked one is given in full as well.
//
// The errors are those of this package, or the context's.
func Read(ctx context.Context, path string, part snapshot.Part) (snapshot.Snapshot, error) {
	version, ok := versionOf(filepath.Base(path))
	if !ok {
		return snapshot.Snapshot{}, fmt.Errorf("read library %s: %w: its name is not MyVideosNNN.db", path, ErrUnsupported)
	}
	s := snapshot.Snapshot{Path: path, Origin: originOf(path), Version: version, Verified: verified(version), ReadAt: time.Now()}
	err := open(ctx, path, func(ctx context.Context, v *visit) error {
		err := v.together(ctx, func(step func(...stepper) error) error { return fillSnapshot(&s, step, part) })
		s.Held = v.held
		return err
	})
	if err != nil {
		return snapshot.Snapshot{}, fmt.Errorf("read library %s: %w", path, err)
	}
	return s, nil
}

// fillSnapshot reads the files of a snapshot.
func fillSnapshot(s *snapshot.Snapshot, step func(...stepper) error, part snapshot.Part) error {
	t := newTables()
	t.slice = lookSlice
	if part.Pick == nil {
		err := step(t.inFull(s.Version)...)
		s.Files = t.files()
		return err
	}
	if err := step(t.outline(s.Version)...); err != nil {
		return err
	}
	if part.Names {
		if err := step(t.readNames(&s.Names)...); err != nil {
			return err
		}
	}
	s.Files = t.files()
	return t.fill(s, part.Pick(*s), step)
}

// originOf is a file's name without links.
func originOf(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
