package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ErrLocked is wrapped when another process holds a state folder.
var ErrLocked = errors.New("in use by another filmspool")

// Lock is held by the one process that may write a state folder's database.
// The system gives it up when the process ends, however it ends.
type Lock struct{ file *os.File }

// AcquireLock takes the lock of the folder dir, which must exist, by the file
// dir/lock. It does not wait: when another process holds it, the error wraps
// [ErrLocked] and names the folder.
func AcquireLock(dir string) (*Lock, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock of state folder: %w", err)
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock state folder %s: %w", dir, err)
	}
	return &Lock{file: file}, nil
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
func (l *Lock) Release() error { return l.file.Close() }
