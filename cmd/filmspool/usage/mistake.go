package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Errorf is a mistake in the command line.
func Errorf(format string, args ...any) error {
	return &typed.Error{Problem: fmt.Sprintf(format, args...)}
}

// In is a mistake in what was typed after a flag, such as "--show", or of an argument
// where the flag is empty; nil for none. The message is of package typed.
func In(flag string, err error) error {
	m, refused := err.(viewing.Message) //nolint:errorlint // it is not wrapped
	switch {
	case !refused:
		return err
	case flag == "":
		return &typed.Error{Cause: m}
	default:
		return &typed.Error{Cause: viewing.Say("typed.flag", "flag", flag).Because(m)}
	}
}

// OneOf refuses a flag's value that is none of those it may have. An empty one
// was not given.
func OneOf(flag, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	e := &typed.Error{Problem: fmt.Sprintf("--%s %q is not one of %s", flag, value, strings.Join(known, ", "))}
	if near := typed.Nearest(value, known); near != "" {
		e.Next = "did you mean: --" + flag + " " + near
	}
	return e
}
