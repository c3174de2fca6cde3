package service

import (
	"errors"
	"strings"
	"testing"
)

// Where systemd is not process 1 the program must say so, not leave a unit
// that nobody reads.
func TestNewWithoutSystemd(t *testing.T) {
	if exists("/run/systemd/system") || sysvRuns() {
		t.Skip("a service manager runs here")
	}
	_, err := New(Options{})
	if !errors.Is(err, ErrNoManager) || hint(err) != "filmspool run" {
		t.Errorf("got %v, hint %q", err, hint(err))
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		platform          string
		system, container bool
		says, hint        string
	}{
		"a container":          {"", true, true, "a container has no service manager", "filmspool run"},
		"with systemd's tools": {"linux-systemd", false, true, "a container has no service manager", "filmspool run"},
		"a chroot":             {"linux-systemd", true, false, "systemd is not running here", "filmspool run"},
		"runit":                {"", false, false, "no service manager is running here", "filmspool run"},
		"OpenRC, one's own":    {"linux-openrc", false, false, "no services of one person", "filmspool --system service install"},
		"OpenRC":               {"linux-openrc", true, false, "", ""},
		"OpenRC, contained":    {"linux-openrc", true, true, "", ""},
	} {
		err := refusal(Options{System: c.system}, c.platform, c.container)
		switch {
		case c.says == "" && err != nil, c.says != "" && (err == nil || !errors.Is(err, ErrNoManager)):
			t.Errorf("%s: %v", name, err)
		case err != nil && (!strings.Contains(err.Error(), c.says) || !strings.HasSuffix(hint(err), c.hint)):
			t.Errorf("%s: %v, hint %q", name, err, hint(err))
		}
	}
}
