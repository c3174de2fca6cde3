package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) exportCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "export [FILE]",
		Example: "  filmspool export diary.jsonl\n  filmspool export --format letterboxd --since 2026-01-01 films.csv",
	}
	var e control.Export
	c.Flags().StringVar(&e.Form, "format", "jsonl", "")
	since, until := c.Flags().String("since", "", ""), c.Flags().String("until", "", "")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if err := oneOf("format", e.Form, control.ExportForms); err != nil {
			return err
		}
		if e.Since, err = moment("since", *since); err != nil {
			return err
		}
		if *until != "" {
			t, err := typed.ParseTime(*until, time.Now())
			if err != nil {
				return inFlag("--until", err)
			}
			e.Before = t.End()
		}
		return p.instance(c.Context(), daemon.Existing, func(ctl control.API) error {
			write := func(w io.Writer) error { return ctl.Export(c.Context(), e, w) }
			switch {
			case len(args) > 0 && args[0] != "-":
				return p.newFile(args[0], write)
			case e.Form == "jsonl":
				return write(p.stdout.JSONLines())
			case e.Form == "trakt" && p.stdout.IsTerminal():
				return mistake("usage.archive").next(control.Command("filmspool export --format trakt %s", e.FileName()))
			case p.stdout.IsTerminal():
				return write(p.stdout.Text())
			default:
				return write(p.stdout.Raw())
			}
		})
	}
	return c
}

// newFile has write fill a new file that only its owner can read, and says so. The file gets
// its content when that is whole: of an export that is cut an empty file stays at most.
func (p *program) newFile(name string, write func(io.Writer) error) error {
	reserved, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return control.Refused(viewing.Say("fault.fileExists", "file", typed.Quoted(name)), viewing.Say("hint.otherName"))
	case err != nil:
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*") // of mode 0600
	if err == nil {
		err = write(f)
		if err = errors.Join(err, f.Sync(), f.Close(), reserved.Close()); err == nil {
			err = os.Rename(f.Name(), name)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	p.stdout.Say("cli.written", "file", name)
	return nil
}
