package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock makes this process the only one that may write the database of a folder. The system
// releases it when the process ends.
type Lock struct {
	folder *flock.Flock // if the system can lock folders; unlike the file, it cannot be deleted
	file   *flock.Flock
}

// lockInterval is how often AwaitLock tries: a blocking flock cannot be interrupted.
const lockInterval = 20 * time.Millisecond

// AwaitLock locks the existing folder dir and the file dir/lock. If another process holds the
// lock, it waits up to timeout; then the error wraps [ErrLocked].
func AwaitLock(ctx context.Context, dir string, timeout time.Duration) (*Lock, error) {
	for deadline := time.Now().Add(timeout); ; {
		l, err := lock(dir, os.O_CREATE)
		if !errors.Is(err, ErrLocked) || !time.Now().Before(deadline) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for lock of state folder: %w", ctx.Err())
		case <-time.After(lockInterval):
		}
	}
}

func lock(dir string, create int) (*Lock, error) {
	l := &Lock{
		folder: flock.New(dir, flock.SetFlag(os.O_RDONLY)),
		file:   flock.New(filepath.Join(dir, "lock"), flock.SetFlag(os.O_RDONLY|create)), // also works on a read-only disk
	}
	locked, err := l.folder.TryLock()
	if err != nil || locked { // the folder is locked, or the system cannot lock folders
		locked, err = l.file.TryLock()
	}
	if err == nil && !locked {
		err = ErrLocked
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock state folder %s: %w", dir, err), l.Release())
	}
	return l, nil
}

// Release releases the lock. It does not remove the file: then two processes could each lock a
// file of that name.
func (l *Lock) Release() error { return errors.Join(l.file.Close(), l.folder.Close()) }

// IsLocked reports whether a process holds the lock of the folder dir. It creates no file.
func IsLocked(dir string) bool {
	l, err := lock(dir, 0)
	if err == nil {
		_ = l.Release() // it was only a test
	}
	return errors.Is(err, ErrLocked)
}
