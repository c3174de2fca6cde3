package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// unlisted are the commands that the help only lists by name.
var unlisted = []string{"move", "run", "demo", "sandbox", "completion", "version", "help"}

// screenWidth is the maximum width of the help in columns.
const screenWidth = 80

// mistake returns an error for a wrong command line.
func mistake(code string, pairs ...string) *exitError {
	return &exitError{error: viewing.Say(code, pairs...), code: exitUsage}
}

// misuse turns an error into one for a wrong command line if it is about what was typed, or if
// the instance reports an invalid request.
func misuse(err error) error {
	_, refused := err.(viewing.Message) //nolint:errorlint // it is not wrapped
	if refused || errors.Is(err, &control.Fault{Code: control.CodeInvalid}) {
		return &exitError{error: err, code: exitUsage}
	}
	return err
}

// inFlag is like [misuse] for the value of a flag such as "--since".
func inFlag(flag string, err error) error {
	if m, refused := err.(viewing.Message); refused { //nolint:errorlint // it is not wrapped
		err = viewing.Say("typed.flag", "flag", flag).Because(m)
	}
	return misuse(err)
}

// oneOf returns an error unless value is empty or one of the known values of a flag.
func oneOf(flag, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return mistake("usage.oneOf", "flag", flag, "value", typed.Quoted(value), "names", strings.Join(known, ", "))
}

// exclusive returns a check that at most one of some flags is set.
func exclusive(names []string) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error {
		given := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !c.Flags().Changed(name) })
		if len(given) < 2 {
			return nil
		}
		return mistake("usage.together", "flags", "--"+strings.Join(given, ", --"))
	}
}

// wrongFlag returns the error for a wrong flag, or for an unknown command before it.
func (p *program) wrongFlag(c *cobra.Command, err error) error {
	if !c.HasParent() && !strings.HasPrefix(p.args[0], "-") {
		return noSuchCommand(c, p.args)
	}
	return flagMistake(err).next(control.Command("%s --help", c.CommandPath()))
}

// flagMistake converts an error of pflag.
func flagMistake(err error) *exitError {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return mistake("usage.noFlag", "flag", strings.Repeat("-", min(2, len(unknown.GetSpecifiedName())))+unknown.GetSpecifiedName())
	}
	if empty, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return mistake("usage.noValue", "flag", empty.GetFlag().Name)
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return mistake("usage.badValue", "flag", wrong.GetFlag().Name, "value", typed.Quoted(wrong.GetValue()))
	}
	return mistake("said", "detail", err.Error())
}

// noSuchCommand returns the error for an unknown command, with a suggestion.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 1 + len(args[0])/5
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
	return mistake("usage.noCommand", "command", c.CommandPath(), "word", typed.Quoted(args[0])).next(control.Command("%s", next))
}

// checkArgs checks the arguments against the command's Use: those in brackets are optional, and
// one with "…" may be repeated. A group of commands takes none.
func (p *program) checkArgs(c *cobra.Command, args []string) error {
	if c.HasSubCommands() && !strings.Contains(c.Use, " ") {
		return noSuchCommand(c, args)
	}
	names := strings.Fields(c.Use)[1:]
	least := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, "[") })
	if least < 0 {
		least = len(names)
	}
	usage := control.Command("%s", p.translated(c.UseLine()))
	switch {
	case len(args) < least:
		return mistake("usage.missing", "name", p.translated(strings.TrimSuffix(names[len(args)], "…"))).next(usage)
	case len(args) > len(names) && !strings.Contains(c.Use, "…"):
		return mistake("usage.tooMany", "word", typed.Quoted(args[len(names)])).next(usage)
	default:
		return nil
	}
}

// translated translates the placeholders in capitals of a usage line.
func (p *program) translated(line string) string {
	speech := p.stdout.Speech()
	return regexp.MustCompile(`\b[A-Z]+\b`).ReplaceAllStringFunc(line, func(word string) string {
		if key := "arg." + word; speech.Has(key) {
			return speech.Say(key)
		}
		return word
	})
}

// describe sets the help texts of a command and its subcommands.
func (p *program) describe(c *cobra.Command) {
	speech := p.stdout.Speech()
	name := strings.Join(strings.Fields(c.CommandPath())[1:], ".")
	c.Short, c.Long = speech.Say("help."+name), ""
	if long := "help." + name + ".long"; speech.Has(long) {
		c.Long = speech.Say(long)
	}
	c.InitDefaultHelpFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		f.Usage = speech.Say("flag." + f.Name)
		if own := "flag." + name + "." + f.Name; speech.Has(own) {
			f.Usage = speech.Say(own)
		}
	})
	for _, sub := range c.Commands() {
		p.describe(sub)
	}
}

// showHelp prints the help of a command.
func (p *program) showHelp(c *cobra.Command, _ []string) {
	p.describe(c.Root())
	c.Print(p.help(c))
}

// help returns the description and usage of a command.
func (p *program) help(c *cobra.Command) string {
	speech := p.stdout.Speech()
	var b strings.Builder
	if c.HasParent() {
		b.WriteString(wrapped("", c.Short+".\n"+c.Long, 0) + "\n" + speech.Say("cli.usage", "line", p.translated(strings.TrimSuffix(c.UseLine(), " [flags]"))) + "\n")
	} else {
		b.WriteString(speech.Say("cli.welcome") + "\n\n")
	}
	if c.Example != "" {
		b.WriteString("\n" + c.Example + "\n")
	}
	shown := slices.DeleteFunc(slices.Clone(c.Commands()), func(sub *cobra.Command) bool {
		return !sub.IsAvailableCommand() || !c.HasParent() && slices.Contains(unlisted, sub.Name())
	})
	if c.HasParent() && len(shown) > 0 {
		b.WriteString("\n")
	}
	widest := 0
	for _, sub := range shown {
		widest = max(widest, len(sub.Name()))
	}
	for _, sub := range shown {
		b.WriteString(wrapped("  "+sub.Name(), sub.Short, widest+4))
	}
	if !c.HasParent() {
		b.WriteString(speech.Say("cli.further", "names", strings.Join(unlisted, ", ")) + "\n")
		return b.String()
	}
	b.WriteString("\n")
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if value, text := pflag.UnquoteUsage(f); !f.Hidden && f.Name != "help" {
			b.WriteString(wrapped(strings.TrimRight("  --"+f.Name+" "+value, " "), text, 21))
		}
	})
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// wrapped wraps a text to the screen width. All lines after the first are indented.
func wrapped(head, text string, indent int) string {
	var b strings.Builder
	margin := strings.Repeat(" ", indent)
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line := head + strings.Repeat(" ", max(indent-utf8.RuneCountInString(head), min(indent, 2)))
		for i, word := range strings.Fields(paragraph) {
			if i > 0 && utf8.RuneCountInString(line+" "+word) > screenWidth {
				b.WriteString(line + "\n")
				line = margin + word
				continue
			}
			if i > 0 {
				line += " "
			}
			line += word
		}
		b.WriteString(line + "\n")
		head = ""
	}
	return b.String()
}

// helpCommand returns the command "help".
func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{Use: "help [COMMAND]…", DisableFlagsInUseLine: true, Args: p.checkArgs, RunE: func(c *cobra.Command, args []string) error {
		asked, rest, err := c.Root().Find(args)
		if err != nil || len(rest) > 0 {
			return noSuchCommand(c.Root(), args)
		}
		return asked.Help()
	}}
}
