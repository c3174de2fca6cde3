package service

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	kardianos "github.com/kardianos/service"

	"github.com/filmspool/filmspool/packaging"
)

// newBackend is launchd, as kardianos/service speaks to it. Nobody but root
// sees the machine's services that way.
func newBackend(o Options) (backend, error) {
	if o.System && os.Geteuid() != 0 {
		return nil, rootOnly("status")
	}
	if !o.System && os.Geteuid() == 0 {
		return nil, &Error{
			What:   "root has no service of its own; leave sudo out, or name the machine's",
			Cause:  errors.ErrUnsupported,
			Advice: "sudo " + command(true, "service install"),
		}
	}
	if o.Linger {
		return nil, &Error{
			What:   "macOS has no service of a person that runs from boot",
			Cause:  errors.ErrUnsupported,
			Advice: "sudo " + command(true, "service install"),
		}
	}
	library, kind := "/Library", "LaunchDaemons"
	if !o.System {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("find home: %w", err)
		}
		library, kind = filepath.Join(home, "Library"), "LaunchAgents"
	}
	o.Args = withHost(o.Args, HostLaunchd)
	log := filepath.Join(library, "Logs", "Filmspool.log")
	text, err := plistText(packaging.LaunchdPlist, o.Executable, o.Args, log)
	if err != nil {
		return nil, err
	}
	svc, err := newKardianos(o, "", kardianos.KeyValue{"UserService": !o.System, "LaunchdConfig": text})
	f := &filed{
		Service: svc, file: filepath.Join(library, kind, Name+".plist"), text: text, mode: 0o644, log: log, all: o.System, blind: true,
		// launchd starts nothing whose log it cannot write.
		prepare: func() error { return os.MkdirAll(filepath.Dir(log), 0o755) },
	}
	return newManaged(o, f, true), err
}
