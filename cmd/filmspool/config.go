package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

// checkConfig prints whether the configuration is valid.
func (p *program) checkConfig(context.Context, []string) error {
	o, err := p.options()
	if err != nil && (!p.given.json || !errors.Is(err, config.ErrInvalid)) {
		return err
	}
	var warnings []viewing.Message
	if err == nil {
		warnings = daemon.NoticesOff(o)
	}
	if p.given.json {
		return p.printCheck(warnings, err)
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

// printCheck prints the result of the check as JSON.
func (p *program) printCheck(warnings []viewing.Message, err error) error {
	rendered := func(all []viewing.Message) []string {
		texts := []string{}
		for _, m := range all {
			texts = append(texts, p.stdout.Speech().Message(m))
		}
		return texts
	}
	printed := p.stdout.JSON(struct {
		Good     bool     `json:"good"`
		Faults   []string `json:"faults"`
		Warnings []string `json:"warnings"`
	}{err == nil, rendered(viewing.MessagesOf(err)), rendered(warnings)})
	if err == nil {
		return printed
	}
	return errors.Join(printed, &exitError{error: errPrinted, code: exitConfig})
}

// usedAddress is the address that an account uses, with its source.
type usedAddress struct {
	BaseURL string `json:"baseUrl"`
	From    string `json:"from"`
}

// addresses returns the known addresses of the accounts. Key files that cannot be read are left
// out; commands that need them report the error.
func addresses(o daemon.Options) map[string]usedAddress {
	keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
	all := map[string]usedAddress{}
	for name, set := range o.Config.Accounts {
		if c, err := keys.Find(name, set, o.Paths.File); err == nil && c.BaseURL != "" {
			all[name] = usedAddress{c.BaseURL, c.URLSource}
		}
	}
	return all
}

// showConfig prints all current settings with their sources.
func (p *program) showConfig(context.Context, []string) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	used := addresses(o)
	if p.given.json {
		return p.stdout.JSON(struct {
			config.Config
			Addresses map[string]usedAddress `json:"addresses"`
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

// showExample prints an example configuration with every setting.
func (p *program) showExample(context.Context, []string) error {
	_, err := p.stdout.Text().Write(config.Example())
	return err
}

// showPaths prints the paths of the files.
func (p *program) showPaths(context.Context, []string) error {
	paths, err := config.FindPaths(p.choice, p.getenv)
	if err != nil {
		return err
	}
	all := map[string]string{"config": paths.File, "settings": paths.Settings(), "stateDir": paths.State, "database": paths.Database()}
	if p.given.json {
		all["control"] = paths.Control
		return p.stdout.JSON(all)
	}
	for _, name := range []string{"config", "settings", "stateDir", "database"} {
		p.row(name, all[name])
	}
	return nil
}

// setConfig changes a setting; without a value it restores the default.
func (p *program) setConfig(ctx context.Context, args []string) error {
	set := control.Set{Key: args[0]}
	if len(args) > 1 {
		set.Value = strings.Join(args[1:], " ")
	}
	var done control.SetDone
	err := p.changeSettings(ctx, func(ctl control.API) (err error) {
		done, err = ctl.Set(ctx, set)
		return err
	})
	switch {
	case err != nil:
		return err
	case p.given.json:
		return p.stdout.JSON(done)
	}
	p.stdout.Say("cli.set", "key", done.Setting.Key, "value", done.Setting.Value)
	return nil
}

// changeSettings changes the settings. If no daemon runs, it says that the change applies later.
func (p *program) changeSettings(ctx context.Context, change func(control.API) error) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	running := false
	err = p.withProgress(func() (err error) { running, err = daemon.ChangeSettings(ctx, o, change); return err })
	if errors.Is(err, &control.Fault{Code: control.CodeNotFound}) {
		err = &exitError{error: err, code: exitUsage}
	}
	if err == nil && !running {
		p.stderr.Say("cli.countsLater")
	}
	return misuse(err)
}

// reloadConfig makes the daemon read the configuration again.
func (p *program) reloadConfig(ctx context.Context, _ []string) error {
	o, err := p.options()
	if err == nil {
		err = daemon.Reload(ctx, o)
	}
	if err == nil {
		p.stdout.Say("cli.reloaded", "file", o.Paths.File)
	}
	return err
}
