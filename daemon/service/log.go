package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/filmspool/filmspool/queue/viewing"
)

// LogFlag is the flag of "filmspool run" that names the log file of a service whose
// system has no journal.
const LogFlag = "log-file"

// logLines is how much of a log is shown.
const logLines = 200

// OpenLog opens a log file of at most 5 MB; the one before it is kept. What the Go
// runtime says of a crash goes into a file beside it.
func OpenLog(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	crash, err := os.OpenFile(strings.TrimSuffix(path, ".log")+"-crash.log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	defer crash.Close() // the runtime has a descriptor of its own
	if err := debug.SetCrashOutput(crash, debug.CrashOptions{}); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return &lumberjack.Logger{Filename: path, MaxSize: 5, MaxBackups: 1}, nil
}

// showLog copies the newest lines of a log file to out, and with follow goes on until
// ctx ends.
func showLog(ctx context.Context, path string, out io.Writer, follow bool) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !follow {
		return refuse(err, viewing.Say("service.noLog", "path", path), "filmspool service status")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %w", err)
	}
	if _, err := out.Write(lastLines(text, logLines)); err != nil || !follow {
		return err
	}
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for from := int64(len(text)); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if from, err = copyFrom(path, out, from); err != nil {
			return fmt.Errorf("read log: %w", err)
		}
	}
}

// copyFrom copies what stands behind the first from bytes, and returns how many there
// are now. A file that got shorter is a new one. It holds the file open for moments
// only, so that the log can be put aside.
func copyFrom(path string, out io.Writer, from int64) (int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return from, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() < from {
		from = 0
	}
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return from, err
	}
	n, err := io.Copy(out, file)
	return from + n, err
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
