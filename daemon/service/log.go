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

// LogFlag is the flag of "filmspool run" that names the log file on systems without a journal.
const LogFlag = "log-file"

// logLines is how many lines of a log are shown.
const logLines = 200

// OpenLog opens a log file with a maximum size of 5 MB and one previous file. Crash output of the
// Go runtime goes to a file next to it.
func OpenLog(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	crash, err := os.OpenFile(strings.TrimSuffix(path, ".log")+"-crash.log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	defer crash.Close() // the runtime duplicated the descriptor
	if err := debug.SetCrashOutput(crash, debug.CrashOptions{}); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return &lumberjack.Logger{Filename: path, MaxSize: 5, MaxBackups: 1}, nil
}

// showLog copies the last lines of a log file to out, and with follow continues until ctx ends. A
// file that became shorter is a new one. The file is open only while it is read, so that it can
// be rotated.
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
