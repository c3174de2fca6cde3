package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) exportCommand() *cobra.Command {
	c := &cobra.Command{Use: "export [FILE]", Example: "  filmspool export diary.jsonl"}
	c.RunE = func(c *cobra.Command, args []string) error {
		return p.instance(c.Context(), daemon.Existing, func(ctl control.API) error {
			if len(args) == 0 || args[0] == "-" {
				return ctl.Export(c.Context(), p.stdout.JSONLines())
			}
			return p.newFile(args[0], func(f *os.File) error { return ctl.Export(c.Context(), f) })
		})
	}
	return c
}

// newFile has write fill a new file that only its owner can read, and says so; half a file
// does not stay.
func (p *program) newFile(name string, write func(*os.File) error) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return control.Refused(viewing.Say("fault.fileExists", "file", typed.Quoted(name)), viewing.Say("hint.otherName"))
	case err != nil:
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	p.stdout.Say("cli.written", "file", name)
	return nil
}
