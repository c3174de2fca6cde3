package service

import (
	"errors"
	"testing"
)

// hint is what the command line would print after "hint:".
func hint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// What does not run is started as the machine starts it. A container has no
// service, and neither has what was started by hand.
func TestStartHint(t *testing.T) {
	for _, c := range []struct {
		system, contained bool
		want              string
	}{
		{false, false, "filmspool service start, or filmspool run"},
		{true, false, Command(true, "service start")},
		{false, true, "start the container again, or type: filmspool run"},
		{true, true, "start the container again, or type: filmspool run"},
	} {
		if got := startHint(c.system, c.contained); got != c.want {
			t.Errorf("system %v, container %v: %q, want %q", c.system, c.contained, got, c.want)
		}
	}
}
