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

// showLog copies the newest lines of a log file to out, and with follow goes on until ctx
// ends. A file that got shorter is a new one. It is open for moments only, so that the log
// can be put aside.
func showLog(ctx context.Context, path string, out io.Writer, follow bool) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for shown := -1; ; {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && !follow {
			return refuse(err, viewing.Say("service.noLog", "path", path), "filmspool service status")
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read log: %w", err)
		}
		fresh := text
		if shown < 0 {
			lines := bytes.SplitAfter(text, []byte("\n"))
			fresh = bytes.Join(lines[max(0, len(lines)-1-logLines):], nil)
		} else if shown <= len(text) {
			fresh = text[shown:]
		}
		shown = len(text)
		if _, err := out.Write(fresh); err != nil || !follow {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
