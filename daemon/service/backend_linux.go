package service

// newBackend chooses by what runs, not by what is installed: systemctl is on
// many machines, containers above all, where systemd is not process 1.
func newBackend(o Options) (backend, error) {
	if exists("/run/systemd/system") {
		return newSystemd(o)
	}
	return nil, withoutSystemd(inContainer())
}

// withoutSystemd says how to run the program where systemd does not run.
func withoutSystemd(container bool) error {
	if container {
		return noManager("a container has no service manager; have the container itself run: filmspool run")
	}
	return noManager("systemd is not running here; have your own supervisor run: filmspool run")
}
