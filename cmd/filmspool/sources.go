package main

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/viewing"
)

func (p *program) sourcesCommand() *cobra.Command {
	c := group("sources", p.pairCommand(), p.kodiCommand(), p.programsCommand(), p.untitledCommand(), p.renameCommand())
	c.SuggestFor = []string{"pair", "kodi", "programs", "clients", "browsers", "devices"}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return ask(c.Context(), p, nil, *asJSON, func(ctl control.API) ([]control.Source, error) {
			s, err := ctl.Status(c.Context())
			return s.Sources, err
		}, p.saySources)
	}
	return c
}

// saySources prints each source with what there is to say of it.
func (p *program) saySources(all []control.Source) {
	if len(all) == 0 {
		p.stdout.Say("cli.noSources")
	}
	for _, s := range all {
		name, last := s.Name, p.ago(s.LastSeen)
		switch {
		case s.Kind == viewing.SourceBrowser, s.Kind == viewing.SourceProgram:
			name = p.kind(s.Kind) + " " + s.Label
		case s.Label != "":
			name = s.Called()
		}
		if s.Kind == "resolver" {
			last = ""
		}
		p.sayStanding(name, s.State, last, p.stdout.Speech().Clauses(s.Details))
		p.hintBelow(s.Hint)
	}
}

func (p *program) pairCommand() *cobra.Command {
	return asking(p, "pair", nil, func(ctx context.Context, ctl control.API, _ []string) (pairing.Code, error) {
		return ctl.Pair(ctx)
	}, p.sayCode)
}

// sayCode shows a code and how long it holds.
func (p *program) sayCode(code pairing.Code) {
	p.stdout.Println(code.Text)
	p.stdout.Say("cli.code", "seconds", int(time.Until(code.ExpiresAt).Round(time.Second).Seconds()))
}

func (p *program) programsCommand() *cobra.Command {
	list := asking(p, "list", nil, func(ctx context.Context, ctl control.API, _ []string) ([]control.ClientInfo, error) {
		return ctl.Clients(ctx)
	}, p.sayClients)
	var hook string
	add := asking(p, "add NAME", nil, func(ctx context.Context, ctl control.API, args []string) (control.AddedClient, error) {
		return ctl.AddClient(ctx, control.NewProgram{Label: args[0], Hook: hook})
	}, p.sayAdded)
	add.Flags().StringVar(&hook, "hook", "", "")
	remove := &cobra.Command{Use: "remove ID|NAME", RunE: func(c *cobra.Command, args []string) error {
		return p.instance(c.Context(), nil, func(ctl control.API) error {
			err := ctl.Revoke(c.Context(), args[0])
			if err == nil {
				p.stdout.Say("cli.revoked", "name", args[0])
			}
			return misuse(err)
		})
	}}
	remove.SuggestFor = []string{"revoke", "delete"}
	c := group("programs", list, add, remove)
	c.RunE = list.RunE
	return c
}

// sayAdded shows the token of a program, or the address of a hook with the token in it.
func (p *program) sayAdded(added control.AddedClient) {
	if added.Hook == "" {
		p.stdout.Println(added.Token)
		p.stdout.Say("cli.token", "name", added.Label, "url", added.URL, "id", added.ID)
		return
	}
	p.stdout.Println(added.URL)
	p.stdout.Say("hook.added", "name", added.Label)
	p.stdout.Say("hook.how." + added.Hook)
	if added.Body != "" {
		p.stdout.Println(added.Body)
	}
	p.stdout.Say("hook.elsewhere")
}

// renameCommand renames a browser, a program or a library.
func (p *program) renameCommand() *cobra.Command {
	return &cobra.Command{Use: "rename ID|NAME|PATH NEW", RunE: func(c *cobra.Command, args []string) error {
		return p.changeSettings(c.Context(), func(ctl control.API) error {
			return ctl.RenameSource(c.Context(), control.Renaming{ID: args[0], Label: args[1]})
		}, func() error {
			p.stdout.Say("cli.renamed", "name", args[0], "new", args[1])
			return nil
		})
	}}
}

