package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/scan"
)

func (p *program) configSetCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "set KEY VALUE", Short: "Change one setting, and put it to use", Args: usage.Exactly("a setting", "a value"),
		Long: `Changes one setting in settings.toml in the state folder, as the settings page does.
What config.toml sets wins, and is changed there. Filmspool uses the change at once if it runs.`,
		Example: "  filmspool config set hold all\n  filmspool config set replay.grace 10m",
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		return p.setSetting(c.Context(), control.Set{Key: args[0], Value: args[1]}, *asJSON)
	}
	return c
}

func (p *program) configUnsetCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "unset KEY", Short: "Give one setting its default again", Args: usage.Exactly("a setting"),
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		return p.setSetting(c.Context(), control.Set{Key: args[0]}, *asJSON)
	}
	return c
}

func (p *program) setSetting(ctx context.Context, set control.Set, asJSON bool) error {
	var done control.SetDone
	return p.changeSettings(ctx, func(ctl control.API) (err error) {
		done, err = ctl.Set(ctx, set)
		return err
	}, func(note string) error {
		if asJSON {
			return p.stdout.JSON(done)
		}
		if s := done.Setting; done.Changed {
			p.stdout.Printf("%s is now %v; it was %v.%s\n", s.Key, s.Value, done.Was, note)
		} else {
			p.stdout.Printf("%s is %v already.\n", s.Key, s.Value)
		}
		return nil
	})
}

// changeSettings changes the settings and says what it has done. note is what is to be
// known of when it counts.
func (p *program) changeSettings(ctx context.Context, change func(control.API) error, say func(note string) error) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	running := false
	err = p.patiently(func() (err error) { running, err = daemon.Change(ctx, o, change); return err })
	fault, ok := errors.AsType[*control.Fault](err)
	switch {
	case ok && (fault.Code == control.CodeInvalid || fault.Code == control.CodeNotFound):
		return misuse(fault)
	case err != nil:
		return err
	case running:
		return say("")
	default:
		return say(" It counts when Filmspool starts.")
	}
}

func (p *program) configReloadCommand() *cobra.Command {
	return &cobra.Command{
		Use: "reload", Short: "Put a changed configuration file to use, as SIGHUP does", Args: usage.Exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			o, err := p.options()
			if err != nil {
				return err
			}
			if err := daemon.Reload(c.Context(), o.Paths); err != nil {
				return err
			}
			p.stdout.Println("The configuration is in use: " + o.Paths.File)
			return nil
		},
	}
}

// kodiChange is one of the questions that change which libraries are watched.
type kodiChange = func(context.Context, control.KodiPath) (scan.Library, error)

// kodiChangeCommand is a command that asks it; done ends the sentence that it prints.
func (p *program) kodiChangeCommand(use, short, done string, ask func(control.API) kodiChange) *cobra.Command {
	return &cobra.Command{
		Use: use + " PATH", Short: short, Args: usage.Exactly("a userdata folder of Kodi"),
		RunE: func(c *cobra.Command, args []string) error {
			var found scan.Library
			return p.changeSettings(c.Context(), func(ctl control.API) (err error) {
				found, err = ask(ctl)(c.Context(), control.KodiPath{Path: args[0]})
				return err
			}, func(note string) error {
				p.stdout.Printf("%s %s.%s\n", found.Userdata, done, note)
				return nil
			})
		},
	}
}
