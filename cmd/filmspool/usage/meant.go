package usage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// NoSuchCommand refuses words that name no command, and says which may be meant.
func NoSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &typed.Error{
		Problem: fmt.Sprintf("there is no command %q; see: %s --help", args[0], c.CommandPath()),
		Next:    meantCommand(c, args[0]),
	}
}

// meantCommand is what to type instead of a word that is no command of c; ""
// when nothing comes near.
func meantCommand(c *cobra.Command, word string) string {
	if hint := commandWords()[strings.TrimPrefix(c.CommandPath()+" "+strings.ToLower(word), "filmspool ")]; hint != "" {
		return hint
	}
	_, err := strconv.ParseUint(word, 10, 63)
	switch {
	case c.Name() == "queue" && err == nil:
		return "filmspool queue show " + word
	case c.Name() == "add":
		if i, err := typed.ParseItem(word); err == nil {
			return "filmspool " + addWords(i, word)
		}
	}
	if near := typed.Nearest(word, names(c)); near != "" {
		return "did you mean: " + c.CommandPath() + " " + near
	}
	if deep := commandsNamed(c.Root(), word); len(deep) > 0 {
		return "did you mean: " + strings.Join(deep, ", or ")
	}
	return ""
}

// names are the commands below c.
func names(c *cobra.Command) []string {
	var all []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			all = append(append(all, sub.Name()), sub.Aliases...)
		}
	}
	return all
}

// addWords is the command that adds an item.
func addWords(i typed.Item, word string) string {
	switch {
	case i.Episode != nil:
		return "add episode " + word
	case i.Type == "tv":
		return "add episode --show " + word + " --season 1 --episode 2"
	default:
		return "add movie " + word
	}
}

// commandsNamed finds commands by their name, however deep they stand.
func commandsNamed(c *cobra.Command, name string) (found []string) {
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if sub.Name() == name || sub.HasAlias(name) {
			found = append(found, c.CommandPath()+" "+name)
		}
		found = append(found, commandsNamed(sub, name)...)
	}
	return found
}

// commandWords are words that people type for what the program calls otherwise,
// or cannot do.
func commandWords() map[string]string {
	all := map[string]string{
		"man":         "man filmspool, where a package has installed it; else: filmspool --help",
		"logs":        "filmspool service logs",
		"config edit": "filmspool config path says where the file is, and filmspool config example what may stand in it",
	}
	for _, word := range []string{"log", "queue log"} {
		all[word] = "everything about one entry: filmspool queue show ID; of all: filmspool queue list"
	}
	for _, word := range []string{"tv", "show", "series"} {
		all["add "+word] = "a series as a whole is not watched; add its episodes: " +
			"filmspool add episode --show 1396 --season 1 --episode 2"
	}
	for _, word := range []string{"list", "ls", "show"} {
		all["watchlist "+word] = "what was put there from here: filmspool queue list --kind watchlist; all of it only the service can show"
		all["list "+word] = "what was created from here: filmspool queue list --kind list; all lists only the service can show"
	}
	for _, word := range []string{"remove", "rm", "delete", "drop"} {
		all["watchlist "+word] = "before it has left: filmspool queue drop ID; after that, take it away at the service itself"
		all["list "+word] = "before it has left: filmspool queue drop ID; after that, delete it at the service itself"
	}
	return all
}

// FlagFault is a mistake in the flags, in words that need no knowledge of how
// the program is made.
func FlagFault(c *cobra.Command, err error) error {
	var value interface{ GetValue() string }
	text := err.Error()
	unknown, isUnknown := strings.CutPrefix(text, "unknown flag: --")
	_, short, isShort := strings.Cut(text, "unknown shorthand flag: ")
	switch {
	case errors.As(err, &value):
		return Errorf("%s", valueFault(c, text, value.GetValue()))
	case isUnknown:
		f := &typed.Error{Problem: text}
		names := Flags(c)
		for i, name := range names {
			names[i] = strings.ReplaceAll(name, "-", "_") // as they are compared
		}
		if near := typed.Nearest(unknown, names); near != "" {
			f.Next = "did you mean: --" + strings.ReplaceAll(near, "_", "-")
		}
		return f
	case isShort:
		_, word, _ := strings.Cut(short, " in ")
		if len(word) > 1 && word[1] >= '0' && word[1] <= '9' {
			return Errorf("%q is not a number from 1; usage: %s", word, c.UseLine())
		}
		return Errorf("unknown flag: %s; usage: %s", word, c.UseLine())
	default:
		return Errorf("%s", text)
	}
}

// Flags are the names of all flags that a command takes.
func Flags(c *cobra.Command) []string {
	var names []string
	for line := range strings.Lines(c.Flags().FlagUsages() + c.InheritedFlags().FlagUsages()) {
		if _, name, ok := strings.Cut(line, "--"); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	return names
}

// valueFault says what is wrong with the value of a flag.
func valueFault(c *cobra.Command, text, value string) string {
	_, rest, _ := strings.Cut(text, ` for "`)
	name, _, _ := strings.Cut(rest, `" flag`)
	name = name[strings.LastIndex(name, "-")+1:]
	if _, long, ok := strings.Cut(rest, "--"); ok {
		name, _, _ = strings.Cut(long, `"`)
	}
	want := "is not what it may be"
	if f := c.Flag(name); f != nil {
		switch f.Value.Type() {
		case "int", "int64":
			want = "is not a whole number, or too large"
		case "bool":
			want = "is neither true nor false"
		case "duration":
			want = "is not a span of time such as 90s, 10m or 1h30m"
		}
	}
	return fmt.Sprintf("--%s %s %s", name, typed.Quoted(value), want)
}
