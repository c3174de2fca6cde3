// Package usage finds what is wrong with a command line, and says what to type
// instead.
//
// It owns the words for a command, a flag or an argument that is missing, that
// nobody knows or that is one too many. Each is a [typed.Error]. It refuses to
// know what the commands do.
package usage

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Exactly wants these arguments, named for the message.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch missing := names[min(len(args), len(names)):]; len(missing) {
		case 0:
		case 1:
			return Errorf("%s is missing; usage: %s", missing[0], c.UseLine())
		default:
			return Errorf("%s are missing; usage: %s", strings.Join(missing, " and "), c.UseLine())
		}
		return AtMost(names...)(c, args)
	}
}

// AtMost takes no more arguments than these, named for the message.
func AtMost(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= len(names) {
			return nil
		}
		e := &typed.Error{Problem: fmt.Sprintf("%s is one word too many; usage: %s", typed.Quoted(args[len(names)]), c.UseLine())}
		if last := len(names) - 1; last >= 0 && !strings.ContainsAny(args[last], "0123456789") {
			e.Next = "if these words belong together: " + typed.Quoted(strings.Join(args[last:], " "))
		}
		for _, name := range Flags(c) {
			words := c.Flag(name).Value.String() + " " + strings.Join(args[len(names):], " ")
			if _, err := typed.ParseTime(words, time.Now()); c.Flag(name).Changed && err == nil {
				e.Next = "if these words belong together: --" + name + " " + typed.Quoted(words)
			}
		}
		return e
	}
}

// Event refuses what the field rules refuse, by the names that fields have on
// the command line.
func Event(v viewing.Event) error {
	err := v.Validate()
	if err == nil {
		return nil
	}
	words := map[string]string{
		"media.season": "--season", "media.episode": "--episode", "name": "the name", "description": "--description",
		"visibility": "--visibility", "priority": "--priority", "watchedAt": "--watched-at",
	}
	faults := []error{err}
	if all, ok := err.(interface{ Unwrap() []error }); ok { // what was joined stands at the top
		faults = all.Unwrap()
	}
	var says []string
	for _, fault := range faults {
		var f *viewing.FieldError
		if !errors.As(fault, &f) {
			return fault
		}
		says = append(says, cmp.Or(words[f.Field], f.Field)+": "+f.Problem)
	}
	return Errorf("%s", strings.Join(says, "; "))
}
