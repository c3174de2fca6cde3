package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/notify"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/viewing"
)

func (p *program) openCommand() *cobra.Command {
	c := &cobra.Command{Use: "open", SuggestFor: []string{"setup", "web", "stats", "statistics"}}
	asJSON := jsonFlag(c)
	show := c.Flags().Bool("print", false, "")
	start := c.Flags().Bool("start", false, "")
	c.RunE = func(c *cobra.Command, _ []string) error {
		open := func() error {
			return p.instance(c.Context(), nil, func(ctl control.API) error {
				o, err := ctl.Open(c.Context(), control.Open{})
				address := o.URL + "/in?ticket=" + url.QueryEscape(o.Ticket)
				switch {
				case err != nil:
					return err
				case *asJSON:
					return p.stdout.JSON(map[string]string{"address": address})
				case *show:
					p.stdout.Println(address)
					return nil
				}
				return p.openPage(c.Context(), ctl, o)
			})
		}
		err := open()
		if errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) {
			if !*start {
				return control.NotRunning(control.Command("filmspool open --start"))
			}
			if err = p.startForOpen(c.Context()); err == nil {
				err = open()
			}
		}
		if silent := *show || *asJSON; err != nil && *start && !silent && (runtime.GOOS == "windows" || !p.stderr.IsTerminal()) {
			_ = notify.Desktop(c.Context(), notify.Notice{Text: p.stderr.Speech().Error(err) + "\n" + p.hint(err)}) // it is printed, too
		}
		return err
	}
	return c
}

// startForOpen has a Filmspool run. The machine's counts where it is in use: two
// would want one port. Else it is the person's own, which alone needs no
// administrator, and may read what is theirs.
func (p *program) startForOpen(ctx context.Context) error {
	if machine, err := service.New(service.Options{System: true}); err == nil && !p.choice.System {
		s, err := machine.Status(ctx)
		if p.choice.System = err == nil && s.Installed && (s.Autostart || s.State != service.Stopped); p.choice.System && s.State == service.Running {
			return nil
		}
	}
	m, err := p.manager(false)
	if err != nil {
		return err
	}
	s, err := m.Status(ctx)
	if err == nil && !s.Autostart {
		err = m.Do(ctx, service.Install)
	}
	if err != nil {
		return err
	}
	return p.doService(ctx, m, service.Start)
}

// openPage leads a browser to the page. The ticket stands in a file that others
// cannot read: everybody on a machine can read command lines. The file stands in
// the home folder, since some browsers may read no other.
func (p *program) openPage(ctx context.Context, ctl control.API, o control.Opened) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // a terminal that is closed must not leave the file
	defer stop()
	home, _ := os.UserHomeDir() // an empty one is the folder for temporary files
	f, err := os.CreateTemp(home, "filmspool-open-*.html")
	if err != nil {
		return fmt.Errorf("open the page: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // the ticket in it has been used, or is too old
	_, err = f.WriteString(fmt.Sprintf(leading, html.EscapeString(o.URL), html.EscapeString(o.Ticket)))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("open the page: %w", err)
	}
	if err := browse(ctx, f.Name()); err != nil {
		return control.Refused(viewing.Say("fault.noBrowser").Because(viewing.Said(err.Error())), viewing.Say("hint.openPrint"))
	}
	done, err := ctl.Open(ctx, control.Open{Await: o.Ticket})
	if err == nil && !done.Used {
		err = control.Refused(viewing.Say("fault.noBrowserCame"), viewing.Say("hint.openPrint"))
	}
	return err
}

// leading is a page that signs a browser in.
const leading = `<!doctype html><meta charset="utf-8"><title>Filmspool</title>
<form method="post" action="%s/in"><input type="hidden" name="ticket" value="%s"><button>Filmspool</button></form>
<script>document.forms[0].submit()</script>
`

// browse opens a file in the person's own browser.
func browse(ctx context.Context, name string) error {
	switch runtime.GOOS {
	case "windows":
		return exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", name).Run()
	case "darwin":
		return exec.CommandContext(ctx, "open", name).Run()
	default:
		return exec.CommandContext(ctx, "xdg-open", name).Run()
	}
}
