package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	kardianos "github.com/kardianos/service"

	"github.com/filmspool/filmspool/packaging"
)

// newBackend hands our own property list to kardianos' launchd, whose own
// would not start the program at login and would restart it after a clean end.
func newBackend(o Options) (backend, error) {
	plist, log := "/Library/LaunchDaemons/"+Name+".plist", "/Library/Logs/Filmspool.log"
	if !o.System {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("find home: %w", err)
		}
		plist = filepath.Join(home, "Library", "LaunchAgents", Name+".plist")
		log = filepath.Join(home, "Library", "Logs", "Filmspool.log")
	}
	text, err := plistText(packaging.LaunchdPlist, o.Executable, o.Args, log)
	if err != nil {
		return nil, err
	}
	options := kardianos.KeyValue{"LaunchdConfig": text, "UserService": !o.System}
	return newForeign(o, options, launchdTraces(plist, log))
}

func launchdTraces(plist, log string) traces {
	return traces{
		find: func() string {
			if _, err := os.Stat(plist); err != nil {
				return ""
			}
			return plist
		},
		// What kardianos leaves when it fails half-way.
		sweep: func() error {
			if err := os.Remove(plist); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("remove property list: %w", err)
			}
			return nil
		},
		logs: func(ctx context.Context, out io.Writer, follow bool) error {
			args := []string{"-n", "200", log}
			if follow {
				args = append([]string{"-F"}, args...)
			}
			cmd := exec.CommandContext(ctx, "tail", args...)
			cmd.Stdout, cmd.Stderr = out, out
			if err := cmd.Run(); err != nil && ctx.Err() == nil {
				return fmt.Errorf("read %s: %w", log, err)
			}
			return nil
		},
	}
}
