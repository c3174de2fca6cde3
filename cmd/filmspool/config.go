package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/config"
)

func (p *program) configCommand() *cobra.Command {
	return group("config", "Check and show the configuration",
		p.configCheckCommand(), p.configShowCommand(), p.configPathCommand())
}

func (p *program) configCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Check the configuration; exit 78 names every fault", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			o, err := p.options()
			if err != nil {
				return err
			}
			p.stdout.Println("The configuration is good: " + o.Paths.File)
			return nil
		},
	}
}

func (p *program) configShowCommand() *cobra.Command {
	c := &cobra.Command{Use: "show", Short: "Show every setting in force and where it came from", Args: exactly()}
	asJSON := jsonFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		o, err := p.options()
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(p.stdout, o.Config)
		}
		text, err := o.Config.Annotated()
		if err != nil {
			return err
		}
		_, err = p.stdout.text().Write(text)
		return err
	}
	return c
}

func (p *program) configPathCommand() *cobra.Command {
	c := &cobra.Command{Use: "path", Short: "Show where configuration and state lie", Args: exactly()}
	asJSON := jsonFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		paths, err := config.FindPaths(p.choice, p.getenv)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(p.stdout, map[string]string{
				"config": paths.File, "stateDir": paths.State, "database": paths.Database(), "control": paths.Control,
			})
		}
		p.stdout.Printf("configuration  %s\nstate          %s\ndatabase       %s\n", paths.File, paths.State, paths.Database())
		return nil
	}
	return c
}
