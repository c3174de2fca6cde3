package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

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
		Args: atMost("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			var lines lineCount
			p.soFar = lines.String
			return p.instance(c.Context(), daemon.Reading, func(ctl control.API) error {
				if len(args) == 0 || args[0] == "-" {
					return ctl.Export(c.Context(), countingWriter{p.stdout.jsonLines(), &lines})
				}
				err := newFile(args[0], func(f *os.File) error { return ctl.Export(c.Context(), countingWriter{f, &lines}) })
				if err == nil {
					p.stdout.Printf("Written: %s, %s.\n", args[0], counted(lines.done.Load(), "line"))
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
		return fileFault("write", name, err)
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
