package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// apart are the commands that the list of commands leaves out, but for their names.
var apart = []string{"run", "demo", "sandbox", "completion", "version", "help"}

// mistake is a mistake in the command line.
func mistake(format string, args ...any) error {
	return &exitError{code: exitUsage, message: fmt.Sprintf(format, args...)}
}

// misuse is an error that counts as a mistake in the command line, where a message refuses
// what was typed, or the instance finds a request wrong.
func misuse(err error) error {
	_, refused := err.(viewing.Message) //nolint:errorlint // it is not wrapped
	if refused || errors.Is(err, &control.Fault{Code: control.CodeInvalid}) {
		return &exitError{code: exitUsage, message: "usage", cause: err}
	}
	return err
}

// inFlag is [misuse] of a flag, such as "--since".
func inFlag(flag string, err error) error {
	if m, refused := err.(viewing.Message); refused { //nolint:errorlint // it is not wrapped
		err = viewing.Say("typed.flag", "flag", flag).Because(m)
	}
	return misuse(err)
}

// oneOf checks that a flag has one of the allowed values. It accepts an empty one.
func oneOf(flag, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return mistake("--%s %q is not one of %s", flag, value, strings.Join(known, ", "))
}

// group is a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: noSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(children...)
	return c
}

// prepare gives c and all commands below it help that fits one screen, and has what is
// wrong with a command line be a mistake.
func prepare(c *cobra.Command) {
	c.SetHelpFunc(func(c *cobra.Command, _ []string) { c.Print(help(c)) })
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &exitError{code: exitUsage, message: err.Error(), hint: c.CommandPath() + " --help"}
	})
	c.DisableFlagsInUseLine = true
	before := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if err := c.ValidateFlagGroups(); err != nil {
			return mistake("%v", err)
		}
		if before == nil {
			return nil
		}
		return before(c, args)
	}
	switch {
	case c.HasSubCommands():
		if c.Args == nil {
			c.Args = noSuchCommand
		}
	case c.Args == nil:
		c.Args = fits
	}
	for _, sub := range c.Commands() {
		prepare(sub)
	}
}

// noSuchCommand refuses words that name no command, and says which may be meant.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	next := c.CommandPath() + " --help"
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		next = c.CommandPath() + " " + near[0]
	}
	for _, sub := range c.Commands() {
		if !slices.Contains(sub.SuggestFor, args[0]) {
			continue
		}
		next = sub.CommandPath()
		if below, _, err := sub.Find(args[:1]); err == nil && below.Name() == args[0] {
			next = below.CommandPath()
		}
	}
	return &exitError{code: exitUsage, message: fmt.Sprintf("%s has no command %s", c.CommandPath(), typed.Quoted(args[0])), hint: next}
}

// fits wants the arguments that the command's Use names: those in brackets may be left out,
// and one with "…" may be said several times.
func fits(c *cobra.Command, args []string) error {
	names := strings.Fields(c.Use)[1:]
	least := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, "[") })
	if least < 0 {
		least = len(names)
	}
	many := strings.Contains(c.Use, "…")
	switch {
	case len(args) < least:
		return &exitError{code: exitUsage, message: strings.TrimSuffix(names[len(args)], "…") + " is missing", hint: c.UseLine()}
	case len(args) > len(names) && !many:
		return &exitError{code: exitUsage, message: "unexpected argument " + typed.Quoted(args[len(names)]), hint: c.UseLine()}
	default:
		return nil
	}
}

// help is what a command is for and how it is typed.
func help(c *cobra.Command) string {
	var b strings.Builder
	if !c.HasParent() {
		b.WriteString("Filmspool keeps your film and TV diary.  Try it: filmspool demo  Set it up: filmspool open --start\n\n")
	} else {
		b.WriteString(strings.TrimSpace(c.Short+".\n"+c.Long) + "\n\nUsage: " + c.UseLine() + "\n")
	}
	if c.Example != "" {
		b.WriteString("\n" + c.Example + "\n")
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && (c.HasParent() || !slices.Contains(apart, sub.Name())) {
			b.WriteString(fmt.Sprintf("  %-9s %s\n", sub.Name(), sub.Short))
		}
	}
	if !c.HasParent() {
		b.WriteString("Also: " + strings.Join(apart, ", ") + ". More: filmspool COMMAND --help\n")
		b.WriteString("Flags of every command: --state-dir, --config, --system, --log-level\n")
	} else if flags := c.LocalFlags().FlagUsages(); flags != "" {
		b.WriteString("\n" + flags)
	}
	return b.String()
}

// flagsOf are the names of all flags that a command takes.
func flagsOf(c *cobra.Command) (names []string) {
	for line := range strings.Lines(c.Flags().FlagUsages() + c.InheritedFlags().FlagUsages()) {
		if _, name, ok := strings.Cut(line, "--"); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	return names
}
