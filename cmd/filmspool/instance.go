package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
)

// options gathers what the flags, the environment and the configuration say.
func (p *program) options() (daemon.Options, error) {
	paths, err := config.FindPaths(p.choice, p.getenv)
	if err != nil {
		return daemon.Options{}, err
	}
	from := config.Source{Paths: paths, Getenv: p.getenv, Flags: p.flags}
	c, err := from.Load()
	if err != nil {
		return daemon.Options{}, err
	}
	return daemon.Options{
		Config: c, Source: &from, Paths: paths, Getenv: p.getenv, Version: version,
		Logger: slog.New(slog.DiscardHandler), Loop: p.loop,
	}, nil
}

// alone works on a state folder while no daemon runs.
type alone func(context.Context, daemon.Options, func(control.API) error) error

// instance calls do with the running daemon. When none runs, offline does, with
// the state folder itself; nil is for what needs a daemon.
func (p *program) instance(ctx context.Context, offline alone, do func(control.API) error) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	return p.patiently(func() error {
		_, err := reach(ctx, o, offline, do)
		return err
	})
}

// reach is [program.instance] with options that are known, and reports whether a daemon runs.
func reach(ctx context.Context, o daemon.Options, offline alone, do func(control.API) error) (running bool, err error) {
	found, err := daemon.Connect(ctx, o.Paths)
	switch {
	case err == nil:
		defer found.Close()
		return true, do(found.API)
	case !errors.Is(err, &control.Fault{Code: control.CodeNotRunning}), o.Paths.System, offline == nil:
		return false, err
	}
	return false, offline(ctx, o, do)
}

// ask asks the instance, and prints its answer: as JSON, or as say does in words.
func ask[T any](ctx context.Context, p *program, offline alone, question func(control.API) (T, error), say func(T)) error {
	return p.instance(ctx, offline, func(ctl control.API) error {
		answer, err := question(ctl)
		switch {
		case err != nil:
			return misuse(err)
		case p.given.json:
			return p.stdout.JSON(answer)
		}
		say(answer)
		return nil
	})
}

// patiently does what may take long, and says on the standard error that it goes on, unless
// somebody is being asked.
func (p *program) patiently(do func() error) error {
	return terminal.Telling(do, func(took time.Duration) {
		switch say := p.progress.Load(); {
		case p.stderr.Asking():
		case say != nil:
			(*say)()
		default:
			p.stderr.Say("cli.atWork", "seconds", int(took.Seconds()))
		}
	})
}

// saysYes asks a person at the terminal for a yes to a text of the catalogue.
func (p *program) saysYes(ctx context.Context, key string, values ...any) bool {
	return p.stderr.Agreed(ctx, p.stdin, p.stdout.Speech().Say(key, values...))
}

// isPerson reports whether somebody is at a terminal, who can be asked.
func (p *program) isPerson() bool {
	return terminal.IsTerminal(p.stdin) && p.stdout.IsTerminal() && !p.given.json
}