func (p *program) untitledCommand() *cobra.Command {
	list := asking(p, "list", nil, func(ctx context.Context, ctl control.API, _ []string) ([]string, error) {
		s, err := ctl.Status(ctx)
		return append([]string{}, s.Untitled...), err
	}, func(sites []string) {
		for _, site := range sites {
			p.stdout.Println(site)
		}
	})
	change := func(verb string, ignored bool) *cobra.Command {
		return &cobra.Command{Use: verb + " SITE", RunE: func(c *cobra.Command, args []string) error {
			return p.changeSettings(c.Context(), func(ctl control.API) error {
				return ctl.IgnoreUntitled(c.Context(), control.UntitledSite{Site: args[0], Ignored: ignored})
			}, func() error {
				p.stdout.Say("cli.untitled."+verb, "site", args[0])
				return nil
			})
		}}
	}
	c := group("untitled", list, change("add", true), change("remove", false))
	c.RunE = list.RunE
	return c
}

// sayClients prints a table of browsers and programs.
func (p *program) sayClients(all []control.ClientInfo) {
	if len(all) == 0 {
		p.stdout.Say("cli.noClients")
		return
	}
	t := p.stdout.Table(1, "id", "name", "kind", "browser", "paired", "seen")
	for _, c := range all {
		t.Row(c.ID, c.Label, p.kind(c.Kind), c.Browser, c.PairedAt.Local().Format(time.DateOnly), p.ago(c.LastSeen))
	}
	t.Flush()
	for _, c := range all {
		if call := c.LastCall; call != nil {
			speech := p.stdout.Speech()
			last := speech.Say("hook.call", "sender", speech.Say("hook.name."+call.Sender), "ago", p.ago(&call.At))
			p.stdout.Println(c.Label+".", last, cmp.Or(call.Title, call.Event), "–", speech.Say("hook.result."+call.Result))
		}
	}
}

func (p *program) kodiCommand() *cobra.Command {
	list := &cobra.Command{Use: "list"}
	asJSON := jsonFlag(list)
	list.RunE = func(*cobra.Command, []string) error {
		o, err := p.options()
		if err != nil {
			return err
		}
		found := kodi.Discover(o.Config.Folders(), p.getenv)
		if *asJSON {
			return p.stdout.JSON(found)
		}
		p.sayLibraries(found)
		return nil
	}
	c := group("kodi", list,
		p.kodiChangeCommand("add", func(ctl control.API) kodiChange { return ctl.AddKodi }),
		p.kodiChangeCommand("remove", func(ctl control.API) kodiChange { return ctl.RemoveKodi }))
	c.RunE = list.RunE
	return c
}

// sayLibraries prints each library, and the command that adds one.
func (p *program) sayLibraries(found []kodi.Library) {
	if len(found) == 0 {
		p.stdout.Say("cli.noLibraries")
	}
	for _, l := range found {
		key := "cli.watchIt"
		if l.Configured {
			key = "cli.isWatched"
		}
		p.stdout.Printf("%s  %s  %s\n", l.Userdata, l.Profile, l.Database)
		if l.Problem.Code != "" {
			p.stdout.Printf("  %s\n", p.stdout.Speech().Tell(l.Problem))
		}
		p.stdout.Say(key, "path", l.Userdata)
	}
}

// kodiChange is one of the questions that change which libraries are watched.
type kodiChange = func(context.Context, control.KodiPath) (kodi.Library, error)

// kodiChangeCommand is a command that asks it.
func (p *program) kodiChangeCommand(verb string, ask func(control.API) kodiChange) *cobra.Command {
	return &cobra.Command{Use: verb + " PATH", RunE: func(c *cobra.Command, args []string) error {
		var found kodi.Library
		return p.changeSettings(c.Context(), func(ctl control.API) (err error) {
			found, err = ask(ctl)(c.Context(), control.KodiPath{Path: args[0]})
			return err
		}, func() error {
			p.stdout.Say("cli.kodi."+verb, "path", found.Userdata)
			return nil
		})
	}}
}

// ago is how long ago something was.
func (p *program) ago(t *time.Time) string {
	switch speech := p.stdout.Speech(); {
	case t == nil:
		return speech.Say("cli.never")
	case time.Since(*t) < time.Minute:
		return speech.Say("cli.now")
	case time.Since(*t) < 2*time.Hour:
		return speech.Say("cli.minutes", "n", int(time.Since(*t).Minutes()))
	default:
		return terminal.Minute(*t)
	}
}
