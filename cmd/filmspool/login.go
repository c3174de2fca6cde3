package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) loginCommand() *cobra.Command {
	var l control.Login
	c := &cobra.Command{
		Use:   "login",
		Short: "Give Filmspool the secret key of your account",
		Long: `Checks a secret key (sk_…) with the service, without recording anything, and keeps
it in a file that only you can read. The key is asked for, or read from standard
input with --key-stdin; it is never an argument, where others could see it.`,
		Example: `  filmspool login --base-url https://tracker.example/api/v1
  filmspool login --base-url https://tracker.example/api/v1 --key-stdin < key.txt
  filmspool login --tmdb`,
		Args: noKeyAmong,
	}
	c.Flags().StringVar(&l.BaseURL, "base-url", "", "the service's address, ending in /api/v1")
	c.Flags().StringVar(&l.Account, "account", viewing.DefaultAccount, "which account this key is for")
	c.Flags().BoolVar(&l.TMDB, "tmdb", false, "it is the API Read Access Token of your account at themoviedb.org")
	stdin := c.Flags().Bool("key-stdin", false, "read the key from standard input")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if *stdin {
			l.Key, err = p.readKey()
		} else {
			l.Key, err = p.askKey(c.Context(), l)
		}
		if err != nil {
			return err
		}
		return p.instance(c.Context(), daemon.First, func(ctl control.API) error {
			r, err := ctl.Login(c.Context(), l)
			if err != nil {
				return err
			}
			p.sayLogin(r)
			return nil
		})
	}
	return c
}

// noKeyAmong takes no words, and repeats none: one may be the key.
func noKeyAmong(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	again := "filmspool login --base-url https://tracker.example/api/v1"
	for _, word := range args {
		if tmdb, _ := c.Flags().GetBool("tmdb"); tmdb || strings.HasPrefix(word, "eyJ") || strings.Contains(word, "sk_") || strings.Contains(word, "pk_") {
			return &exitError{
				code:    exitUsage,
				message: "a key is not a word of a command: it stands in the history of your shell now",
				hint:    "take the line out of the history, make another key at the service, and type that when you are asked: " + again,
			}
		}
	}
	hint := again
	if word := args[0]; strings.ContainsAny(word, ".:/") && !strings.ContainsAny(word, "@?#") {
		hint = "filmspool login --base-url " + typed.Shortened(word)
	}
	return &exitError{code: exitUsage, message: "login takes no word beside its flags: an address goes with --base-url; usage: " + c.UseLine(), hint: hint}
}

// sayLogin tells what the service said.
func (p *program) sayLogin(r control.LoginResult) {
	switch {
	case r.Account == "TMDB":
		p.stdout.Println("The token is good: TMDB takes it.")
	case r.User != "":
		p.stdout.Printf("The key is good: account %s at %s, user %s.\n", r.Account, r.BaseURL, r.User)
	case r.Proven:
		p.stdout.Printf("The key is good: account %s at %s.\n", r.Account, r.BaseURL)
	default:
		p.stdout.Printf("The key is kept for account %s at %s, but not yet proven.\n", r.Account, r.BaseURL)
	}
	if r.Note.Code != "" {
		p.stdout.Println(r.Note)
	}
}

// askKey asks a person at a terminal for the key, without showing it. What
// would be wrong whatever the key is, is said before.
func (p *program) askKey(ctx context.Context, l control.Login) (string, error) {
	l.DryRun = true
	err := p.instance(ctx, daemon.First, func(ctl control.API) error {
		r, err := ctl.Login(ctx, l)
		l.BaseURL = r.BaseURL
		return err
	})
	if err != nil {
		return "", err
	}
	file, isFile := p.stdin.(*os.File)
	if !isFile || !terminal.IsTerminal(file) {
		return "", &exitError{
			code:    exitUsage,
			message: "there is no terminal to ask for the key",
			hint:    "filmspool login --key-stdin, with the key on standard input",
		}
	}
	prompt := "Secret key (sk_…) for " + l.BaseURL + ", not shown: "
	if l.TMDB {
		prompt = "API Read Access Token for TMDB, not shown: "
	}
	key, err := p.stderr.Hidden(ctx, file, prompt)
	switch {
	case ctx.Err() != nil:
		return "", errors.Join(&exitError{code: exitFailed, message: "no key was given; nothing is changed"}, err)
	case err != nil:
		return "", fmt.Errorf("read the key: %w", err)
	case key == "":
		return "", mistake("no key was given; nothing is changed")
	}
	return key, nil
}

// readKey reads the key from the standard input.
func (p *program) readKey() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(p.stdin, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the key: %w", err)
	}
	if key := strings.TrimSpace(line); key != "" {
		return key, nil
	}
	return "", mistake("standard input holds no key")
}
