package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

// login checks a key with the service and stores it.
func (p *program) login(ctx context.Context, args []string) (err error) {
	l := control.Login{BaseURL: cmp.Or(p.given.baseURL, strings.Join(args, "")), Account: cmp.Or(p.given.account, viewing.DefaultAccount), TMDB: p.given.tmdb}
	if p.given.keyStdin {
		l.Key, err = p.readKey()
	} else {
		l.Key, err = p.askKey(ctx, l)
	}
	if err != nil {
		return err
	}
	return p.instance(ctx, daemon.OfflineCreate, func(ctl control.API) error {
		r, err := ctl.Login(ctx, l)
		if err == nil {
			p.sayLogin(r)
		}
		return err
	})
}

// checkLogin accepts one address. It does not repeat wrong arguments, which may be the key.
func (p *program) checkLogin(_ *cobra.Command, args []string) error {
	for _, word := range args {
		if len(args) > 1 || p.given.tmdb || strings.HasPrefix(word, "eyJ") || strings.Contains(word, "sk_") || strings.Contains(word, "pk_") {
			return mistake("usage.keyTyped").next(viewing.Say("hint.keyTyped", "command", "filmspool login https://tracker.example/api/v1"))
		}
	}
	return nil
}

// sayLogin prints the service's answer.
func (p *program) sayLogin(r control.LoginResult) {
	key := "cli.keyKept"
	switch {
	case r.Account == "TMDB":
		key = "cli.tokenGood"
	case r.User != "":
		key = "cli.keyGoodFor"
	case r.Proven:
		key = "cli.keyGood"
	}
	p.stdout.Say(key, "account", r.Account, "url", r.BaseURL, "user", r.User)
	if r.Note.Code != "" {
		p.stdout.Println(p.stdout.Speech().Tell(r.Note))
	}
}

// askKey asks the user for the key without showing it. Errors that do not depend on the key are
// reported before.
func (p *program) askKey(ctx context.Context, l control.Login) (string, error) {
	l.DryRun = true
	err := p.instance(ctx, daemon.OfflineCreate, func(ctl control.API) error {
		r, err := ctl.Login(ctx, l)
		l.BaseURL = r.BaseURL
		return err
	})
	if err != nil {
		return "", err
	}
	file, isFile := p.stdin.(*os.File)
	if !isFile || !terminal.IsTerminal(file) {
		return "", mistake("usage.noTerminal").next(viewing.Say("hint.keyStdin"))
	}
	prompt := "cli.askKey"
	if l.TMDB {
		prompt = "cli.askToken"
	}
	key, err := p.stderr.AskHidden(ctx, file, p.stderr.Speech().Say(prompt, "url", l.BaseURL)+" ")
	switch {
	case ctx.Err() != nil:
		return "", errors.Join(viewing.Say("usage.noKey"), err)
	case err != nil:
		return "", err
	case key == "":
		return "", mistake("usage.noKey")
	}
	return key, nil
}

// readKey reads the key from the standard input.
func (p *program) readKey() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(p.stdin, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if key := strings.TrimSpace(line); key != "" {
		return key, nil
	}
	return "", mistake("usage.emptyStdin")
}
