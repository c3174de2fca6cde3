package service

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/packaging"
)

// refusesWalls reports whether this person's manager cannot keep a service
// within the walls of our unit, since the system grants no user namespaces: as
// Ubuntu since 24.04, and kernels without them. It has the manager run a
// program that does nothing.
func (c systemctl) refusesWalls(ctx context.Context) bool {
	args := []string{"--user", "--quiet", "--collect", "--wait"}
	for _, wall := range packaging.Walls() {
		args = append(args, "--property="+wall)
	}
	err := c.command(ctx, "systemd-run", append(args, "--", "true")...).Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	return ended && slices.Contains(wallFaults(), exit.ExitCode())
}

// wallFaults are how systemd says that it could not build a service's walls:
// NAMESPACE, USER and CAPABILITIES of systemd.exec(5), "Process exit codes".
func wallFaults() []int { return []int{226, 217, 218} }

// allowState lets the service write the state folder that its command line
// names, where that is not the usual one.
func (s *systemd) allowState(template string) (string, error) {
	named := stateDir(s.o.Args)
	switch {
	case named == "":
		return template, nil
	case strings.ContainsAny(named, `:"'\`): // parted or escaped, in other ways by each systemd
		return "", fmt.Errorf("systemd takes no colon, quote or backslash in the name of the state folder %s", named)
	case strings.HasPrefix(named, "/tmp/"), strings.HasPrefix(named, "/var/tmp/"):
		return "", fmt.Errorf("a service has a /tmp of its own, so it would not see the state folder %s: choose another", named)
	case !s.o.System:
		return template, nil // its unit has a place for it
	case s.o.User == "":
		return "", &Error{
			What:   "a system service that runs as a user of its own keeps everything in /var/lib/filmspool",
			Cause:  errors.ErrUnsupported,
			Advice: Command(true, "service install --user NAME --state-dir "+named),
		}
	}
	const home = "\nProtectHome="
	return strings.Replace(template, home, "\nBindPaths="+packaging.State+home, 1), nil
}
