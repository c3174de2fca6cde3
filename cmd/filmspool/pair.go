package main

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) pairCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "pair",
		Short: "Show a one-time code for a browser",
		Long:  `Shows a code to type into the options page of the browser extension.`,
		Args:  usage.Exactly(),
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		pair := func(ctl control.API) (control.PairingCode, error) { return ctl.Pair(c.Context()) }
		return ask(c.Context(), p, nil, *asJSON, pair, func(code control.PairingCode) error {
			p.sayCode(code)
			return nil
		})
	}
	return c
}

// sayCode shows a code, how long it holds, and who has tried wrong ones.
func (p *program) sayCode(code control.PairingCode) {
	p.stdout.Printf("%s\n\nType it into the extension's options page within %d seconds.\n",
		code.Code, int(time.Until(code.ExpiresAt).Round(time.Second).Seconds()))
	p.sayTried(code.Tried)
}

// sayTried tells who has sent wrong codes. It may have been the user, and it may
// have been an extension that wants in.
func (p *program) sayTried(tried []control.WrongCodes) {
	if len(tried) == 0 {
		return
	}
	p.stdout.Println()
	for _, t := range tried {
		p.stdout.Printf("Wrong codes since the last one: %d, from %s.\n", t.Wrong, cmp.Or(t.Origin, "others"))
	}
	p.stdout.Hint("if that was not your browser's Filmspool extension, remove that extension from the browser")
}

func (p *program) clientsCommand() *cobra.Command {
	list := &cobra.Command{Use: "list", Short: "List the paired browsers and the programs", Args: usage.Exactly()}
	asJSON := jsonFlag(list)
	list.RunE = func(c *cobra.Command, _ []string) error {
		clients := func(ctl control.API) ([]control.ClientInfo, error) { return ctl.Clients(c.Context()) }
		return ask(c.Context(), p, nil, *asJSON, clients, func(all []control.ClientInfo) error { return report.Clients(p.stdout, all) })
	}
	revoke := &cobra.Command{
		Use: "revoke ID", Short: "Forget a browser or program", Args: usage.Exactly("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			return p.instance(c.Context(), nil, func(ctl control.API) error {
				if err := ctl.Revoke(c.Context(), args[0]); err != nil {
					return err
				}
				p.stdout.Printf("revoked %s: it can add nothing any more\n", args[0])
				return nil
			})
		},
	}
	return group("clients", "List, add and revoke browsers and programs", list, p.addClientCommand(), revoke)
}

func (p *program) addClientCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Let another program add viewings",
		Long: `Makes a token with which a program may add viewings, wishes and lists, and
nothing else. The token is shown this once. (A browser is paired instead:
filmspool pair.)`,
		Args: usage.Exactly("NAME"),
	}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		return ask(c.Context(), p, nil, *asJSON, func(ctl control.API) (control.AddedClient, error) {
			return ctl.AddClient(c.Context(), control.NewProgram{Label: args[0]})
		}, func(added control.AddedClient) error {
			p.stdout.Printf(`%s

This is the token of %s. It is not shown again. The program sends
  POST %s
  Authorization: Bearer TOKEN
  Content-Type: application/json
To take the token back: filmspool clients revoke %s
`, added.Token, added.Label, added.URL, added.ID)
			return nil
		})
	}
	return c
}
