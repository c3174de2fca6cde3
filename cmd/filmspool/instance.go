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

// options combines the flags, the environment and the configuration.
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

// offlineFunc works on a state folder while no daemon runs, such as [daemon.Offline].
type offlineFunc func(context.Context, daemon.Options, func(control.API) error) error

// instance calls do with the API of the running daemon. If none runs, offline opens the state
// folder itself; nil means that the command needs a daemon.
func (p *program) instance(ctx context.Context, offline offlineFunc, do func(control.API) error) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	return p.withProgress(func() error {
		_, err := reach(ctx, o, offline, do)
		return err
	})
}

// reach is like [program.instance] with given options, and reports whether a daemon runs.
func reach(ctx context.Context, o daemon.Options, offline offlineFunc, do func(control.API) error) (running bool, err error) {
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

// ask calls the instance and prints the answer, as JSON or with say.
func ask[T any](ctx context.Context, p *program, offline offlineFunc, question func(control.API) (T, error), say func(T)) error {
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

// withProgress calls do and prints on the standard error that it is still running, unless the
// user is being asked something.
func (p *program) withProgress(do func() error) error {
	return terminal.WithProgress(do, func(took time.Duration) {
		switch say := p.progress.Load(); {
		case p.stderr.IsAsking():
		case say != nil:
			(*say)()
		default:
			p.stderr.Say("cli.atWork", "seconds", int(took.Seconds()))
		}
	})
}

// confirm asks the user a question of the catalogue and reports whether the answer is yes.
func (p *program) confirm(ctx context.Context, key string, values ...any) bool {
	return p.stderr.Confirm(ctx, p.stdin, p.stdout.Speech().Say(key, values...))
}

// isInteractive reports whether the command can ask the user.
func (p *program) isInteractive() bool {
	return terminal.IsTerminal(p.stdin) && p.stdout.IsTerminal() && !p.given.json
}
