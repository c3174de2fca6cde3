package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Absent names every folder and file that the configuration has watched and
// that is not there, one sentence each. It is no fault: a disk may come later, and the service waits
// for it.
func (c Config) Absent() (missing []string) {
	say := func(setting, problem, path string) {
		for _, r := range c.placed(fault(setting, problem, path)) {
			missing = append(missing, strings.TrimPrefix(r.Error(), ErrInvalid.Error()+": "))
		}
	}
	look := func(setting, path string) {
		switch _, err := os.Stat(path); {
		case err == nil:
		case errors.Is(err, os.ErrPermission):
			say(setting, "you may not look into %q", path)
		default:
			say(setting, "%q is not there: look at the name, or connect the disk it is on", path)
		}
	}
	for i, l := range c.Kodi.Libraries {
		look(fmt.Sprintf("kodi.libraries[%d].userdata", i), filepath.Clean(l.Userdata))
	}
	return missing
}
