package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/status"
)

func (p *program) loginCommand() *cobra.Command {
	var l status.Login
	c := &cobra.Command{
		Use:   "login",
		Short: "Give Filmspool the secret key of your account",
		Long: `Checks a secret key (sk_…) with the service, without recording anything, and keeps
it in a file that only you can read. The key is asked for, or read from standard
input with --key-stdin; it is never an argument, where others could see it.`,
		Example: `  filmspool login --base-url https://tracker.example/api/v1
  filmspool login --base-url https://tracker.example/api/v1 --key-stdin < key.txt`,
		Args: exactly(),
	}
	c.Flags().StringVar(&l.BaseURL, "base-url", "", "the service's address, ending in /api/v1")
	c.Flags().StringVar(&l.Account, "account", config.DefaultAccount, "which account this key is for")
	stdin := c.Flags().Bool("key-stdin", false, "read the key from standard input")
	c.RunE = func(c *cobra.Command, _ []string) error {
		key, err := p.readKey(*stdin)
		if err != nil {
			return err
		}
		l.Key = key
		return p.instance(c.Context(), false, func(ctl status.Control) error {
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

// sayLogin tells what the service said.
func (p *program) sayLogin(r status.LoginResult) {
	switch {
	case r.User != "":
		p.stdout.Printf("The key is good: account %s at %s, user %s.\n", r.Account, r.BaseURL, r.User)
	case r.Proven:
		p.stdout.Printf("The key is good: account %s at %s.\n", r.Account, r.BaseURL)
	default:
		p.stdout.Printf("The key is kept for account %s at %s, but not yet proven.\n", r.Account, r.BaseURL)
	}
	if r.Note != "" {
		p.stdout.Println(r.Note)
	}
}

// readKey reads the key without showing it.
func (p *program) readKey(stdin bool) (string, error) {
	file, isFile := p.stdin.(*os.File)
	if !stdin && isFile && term.IsTerminal(int(file.Fd())) {
		p.stderr.Printf("Secret key (sk_…), not shown: ")
		text, err := term.ReadPassword(int(file.Fd()))
		p.stderr.Println()
		if err != nil {
			return "", fmt.Errorf("read the key: %w", err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	if !stdin {
		return "", &exitError{
			code: exitUsage, message: "there is no terminal to ask for the key",
			hint: "filmspool login --key-stdin, with the key on standard input",
		}
	}
	line, err := bufio.NewReader(io.LimitReader(p.stdin, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the key: %w", err)
	}
	if key := strings.TrimSpace(line); key != "" {
		return key, nil
	}
	return "", usage("standard input holds no key")
}
