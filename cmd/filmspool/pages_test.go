package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
)

// userPages returns the Markdown pages for users by path.
func userPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, name := range []string{
		"README.md", "packaging/INSTALL.md", "cmd/filmspool/README.md", "cmd/filmspool/SCRIPTS.md", "daemon/config/README.md",
		"kodi/README.md", "queue/README.md", "connector/extension/README.md", "connector/hook/README.md", "connector/protocol/README.md", ".github/CONTRIBUTING.md",
	} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	return pages
}

// commandFault returns an error if a command line contains an unknown command or flag.
func commandFault(words []string) error {
	root := (&program{}).root()
	root.InitDefaultCompletionCmd()
	c, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if c.HasSubCommands() && c.Use == c.Name() && c.Flags().NArg() > 0 {
		return fmt.Errorf("%s has no %q", c.CommandPath(), c.Flags().Arg(0))
	}
	return nil
}

func TestCommandsOfThePagesExist(t *testing.T) {
	shell := regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	span := regexp.MustCompile("`([^`\n]+)`")
	command := regexp.MustCompile(`(?m)(?:^|&& |\| |; )(?:sudo )?filmspool( [^#&|;<>[\n]*)`)
	n := 0
	for name, page := range userPages(t) {
		for _, text := range append(shell.FindAllStringSubmatch(page, -1), span.FindAllStringSubmatch(page, -1)...) {
			for _, found := range command.FindAllStringSubmatch(text[1], -1) {
				n++
				if err := commandFault(strings.Fields(found[1])); err != nil {
					t.Errorf("%s: filmspool%s: %v", name, found[1], err)
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d commands found", n)
	}
}

// Every block of settings on a page is a valid configuration.
func TestSettingsOfThePagesAreValid(t *testing.T) {
	blocks := regexp.MustCompile("(?ms)^```toml\n(.*?)^```")
	n := 0
	for name, page := range userPages(t) {
		for _, block := range blocks.FindAllStringSubmatch(page, -1) {
			n++
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			p := &program{stdin: strings.NewReader(""), stdout: terminal.To(&out), stderr: terminal.To(&out), getenv: func(string) string { return "" }}
			if got := p.run(t.Context(), []string{"--state-dir", t.TempDir(), "--config", file, "config", "check"}); got != exitDone {
				t.Errorf("%s: exit %d for\n%s%s", name, got, block[1], out.String())
			}
		}
	}
	if n < 3 {
		t.Errorf("only %d blocks found", n)
	}
}

func TestLinksOfThePagesExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	for name, page := range userPages(t) {
		for _, found := range link.FindAllStringSubmatch(page, -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(name), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, found[1], err)
			}
		}
	}
}
