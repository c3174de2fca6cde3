//go:build unix

package service

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	kardianos "github.com/kardianos/service"
)

// filed is a driver of kardianos' whose manager reads a file. It keeps a
// package's file, and puts back an older one when it cannot be replaced.
type filed struct {
	kardianos.Service
	file string // what Install writes
	text string // its text; empty where it is kardianos' own
	mode os.FileMode
	log  string // where the manager puts what the program writes
	all  bool   // it is the machine's
	from int64  // what was in the log before the start

	// prepare makes what the service needs.
	prepare func() error
	// blind: "stopped" may be a program that has failed; its log tells.
	blind bool
}

// Install leaves a file alone that says the same, as a package's does.
func (f *filed) Install() error {
	if f.prepare != nil {
		if err := f.prepare(); err != nil {
			return err
		}
	}
	old, err := os.ReadFile(f.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the old file: %w", err)
	}
	switch {
	case f.text != "" && f.text == string(old):
	case old == nil:
		err = f.Service.Install()
	case f.text == "":
		err = errors.Join(f.Service.Uninstall(), f.Service.Install())
	default:
		err = writeFile(f.file, []byte(f.text), f.mode)
	}
	if err != nil {
		return errors.Join(err, f.restore(old))
	}
	return nil
}

// restore puts back what stood there before a failed installation.
func (f *filed) restore(old []byte) error {
	if old != nil {
		return writeFile(f.file, old, f.mode)
	}
	if err := os.Remove(f.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the new file: %w", err)
	}
	return nil
}

// Start remembers what the log says already: that is of earlier starts.
func (f *filed) Start() error {
	if info, err := os.Stat(f.log); err == nil {
		f.from = info.Size()
	}
	return f.Service.Start()
}

// state is what kardianos tells, for a file that is there. It looks for words of
// its own scripts; ours say by their exit code (LSB) that the program runs, which
// is "not installed" for kardianos, or was stopped (3).
func (f *filed) state() (Status, error) {
	if !exists(f.file) {
		return Status{State: NotInstalled}, nil
	}
	s := Status{Installed: true, Unit: f.file, Autostart: true, Detail: lastError(f.log, f.from)}
	told, err := f.Service.Status()
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case told == kardianos.StatusRunning, errors.Is(err, kardianos.ErrNotInstalled):
		s.State = Running
	case told == kardianos.StatusStopped && (!f.blind || s.Detail == ""), exited && exit.ExitCode() == 3:
		s.State, s.Detail = Stopped, ""
	default:
		s.State = Failed
		s.Detail = "it has ended by itself: " + cmp.Or(s.Detail, "its log does not say why")
	}
	return s, nil
}

func (f *filed) logs(ctx context.Context, out io.Writer, follow bool) error {
	if !exists(f.file) && !exists(f.log) {
		return notInstalled(f.all)
	}
	err := showLog(ctx, f.log, out, logLines, follow)
	if errors.Is(err, fs.ErrPermission) {
		return &Error{What: "you may not read " + f.log, Cause: err, Advice: "sudo " + command(f.all, "service logs")}
	}
	return err
}

// lastError is what the program wrote last before it gave up, from a log that
// holds many runs: the error after the last one that got ready, and after the
// first from bytes. It is empty where the log does not say why.
func lastError(log string, from int64) string {
	f, err := os.Open(log)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		from = max(from, info.Size()-64<<10)
		if from > info.Size() { // it was emptied
			from = 0
		}
	}
	text, _ := io.ReadAll(io.NewSectionReader(f, from, 64<<10))
	if i := bytes.LastIndex(text, []byte("\nready on ")); i >= 0 {
		text = text[i+1:]
	}
	found := ""
	for line := range strings.Lines(string(text)) {
		if said, ok := strings.CutPrefix(line, "error: "); ok {
			found = strings.TrimSpace(said)
		}
	}
	return found
}
