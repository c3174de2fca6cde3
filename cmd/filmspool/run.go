package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/logging"
	"github.com/filmspool/filmspool/daemon/service"
)

// runService runs the daemon until ctx ends, as a service if a service manager started it.
func (p *program) runService(ctx context.Context, _ []string) error {
	p.flags.Listen = p.given.listen
	if p.given.log != "" {
		out, err := service.OpenLog(p.given.log)
		if err != nil {
			return err
		}
		p.stdout, p.stderr = terminal.To(out), terminal.To(out)
	}
	exit := func(err error) {
		p.show(err)
		os.Exit(code(err))
	}
	return service.Run(ctx, service.Program{Host: p.given.host, Args: os.Args, Run: p.runHosted, Exit: exit})
}

// runHosted runs the daemon and reports an error to the service manager, where "service status"
// reads it.
func (p *program) runHosted(ctx context.Context) error {
	err := p.serve(ctx)
	if err != nil {
		what, _, _ := strings.Cut(p.stderr.Speech().Error(err), "\n")
		_ = service.Notify("STATUS=" + terminal.Sanitize(what))
	}
	return err
}

// serve runs the daemon until ctx ends.
func (p *program) serve(ctx context.Context) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	o.Logger = logging.New(p.stderr.Log(), o.Config.LogLevel, p.getenv)
	o.Ready = func(address string) {
		p.stdout.Printf("ready on http://%s\n", address)
	}
	if !p.stdout.IsTerminal() { // in a terminal SIGHUP means that it was closed
		reload := make(chan os.Signal, 1)
		signal.Notify(reload, syscall.SIGHUP)
		defer signal.Stop(reload)
		o.Reload = reload
	}
	return daemon.Serve(ctx, o)
}
