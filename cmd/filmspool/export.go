package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// export writes the diary in a format, to a new file or to the standard output.
func (p *program) export(ctx context.Context, args []string) (err error) {
	e := control.Export{Form: cmp.Or(p.given.format, "jsonl")}
	if err := oneOf("format", e.Form, control.ExportForms); err != nil {
		return err
	}
	if e.Since, err = moment("since", p.given.since); err != nil {
		return err
	}
	if p.given.until != "" {
		t, err := typed.ParseTime(p.given.until, time.Now())
		if err != nil {
			return inFlag("--until", err)
		}
		e.Before = t.End()
	}
	return p.instance(ctx, daemon.OfflineExisting, func(ctl control.API) error {
		write := func(w io.Writer) error {
			done, err := ctl.Export(ctx, e, w)
			if err == nil && done.LeftOut > 0 {
				p.stderr.Say("cli.leftOut", "n", done.LeftOut)
			}
			return err
		}
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

// newFile creates a file readable only by its owner and lets write fill it. The content appears
// under the name when it is complete; an interrupted export leaves at most an empty file.
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
