package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) setupCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "setup",
		Short: "Set Filmspool up, step by step",
		Long: `Asks at the terminal for the five things that Filmspool can use: your account, your
browser, where you watch, your Kodi, and what you watched before. Enter skips a step, and
nothing is sent without a key. In a browser, filmspool open shows the same steps.`,
		Args: usage.Exactly(),
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if !terminal.IsTerminal(p.stdin) {
			return &typed.Error{Problem: "there is no terminal to ask at", Next: "filmspool open --start shows the same steps in a browser"}
		}
		o, err := p.options()
		if err != nil {
			return err
		}
		return p.reach(c.Context(), o, nil, func(ctl control.API) error { // a person who thinks is not told that work goes on
			for _, step := range []func(context.Context, control.API) error{p.setUpAccount, p.setUpBrowser, p.setUpKodi, p.setUpPast} {
				if err := cmp.Or(step(c.Context(), ctl), c.Context().Err()); err != nil {
					return err
				}
			}
			p.stdout.Println("\nThat is all. How things stand: filmspool status")
			return nil
		})
	}
	return c
}

// setUpAccount asks until a key is good, or a person skips it.
func (p *program) setUpAccount(ctx context.Context, ctl control.API) error {
	p.stdout.Println("1 of 5: your account. Until Filmspool has a key, nothing leaves this machine.")
	for {
		l := control.Login{Account: viewing.DefaultAccount}
		l.BaseURL = p.stderr.Line(ctx, p.stdin, "Address of your tracking service (Enter skips):")
		if l.BaseURL == "" {
			return nil
		}
		var err error
		if l.Key, err = p.askKey(ctx, l); err == nil {
			var r control.LoginResult
			if r, err = ctl.Login(ctx, l); err == nil {
				p.sayLogin(r)
				return nil
			}
		}
		if ctx.Err() != nil {
			return err
		}
		p.show(err)
	}
}

// setUpBrowser shows a code to a person who wants one, and says where they tick sites.
func (p *program) setUpBrowser(ctx context.Context, ctl control.API) error {
	p.stdout.Println("\n2 of 5: your browser. Its extension is at https://github.com/filmspool/filmspool/releases")
	if p.stderr.Agreed(p.stdin, "Show a code for it?") {
		code, err := ctl.Pair(ctx)
		if err != nil {
			return err
		}
		p.sayCode(code)
	}
	p.stdout.Println("\n3 of 5: where you watch. Tick your sites in the extension's options.")
	return nil
}

// setUpKodi asks for each library that can be watched and is not.
func (p *program) setUpKodi(ctx context.Context, ctl control.API) error {
	p.stdout.Println("\n4 of 5: your Kodi. Filmspool reads its library, and never changes it.")
	found, err := ctl.FindKodi(ctx)
	if err != nil {
		return err
	}
	for _, l := range found {
		switch {
		case l.Configured:
			p.stdout.Printf("%s  watched\n", l.Userdata)
		case l.Problem != "":
			p.stdout.Printf("%s  %s\n", l.Userdata, l.Problem)
		case p.stderr.Agreed(p.stdin, "Watch "+l.Userdata+"?"):
			if _, err := ctl.AddKodi(ctx, control.KodiPath{Path: l.Userdata}); err != nil {
				p.show(err)
			}
		}
	}
	if len(found) == 0 {
		p.stdout.Println("No Kodi library was found on this machine.")
	}
	return nil
}

// setUpPast shows what an import would do, and asks.
func (p *program) setUpPast(ctx context.Context, _ control.API) error {
	p.stdout.Println("\n5 of 5: what you watched in Kodi before.")
	_, err := p.importKodi(ctx, control.KodiImport{Plays: control.PlaysOne}, p.stdout)
	if mistake, ok := errors.AsType[*typed.Error](err); ok {
		p.stdout.Println(strings.TrimSuffix(mistake.Problem, ".") + ".")
		p.stdout.Hint(mistake.Next)
		return nil
	}
	return err
}
