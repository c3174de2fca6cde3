package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/viewing"
)

// listSources prints the sources with their states.
func (p *program) listSources(ctx context.Context, _ []string) error {
	return ask(ctx, p, nil, func(ctl control.API) ([]control.Source, error) {
		s, err := ctl.Status(ctx)
		return s.Sources, err
	}, p.saySources)
}

// saySources prints each source with its details.
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
			name = s.DisplayName()
		}
		if s.Kind == "resolver" {
			last = ""
		}
		p.sayState(name, s.State, last, p.stdout.Speech().Clauses(s.Details))
		p.hintBelow(s.Hint)
	}
}

// pair shows a code for a browser.
func (p *program) pair(ctx context.Context, _ []string) error {
	return ask(ctx, p, nil, func(ctl control.API) (pairing.Code, error) { return ctl.Pair(ctx) }, p.sayCode)
}

// sayCode prints a code and how long it is valid.
func (p *program) sayCode(code pairing.Code) {
	p.stdout.Println(code.Text)
	p.stdout.Say("cli.code", "seconds", int(time.Until(code.ExpiresAt).Round(time.Second).Seconds()))
}

// listPrograms lists browsers and programs.
func (p *program) listPrograms(ctx context.Context, _ []string) error {
	return ask(ctx, p, nil, func(ctl control.API) ([]control.ClientInfo, error) { return ctl.Clients(ctx) }, p.sayClients)
}

// addProgram adds a program, or a hook for a media server.
func (p *program) addProgram(ctx context.Context, args []string) error {
	return ask(ctx, p, nil, func(ctl control.API) (control.AddedClient, error) {
		return ctl.AddClient(ctx, control.NewProgram{Label: args[0], Hook: p.given.hook})
	}, p.sayAdded)
}

// removeProgram removes a browser or program.
func (p *program) removeProgram(ctx context.Context, args []string) error {
	return p.instance(ctx, nil, func(ctl control.API) error {
		err := ctl.Revoke(ctx, args[0])
		if err == nil {
			p.stdout.Say("cli.revoked", "name", args[0])
		}
		return misuse(err)
	})
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
		fmt.Fprintln(p.stdout.Text(), added.Body)
	}
	p.stdout.Say("hook.elsewhere")
}

// renameSource renames a browser, a program or a library.
func (p *program) renameSource(ctx context.Context, args []string) error {
	err := p.changeSettings(ctx, func(ctl control.API) error {
		return ctl.RenameSource(ctx, control.Renaming{ID: args[0], Label: args[1]})
	})
	if err == nil {
		p.stdout.Say("cli.renamed", "name", args[0], "new", args[1])
	}
	return err
}

// listUntitled lists the sites whose videos without a title are ignored.
func (p *program) listUntitled(ctx context.Context, _ []string) error {
	return ask(ctx, p, nil, func(ctl control.API) ([]string, error) {
		s, err := ctl.Status(ctx)
		return append([]string{}, s.Untitled...), err
	}, func(sites []string) {
		for _, site := range sites {
			p.stdout.Println(site)
		}
	})
}

// changeUntitled returns the command that ignores such videos on a site, or no longer does.
func (p *program) changeUntitled(verb string) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		err := p.changeSettings(ctx, func(ctl control.API) error {
			return ctl.IgnoreUntitled(ctx, control.UntitledSite{Site: args[0], Ignored: verb == "add"})
		})
		if err == nil {
			p.stdout.Say("cli.untitled."+verb, "site", args[0])
		}
		return err
	}
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

// listKodi lists the Kodi libraries of this machine.
func (p *program) listKodi(context.Context, []string) error {
	o, err := p.options()
	if err != nil {
		return err
	}
	found := kodi.Discover(o.Config.Folders(), p.getenv)
	if p.given.json {
		return p.stdout.JSON(found)
	}
	p.sayLibraries(found)
	return nil
}

// sayLibraries prints each library, and the command that adds it.
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

// changeKodi returns the command that adds or removes a library.
func (p *program) changeKodi(verb string) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		var found kodi.Library
		err := p.changeSettings(ctx, func(ctl control.API) (err error) {
			change := ctl.AddKodi
			if verb == "remove" {
				change = ctl.RemoveKodi
			}
			found, err = change(ctx, args[0])
			return err
		})
		if err == nil {
			p.stdout.Say("cli.kodi."+verb, "path", found.Userdata)
		}
		return err
	}
}

// ago returns how long ago a time was.
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
