package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Lock is held by the one process that may write a state folder's database.
// The system gives it up when the process ends, however it ends.
type Lock struct {
	file   *os.File
	folder *os.File // the folder itself, locked too where the system can; else nil
}

// AcquireLock takes the lock of the folder dir, which must exist, by the file
// dir/lock and, where the system can, by the folder itself: the file may be
// deleted. It does not wait: when another process holds it, the error wraps
// [ErrLocked] and names the folder. On a file system that is read-only, the
// file must exist.
func AcquireLock(dir string) (*Lock, error) {
	l := &Lock{}
	name := filepath.Join(dir, "lock")
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		readable, again := os.Open(name)
		if again != nil {
			return nil, fmt.Errorf("open lock of state folder: %w", err)
		}
		file = readable // the system locks it all the same
	}
	l.file = file
	if err := cmp.Or(lockFile(file), l.same(name)); err != nil {
		return nil, errors.Join(fmt.Errorf("lock state folder %s: %w", dir, err), l.Release())
	}
	if l.folder, err = lockFolder(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("lock state folder %s: %w", dir, err), l.Release())
	}
	return l, nil
}

// same makes sure that the locked file is still the one of its name. Where it
// is not, whoever replaced it may hold the new one.
func (l *Lock) same(name string) error {
	opened, err := l.file.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(name); err != nil || !os.SameFile(opened, named) {
		return fmt.Errorf("%w: its file was replaced", ErrLocked)
	}
	return nil
}

// lockEvery is how often a lock is tried for that another process holds: the
// system's own way of waiting cannot be interrupted.
const lockEvery = 20 * time.Millisecond

// AwaitLock is [AcquireLock], but waits up to patience while another process
// holds the lock: a command holds it for a moment. The error wraps [ErrLocked]
// after that, and the context's when it ends before.
func AwaitLock(ctx context.Context, dir string, patience time.Duration) (*Lock, error) {
	enough := time.NewTimer(patience)
	defer enough.Stop()
	again := time.NewTicker(lockEvery)
	defer again.Stop()
	for {
		lock, err := AcquireLock(dir)
		if !errors.Is(err, ErrLocked) {
			return lock, err
		}
		select {
		case <-enough.C:
			return nil, err
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for lock of state folder: %w", ctx.Err())
		case <-again.C:
		}
	}
}

// Release gives the lock up. The file stays: removing it would let two
// processes hold locks on two files of one name.
func (l *Lock) Release() error {
	err := l.file.Close()
	if l.folder != nil {
		err = errors.Join(err, l.folder.Close())
	}
	return err
}

// Held reports whether a process holds the lock of the folder dir. It makes
// nothing there.
func Held(dir string) bool {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
	if err != nil {
		file, err = os.Open(filepath.Join(dir, "lock"))
	}
	if err == nil {
		defer file.Close()
		if errors.Is(lockFile(file), ErrLocked) {
			return true
		}
	}
	folder, err := lockFolder(dir) // the file may have been deleted
	if folder != nil {
		folder.Close()
	}
	return errors.Is(err, ErrLocked)
}
