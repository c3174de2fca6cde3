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

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/notify"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/viewing"
)

// open opens the page in a browser, or prints its address. It starts Filmspool if asked to.
func (p *program) open(ctx context.Context, _ []string) error {
	err := p.openRunning(ctx)
	if errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) {
		if !p.given.start {
			return control.NotRunning(control.Command("filmspool open --start"))
		}
		if err = p.startForOpen(ctx); err == nil {
			err = p.openRunning(ctx)
		}
	}
	if silent := p.given.print || p.given.json; err != nil && p.given.start && !silent && (runtime.GOOS == "windows" || !p.stderr.IsTerminal()) {
		_ = notify.Desktop(ctx, notify.Notice{Text: p.stderr.Speech().Error(err) + "\n" + p.hint(err)}) // the error is also printed
	}
	return err
}

// openRunning opens the page of the running daemon.
func (p *program) openRunning(ctx context.Context) error {
	return p.instance(ctx, nil, func(ctl control.API) error {
		o, err := ctl.Open(ctx, "")
		address := o.URL + "/in?ticket=" + url.QueryEscape(o.Ticket)
		switch {
		case err != nil:
			return err
		case p.given.json:
			return p.stdout.JSON(map[string]string{"address": address})
		case p.given.print:
			p.stdout.Println(address)
			return nil
		}
		return p.openPage(ctx, ctl, o)
	})
}

// startForOpen starts a service: the machine-wide one if it is in use, because two would need the
// same port, else the user's own, which needs no administrator and can read the user's files.
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
	return p.manage(ctx, m, service.Start)
}

// openPage opens a file with the sign-in ticket in a browser. A command line would show the
// ticket to all users; the file is private. It is in the home folder because some browsers cannot
// read other folders.
func (p *program) openPage(ctx context.Context, ctl control.API, o control.Opened) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // remove the file even if the terminal is closed
	defer stop()
	home, _ := os.UserHomeDir() // "" means the folder for temporary files
	f, err := os.CreateTemp(home, "filmspool-open-*.html")
	if err != nil {
		return fmt.Errorf("open the page: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // the ticket was used or has expired
	_, err = f.WriteString(fmt.Sprintf(signInPage, html.EscapeString(o.URL), html.EscapeString(o.Ticket)))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("open the page: %w", err)
	}
	if err := browse(ctx, f.Name()); err != nil {
		return control.Refused(viewing.Say("fault.noBrowser").Because(viewing.Verbatim(err.Error())), viewing.Say("hint.openPrint"))
	}
	done, err := ctl.Open(ctx, o.Ticket)
	if err == nil && !done.Used {
		err = control.Refused(viewing.Say("fault.noBrowserCame"), viewing.Say("hint.openPrint"))
	}
	return err
}

// signInPage is a page that signs a browser in.
const signInPage = `<!doctype html><meta charset="utf-8"><title>Filmspool</title>
<form method="post" action="%s/in"><input type="hidden" name="ticket" value="%s"><button>Filmspool</button></form>
<script>document.forms[0].submit()</script>
`

// browse opens a file in the user's browser.
func browse(ctx context.Context, name string) error {
	opener := map[string][]string{"windows": {"rundll32", "url.dll,FileProtocolHandler"}, "darwin": {"open"}}[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	return exec.CommandContext(ctx, opener[0], append(opener[1:], name)...).Run()
}
