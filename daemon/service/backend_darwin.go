package service

import (
	"fmt"
	"os"
	"path/filepath"
)

// newBackend speaks to launchd itself: kardianos/service uses "launchctl load",
// which newer systems answer with an input/output error.
func newBackend(o Options) (backend, error) {
	library := "/Library"
	if !o.System {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("find home: %w", err)
		}
		library = filepath.Join(home, "Library")
	}
	return newLaunchd(o, library, execLaunchctl("/bin/launchctl"), os.Geteuid()), nil
}
