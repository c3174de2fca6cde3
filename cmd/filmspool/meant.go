package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// noSuchCommand refuses words that name no command, and says which may be meant.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &exitError{
		code:    exitUsage,
		message: fmt.Sprintf("there is no command %q; see: %s --help", args[0], c.CommandPath()),
		hint:    meantCommand(c, args[0]),
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
	if near := nearest(word, names(c)); near != "" {
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
		"man": "man filmspool, where a package has installed it; else: filmspool --help",
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

// oneOf refuses a flag's value that is none of those it may have.
func oneOf(flag, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	hint := ""
	if near := nearest(value, known); near != "" {
		hint = "did you mean: --" + flag + " " + near
	}
	return &exitError{
		code: exitUsage, message: fmt.Sprintf("--%s %q is not one of %s", flag, value, strings.Join(known, ", ")), hint: hint,
	}
}

// nearest is the known word that value may have meant; "" when none comes near.
func nearest(value string, known []string) string {
	value = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(value))
	same := map[string]string{
		"film": string(viewing.KindViewing), "movie": string(viewing.KindViewing), "episode": string(viewing.KindViewing),
		"doubt": string(viewing.StateInDoubt), "indoubt": string(viewing.StateInDoubt),
		"waiting": string(viewing.StatePending), "queued": string(viewing.StatePending),
		"sent": string(viewing.StateDelivered), "done": string(viewing.StateDelivered),
		"failed": string(viewing.StateRejected), "refused": string(viewing.StateRejected),
	}[value]
	if slices.Contains(known, same) {
		return same
	}
	best, least := "", 3
	for _, word := range known {
		if d := distance(value, word); d < least {
			best, least = word, d
		}
	}
	return best
}

// distance is how many letters differ between two words: the least number to
// put in, take out or change.
func distance(a, b string) int {
	if len(a) > 40 {
		return len(a) // such a word is none of ours
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// flagFault is a mistake in the flags, in words that need no knowledge of how
// the program is made.
func flagFault(c *cobra.Command, err error) error {
	var value interface{ GetValue() string }
	text := err.Error()
	unknown, isUnknown := strings.CutPrefix(text, "unknown flag: --")
	_, short, isShort := strings.Cut(text, "unknown shorthand flag: ")
	switch {
	case errors.As(err, &value):
		return usage("%s", valueFault(c, text, value.GetValue()))
	case isUnknown:
		f := &exitError{code: exitUsage, message: text}
		if near := nearest(unknown, flagNames(c)); near != "" {
			f.hint = "did you mean: --" + strings.ReplaceAll(near, "_", "-")
		}
		return f
	case isShort:
		_, word, _ := strings.Cut(short, " in ")
		if len(word) > 1 && word[1] >= '0' && word[1] <= '9' {
			return usage("%q is not a number from 1; usage: %s", word, c.UseLine())
		}
		return usage("unknown flag: %s; usage: %s", word, c.UseLine())
	default:
		return usage("%s", text)
	}
}

// flagNames are the flags of a command, as [nearest] compares them.
func flagNames(c *cobra.Command) []string {
	var names []string
	for _, line := range strings.Fields(c.Flags().FlagUsages() + c.InheritedFlags().FlagUsages()) {
		if name, ok := strings.CutPrefix(line, "--"); ok {
			names = append(names, strings.ReplaceAll(name, "-", "_"))
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
	return fmt.Sprintf("--%s %q %s", name, shortened(value), want)
}

// shortened is a text that an error repeats.
func shortened(text string) string {
	if letters := []rune(text); len(letters) > 60 {
		return string(letters[:60]) + "…"
	}
	return text
}
