package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export [FILE]", Short: "Write everything that is yours as JSON lines",
		Long: `Writes every event with its times, identifiers and what became of it, one JSON
object a line, to FILE, which must not exist, or to standard output, which "-" names,
too. Keys are not in it.`,
		Example: `  filmspool queue export diary.jsonl
  filmspool queue export | grep '"in_doubt"'`,
		Args: usage.AtMost("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			var lines terminal.Lines
			p.soFar = lines.Far
			return p.instance(c.Context(), daemon.Existing, func(ctl control.API) error {
				if len(args) == 0 || args[0] == "-" {
					return ctl.Export(c.Context(), io.MultiWriter(p.stdout.JSONLines(), &lines))
				}
				err := newFile(args[0], func(f *os.File) error { return ctl.Export(c.Context(), io.MultiWriter(f, &lines)) })
				if err == nil {
					p.stdout.Printf("Written: %s, %s.\n", args[0], terminal.Counted(lines.Done(), "line"))
				}
				return err
			})
		},
	}
}

// newFile has write fill a new file that only its owner can read; half a file
// does not stay.
func newFile(name string, write func(*os.File) error) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fileFault(name, err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// fileFault is what is wrong with a file that a person named, in a person's
// words.
func fileFault(name string, err error) error {
	info, statErr := os.Stat(name)
	switch {
	case statErr == nil && info.IsDir(), errors.Is(err, syscall.EISDIR), os.IsPathSeparator((name + "x")[max(len(name)-1, 0)]):
		return &exitError{code: exitFailed, message: fmt.Sprintf("cannot write %q: it is a folder", name), hint: "name a file"}
	case errors.Is(err, os.ErrExist):
		return &exitError{code: exitFailed, message: fmt.Sprintf("%q exists already", name), hint: "give another name: nothing is overwritten"}
	case errors.Is(err, os.ErrNotExist):
		return &exitError{code: exitFailed, message: fmt.Sprintf("cannot write %q: there is no such folder", name), hint: "make the folder first"}
	case errors.Is(err, os.ErrPermission):
		return &exitError{code: exitFailed, message: fmt.Sprintf("you may not write %q", name), hint: "take another place, or another user"}
	}
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err // the name is told already
	}
	return fmt.Errorf("cannot write %q: %w", name, err)
}

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the whole queue to a file, while all goes on", Args: usage.Exactly("FILE"),
		Long: `Writes a whole copy of the queue to FILE, which must not exist. To go back to it, stop
filmspool and put it in the place of the database ("config path" says where). What was
pending in it is held then, as it may have been sent since. Keys are not in it.`,
		Example: `  filmspool queue backup /media/disk/filmspool.db`,
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] == "-" {
				return usage.Errorf(`"-" is no file, and a copy is one; usage: %s`, c.UseLine())
			}
			file, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("find the file: %w", err)
			}
			return p.instance(c.Context(), daemon.Existing, func(ctl control.API) error {
				err := newFile(file, func(f *os.File) error { return ctl.Backup(c.Context(), f) })
				if err == nil {
					p.stdout.Println("Written: " + file)
				}
				return err
			})
		},
	}
}
