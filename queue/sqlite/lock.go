package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Lock is held by the one process that may write the database of a folder. The
// system releases it when the process ends, however it ends.
type Lock struct {
	file   *os.File
	folder *os.File // the folder itself, where the system can lock it: the file may be deleted
}

// AcquireLock locks the folder dir, which must exist, by the file dir/lock and,
// where the system can, by the folder itself. It does not wait: when another
// process holds the lock, the error wraps [ErrLocked].
func AcquireLock(dir string) (*Lock, error) {
	l, err := lock(dir, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("lock state folder %s: %w", dir, err)
	}
	return l, nil
}

func lock(dir string, mode int) (*Lock, error) {
	name := filepath.Join(dir, "lock")
	file, err := os.OpenFile(name, mode, 0o600)
	if err != nil { // a file system that is read-only can be locked all the same
		readable, again := os.Open(name)
		if again != nil {
			return nil, err
		}
		file = readable
	}
	if err := lockFile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	folder, err := lockFolder(dir)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Lock{file, folder}, nil
}

// lockEvery is how often AwaitLock tries: the system's own way of waiting cannot
// be interrupted.
const lockEvery = 20 * time.Millisecond

// AwaitLock is [AcquireLock], but waits up to patience while another process
// holds the lock: a command holds it for a moment.
func AwaitLock(ctx context.Context, dir string, patience time.Duration) (*Lock, error) {
	for till := time.Now().Add(patience); ; {
		lock, err := AcquireLock(dir)
		if !errors.Is(err, ErrLocked) || !time.Now().Before(till) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for lock of state folder: %w", ctx.Err())
		case <-time.After(lockEvery):
		}
	}
}

// Release releases the lock. The file stays: removing it would let two processes
// hold locks on two files of one name.
func (l *Lock) Release() error {
	err := l.file.Close()
	if l.folder != nil {
		err = errors.Join(err, l.folder.Close())
	}
	return err
}

// Held reports whether a process holds the lock of the folder dir. It creates
// nothing there.
func Held(dir string) bool {
	l, err := lock(dir, os.O_RDWR)
	if err == nil {
		_ = l.Release() // it was only tried
		return false
	}
	if !errors.Is(err, ErrLocked) { // the file may have been deleted
		var folder *os.File
		if folder, err = lockFolder(dir); folder != nil {
			folder.Close()
		}
	}
	return errors.Is(err, ErrLocked)
}
