//go:build !linux && !darwin && !windows

package service

// newBackend leaves the rest of the world to kardianos/service and its script.
func newBackend(o Options) (backend, error) {
	if !o.System {
		return nil, &Error{
			What:   "this system has no services of one person",
			Cause:  ErrNoManager,
			Advice: Command(true, "service install"),
		}
	}
	svc, err := newKardianos(o, "", nil)
	return newManaged(o, &filed{Service: svc, file: "/usr/local/etc/rc.d/" + Name, mode: 0o755, all: true}, true), err
}
