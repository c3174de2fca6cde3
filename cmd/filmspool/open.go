package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
)

func (p *program) openCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "open",
		Short: "Open Filmspool's page in your browser",
		Long: `Opens Filmspool's page in your browser and signs it in for 30 days.
A file in your home folder leads the browser there; it is removed again.

With --start Filmspool is started first, where it does not run: the machine's, if
that is installed, else your own. That one starts with your login from then on. What goes
wrong then is shown in the browser, too, since a menu has no terminal.`,
	}
	o := opening{asJSON: jsonFlag(c)}
	c.Flags().BoolVar(&o.show, "print", false, "print an address instead; it signs one browser in, once, within 30 seconds")
	c.Flags().BoolVar(&o.start, "start", false, "start Filmspool first, where it does not run")
	c.RunE = func(c *cobra.Command, _ []string) error {
		err := p.openOrStart(c.Context(), o)
		if silent := o.show || *o.asJSON; err != nil && o.start && !silent && (runtime.GOOS == "windows" || !p.stderr.IsTerminal()) {
			p.showFault(c.Context(), err)
		}
		return err
	}
	return c
}

// opening is how the page is to be opened.
type opening struct {
	asJSON      *bool
	show, start bool
}

// openOrStart opens the page. Where nothing runs, it starts what is to run, or says
// how to.
func (p *program) openOrStart(ctx context.Context, o opening) error {
	err := p.open(ctx, o)
	fault, ok := errors.AsType[*control.Fault](err)
	switch {
	case !ok || fault.Code != control.CodeNotRunning:
		return err
	case o.start:
		if err := p.startForOpen(ctx); err != nil {
			return err
		}
		return p.open(ctx, o)
	default:
		return control.NotRunning(control.Command("filmspool open --start"))
	}
}

// open leads a browser to the instance that runs, or prints how to get there.
func (p *program) open(ctx context.Context, how opening) error {
	return p.instance(ctx, nil, func(ctl control.API) error {
		o, err := ctl.Open(ctx, control.Open{})
		address := o.URL + "/in?ticket=" + url.QueryEscape(o.Ticket)
		switch {
		case err != nil:
			return err
		case *how.asJSON:
			return p.stdout.JSON(map[string]string{"address": address})
		case how.show:
			p.stdout.Println(address)
			return nil
		}
		return p.openPage(ctx, ctl, o)
	})
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
	m, err := p.service().Manager(false)
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
	return p.service().Do(ctx, m, service.Start)
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
		return &exitError{code: exitFailed, message: "no browser could be opened: " + err.Error(), hint: elsewhere}
	}
	done, err := ctl.Open(ctx, control.Open{Await: o.Ticket})
	if err == nil && !done.Used {
		err = &exitError{code: exitFailed, message: "no browser came within 30 seconds", hint: elsewhere}
	}
	return err
}

// elsewhere is what to do where no browser can be opened.
const elsewhere = "to have an address that you open yourself: filmspool open --print"

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

// faultPatience is how long a browser may take to come and show a fault.
const faultPatience = 30 * time.Second

// showFault shows in a browser what went wrong, as far as that goes: it is printed,
// too. The page is served from here, once, since nothing else runs that could.
func (p *program) showFault(ctx context.Context, fault error) {
	enough, seen := context.WithTimeout(ctx, faultPatience)
	defer seen()
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	path, speech := "/"+rand.Text(), p.stdout.Speech()
	server := &http.Server{ReadHeaderTimeout: faultPatience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(fmt.Appendf(nil, faultPage, html.EscapeString(speech.Error(fault)), html.EscapeString(p.addressed(hintOf(speech, fault)))))
		seen()
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // it ends by Shutdown, or shows nothing
	}()
	if browse(ctx, "http://"+l.Addr().String()+path) == nil {
		<-enough.Done()
	}
	_ = server.Shutdown(context.WithoutCancel(ctx)) // it waits for the page to be sent
	<-served
}

// faultPage says what went wrong, and what helps.
const faultPage = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Filmspool could not be opened</title><style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap}</style>
<h1>Filmspool could not be opened</h1><pre>%s</pre><p>%s</p></html>
`
