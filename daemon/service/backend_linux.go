package service

import (
	"os"
	"strings"

	kardianos "github.com/kardianos/service"
)

// newBackend chooses by what runs, not by what is installed: systemctl is on
// many machines, containers above all, where systemd is not process 1.
func newBackend(o Options) (backend, error) {
	if exists("/run/systemd/system") {
		return newSystemd(o)
	}
	platform := kardianos.Platform()
	if platform == "unix-systemv" && !sysvRuns() {
		platform = "" // kardianos falls back to SysV on every Linux it does not know
	}
	if err := refusal(o, platform, inContainer()); err != nil {
		return nil, err
	}
	return newInitd(o, platform)
}

// refusal says why there can be no service on a machine where systemd does not
// run, if so; platform is kardianos' word for it, or empty.
func refusal(o Options, platform string, container bool) error {
	none := platform == "" || platform == "linux-systemd"
	switch {
	case none && container:
		return noManager("a container has no service manager; have the container itself run: filmspool run")
	case platform == "linux-systemd":
		return noManager("systemd is not running here; start it with: filmspool run")
	case none:
		return noManager("no service manager is running here; start it with: filmspool run")
	case !o.System:
		return &Error{
			What:   "this machine's init starts no services of one person, only those of the machine",
			Cause:  ErrNoManager,
			Advice: Command(true, "service install"),
		}
	}
	return nil
}

// sysvRuns reports whether process 1 is sysvinit, which always has an inittab.
func sysvRuns() bool {
	comm, err := os.ReadFile("/proc/1/comm")
	return err == nil && strings.TrimSpace(string(comm)) == "init" && exists("/etc/inittab")
}
