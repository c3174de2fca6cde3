package main

import (
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/viewing"
)

func (p *program) configCommand() *cobra.Command {
	return group("config", "Check and show the configuration",
		p.configCheckCommand(), p.configShowCommand(), p.configPathCommand(), p.configExampleCommand(),
		p.configSetCommand(), p.configUnsetCommand(), p.configReloadCommand())
}

func (p *program) configCheckCommand() *cobra.Command {
	c := &cobra.Command{Use: "check", Short: "Check the configuration; exit 78 names every fault", Args: usage.Exactly()}
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
			p.stdout.Printf("There is no configuration file, and the defaults hold. Its place is %s\nTo begin one: filmspool config example\n", o.Paths.File)
			return nil
		}
		p.stdout.Println("The configuration is good: " + o.Paths.File)
		for _, w := range warnings {
			p.stderr.Printf("warning: %s\n", w)
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
	if err == nil {
		for _, w := range warnings {
			check.Warnings = append(check.Warnings, p.stdout.Speech().Message(w))
		}
		return p.stdout.JSON(check)
	}
	for _, m := range viewing.MessagesOf(err) {
		check.Faults = append(check.Faults, p.stdout.Speech().Message(m))
	}
	return errors.Join(p.stdout.JSON(check), &exitError{code: exitConfig})
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
	c := &cobra.Command{Use: "show", Short: "Show every setting in force and where it came from", Args: usage.Exactly()}
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
			p.stdout.Printf("# address of account %s: %s, from %s\n", name, used[name].BaseURL, used[name].From)
		}
		_, err = p.stdout.Text().Write(text)
		return err
	}
	return c
}

func (p *program) configExampleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "example", Short: "Print a configuration file to begin with, every setting explained", Args: usage.Exactly(),
		Example: `  filmspool config example > config.toml`,
		RunE: func(*cobra.Command, []string) error {
			_, err := p.stdout.Text().Write(config.Example())
			return err
		},
	}
}

func (p *program) configPathCommand() *cobra.Command {
	c := &cobra.Command{Use: "path", Short: "Show where configuration and state lie", Args: usage.Exactly()}
	asJSON := jsonFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		paths, err := config.FindPaths(p.choice, p.getenv)
		if err != nil {
			return err
		}
		if *asJSON {
			return p.stdout.JSON(map[string]string{
				"config": paths.File, "stateDir": paths.State, "database": paths.Database(), "control": paths.Control,
			})
		}
		p.stdout.Printf("configuration  %s\nstate          %s\ndatabase       %s\n", paths.File, paths.State, paths.Database())
		return nil
	}
	return c
}
