package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// logFile is the log of a program whose standard error nobody reads. Where it
// gets larger than limit, in bytes, it is put aside for a new one; one old log
// is kept. It is safe for several goroutines. What the Go runtime
// says of a crash goes there too.
type logFile struct {
	path  string
	limit int64

	mu   sync.Mutex
	file *os.File
	size int64
}

// openLog opens a log to write on; its folder must be there.
func openLog(path string, limit int64) (*logFile, error) {
	l := &logFile{path: path, limit: limit}
	return l, l.open()
}

func (l *logFile) open() error {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		err = debug.SetCrashOutput(file, debug.CrashOptions{})
	}
	if err != nil {
		return errors.Join(fmt.Errorf("open log: %w", err), file.Close())
	}
	l.file, l.size = file, info.Size()
	return nil
}

// Write appends a line.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(p)) > l.limit {
		if err := l.turn(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// turn begins a new file. Windows renames no file that somebody has open: then
// the log goes on where it is, and a later line tries again.
func (l *logFile) turn() error {
	if err := l.shut(); err != nil {
		return err
	}
	_ = os.Rename(l.path, l.path+".1") // see above
	return l.open()
}

func (l *logFile) shut() error {
	return errors.Join(debug.SetCrashOutput(nil, debug.CrashOptions{}), l.file.Close())
}

// Close ends the log.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shut()
}

// showLog copies the newest lines of a log to out, and with follow goes on until
// ctx ends.
func showLog(ctx context.Context, path string, out io.Writer, lines int, follow bool) error {
	older, err := os.ReadFile(path + ".1")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %w", err)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && older == nil && !follow {
		return &Error{What: "nothing was written yet: there is no " + path, Cause: err, Advice: "filmspool service status"}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %w", err)
	}
	if _, err := out.Write(lastLines(append(older, text...), lines)); err != nil || !follow {
		return err
	}
	return followLog(ctx, path, out, int64(len(text)))
}

// followLog copies what is written after the first from bytes. It holds the
// file open for moments only, so that the log can be put aside.
func followLog(ctx context.Context, path string, out io.Writer, from int64) error {
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read log: %w", err)
		}
		if info.Size() < from { // it was put aside
			if _, err := copyFrom(path+".1", out, from); err != nil {
				return err
			}
			from = 0
		}
		n, err := copyFrom(path, out, from)
		if err != nil {
			return err
		}
		from += n
	}
}

func copyFrom(path string, out io.Writer, from int64) (int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read log: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read log: %w", err)
	}
	n, err := io.Copy(out, file)
	if err != nil {
		return n, fmt.Errorf("read log: %w", err)
	}
	return n, nil
}

// lastLines is the end of a text, n lines at most.
func lastLines(text []byte, n int) []byte {
	at := len(text)
	for range n + 1 {
		if at = bytes.LastIndexByte(text[:at], '\n'); at < 0 {
			return text
		}
	}
	return text[at+1:]
}
