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

// Lock is held by the one process that may write the database of a folder. The
// system releases it when the process ends, however it ends.
type Lock struct {
	folder *flock.Flock // where the system can lock a folder: the file may be deleted
	file   *flock.Flock
}

// lockInterval is how often AwaitLock tries: the system's own way of waiting cannot
// be interrupted.
const lockInterval = 20 * time.Millisecond

// AwaitLock locks the folder dir, which must exist, and the file dir/lock. It waits up to
// patience while another process holds the lock, as a command does for a moment; then the
// error wraps [ErrLocked].
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
		file:   flock.New(filepath.Join(dir, "lock"), flock.SetFlag(os.O_RDONLY|create)), // also on a disk that is read-only
	}
	locked, err := l.folder.TryLock()
	if err != nil || locked { // not every system can lock a folder
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

// Release releases the lock. The file stays: removing it would let two processes
// hold locks on two files of one name.
func (l *Lock) Release() error { return errors.Join(l.file.Close(), l.folder.Close()) }

// IsLocked reports whether a process holds the lock of the folder dir. It creates
// nothing there.
func IsLocked(dir string) bool {
	l, err := lock(dir, 0)
	if err == nil {
		_ = l.Release() // it was only tried
	}
	return errors.Is(err, ErrLocked)
}
