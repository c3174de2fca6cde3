package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export [FILE]", Short: "Write everything that is yours as JSON lines",
		Long: `Every event with its times, identifiers and what became of it, one JSON object a line, to FILE,
which must not exist, or to standard output. Keys are not in it.`,
		Example: `  filmspool export diary.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			return p.instance(c.Context(), daemon.Existing, func(ctl control.API) error {
				if len(args) == 0 || args[0] == "-" {
					return ctl.Export(c.Context(), p.stdout.JSONLines())
				}
				return p.newFile(args[0], func(f *os.File) error { return ctl.Export(c.Context(), f) })
			})
		},
	}
}

// newFile has write fill a new file that only its owner can read, and says so; half a file
// does not stay.
func (p *program) newFile(name string, write func(*os.File) error) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return &exitError{code: exitFailed, message: fmt.Sprintf("%q exists already", name), hint: "give another name: nothing is overwritten"}
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
