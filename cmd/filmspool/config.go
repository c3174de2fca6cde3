package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

func (p *program) configCommand() *cobra.Command {
	return group("config", p.configCheckCommand(), p.configShowCommand(), p.configPathCommand(),
		p.configExampleCommand(), p.configSetCommand(), p.configReloadCommand())
}

func (p *program) configCheckCommand() *cobra.Command {
	c := &cobra.Command{Use: "check"}
	asJSON := jsonFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		o, err := p.options()
		var warnings []viewing.Message
		if err == nil {
			warnings = daemon.NoticesOff(o)
		}
		switch {
		case *asJSON:
			return p.printCheck(warnings, err)
		case err != nil:
			return err
		}
		if _, err := os.Stat(o.Paths.File); errors.Is(err, os.ErrNotExist) {
			p.stdout.Say("cli.noConfig", "file", o.Paths.File)
			return nil
		}
		p.stdout.Say("cli.goodConfig", "file", o.Paths.File)
		for _, w := range warnings {
			p.stderr.Println(w)
		}
		return nil
	}
	return c
}

// printCheck prints what a check has found as JSON. err is why the
// configuration was refused, if it was.
func (p *program) printCheck(warnings []viewing.Message, err error) error {
	if err != nil && !errors.Is(err, config.ErrInvalid) {
		return err
	}
	check := struct {
		Good     bool     `json:"good"`
		Faults   []string `json:"faults"`
		Warnings []string `json:"warnings"`
	}{err == nil, []string{}, []string{}}
	for _, w := range warnings {
		check.Warnings = append(check.Warnings, p.stdout.Speech().Message(w))
	}
	if err == nil {
		return p.stdout.JSON(check)
	}
	for _, m := range viewing.MessagesOf(err) {
		check.Faults = append(check.Faults, p.stdout.Speech().Message(m))
	}
	return errors.Join(p.stdout.JSON(check), &exitError{error: errSaid, code: exitConfig})
}

// inForce is the address that an account uses, and where that comes from.
type inForce struct {
	BaseURL string `json:"baseUrl"`
	From    string `json:"from"`
}

// addresses are those of the accounts, as far as they are known. A key file
// that cannot be read is told of by the commands that need it.
func addresses(o daemon.Options) map[string]inForce {
	keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
	all := map[string]inForce{}
	for name, set := range o.Config.Accounts {
		if c, err := keys.Find(name, set, o.Paths.File); err == nil && c.BaseURL != "" {
			all[name] = inForce{c.BaseURL, c.URLSource}
		}
	}
	return all
}

func (p *program) configShowCommand() *cobra.Command {
	c := &cobra.Command{Use: "show", SuggestFor: []string{"get", "list"}}
	asJSON := jsonFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		o, err := p.options()
		if err != nil {
			return err
		}
		used := addresses(o)
		if *asJSON {
			return p.stdout.JSON(struct {
				config.Config
				Addresses map[string]inForce `json:"addresses"`
			}{o.Config, used})
		}
		text, err := o.Config.Annotated()
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(used)) {
			p.stdout.Printf("# %s\n", p.stdout.Speech().Say("cli.addressOf", "account", name, "url", used[name].BaseURL, "from", used[name].From))
		}
		_, err = p.stdout.Text().Write(text)
		return err
	}
	return c
}

func (p *program) configExampleCommand() *cobra.Command {
	return &cobra.Command{Use: "example", RunE: func(*cobra.Command, []string) error {
		_, err := p.stdout.Text().Write(config.Example())
		return err
	}}
}

func (p *program) configPathCommand() *cobra.Command {
	c := &cobra.Command{Use: "path"}
	asJSON := jsonFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		paths, err := config.FindPaths(p.choice, p.getenv)
		if err != nil {
			return err
		}
		if *asJSON {
			return p.stdout.JSON(map[string]string{
				"config": paths.File, "settings": paths.Settings(), "stateDir": paths.State, "database": paths.Database(), "control": paths.Control,
			})
		}
		p.row("config", paths.File)
		p.row("settings", paths.Settings())
		p.row("stateDir", paths.State)
		p.row("database", paths.Database())
		return nil
	}
	return c
}

func (p *program) configSetCommand() *cobra.Command {
	c := &cobra.Command{Use: "set KEY [VALUE]", Example: "  filmspool config set replay.grace 10m", SuggestFor: []string{"unset"}}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		set := control.Set{Key: args[0]}
		if len(args) > 1 {
			set.Value = args[1]
		}
		var done control.SetDone
		return p.changeSettings(c.Context(), func(ctl control.API) (err error) {
			done, err = ctl.Set(c.Context(), set)
			return err
		}, func() error {
			if *asJSON {
				return p.stdout.JSON(done)
			}
			p.stdout.Say("cli.set", "key", done.Setting.Key, "value", done.Setting.Value)
			return nil
		})
	}
	return c
}

// changeSettings changes the settings and says what it has done, and that it counts later
// where nothing runs.
func (p *program) changeSettings(ctx context.Context, change func(control.API) error, say func() error) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	running := false
	err = p.patiently(func() (err error) { running, err = daemon.Change(ctx, o, change); return err })
	if errors.Is(err, &control.Fault{Code: control.CodeNotFound}) {
		err = &exitError{error: err, code: exitUsage}
	}
	if err != nil {
		return misuse(err)
	}
	if !running {
		p.stderr.Say("cli.countsLater")
	}
	return say()
}

func (p *program) configReloadCommand() *cobra.Command {
	return &cobra.Command{Use: "reload", RunE: func(c *cobra.Command, _ []string) error {
		o, err := p.options()
		if err == nil {
			err = daemon.Reload(c.Context(), o.Paths)
		}
		if err == nil {
			p.stdout.Say("cli.reloaded", "file", o.Paths.File)
		}
		return err
	}}
}
