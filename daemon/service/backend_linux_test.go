package service

import (
	"errors"
	"strings"
	"testing"
)

// Where systemd is not process 1 the program says so, and writes no unit.
func TestWithoutSystemd(t *testing.T) {
	for container, says := range map[bool]string{true: "a container has no service manager", false: "systemd is not running here"} {
		err := withoutSystemd(container)
		if !errors.Is(err, ErrNoManager) || !strings.Contains(err.Error(), says) || hint(err) != "filmspool run" {
			t.Errorf("%v, hint %q", err, hint(err))
		}
	}
}
