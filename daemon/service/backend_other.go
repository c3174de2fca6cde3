//go:build !linux && !darwin && !windows

package service

import (
	kardianos "github.com/kardianos/service"
)

// newBackend leaves the rest of the world to kardianos/service.
func newBackend(o Options) (backend, error) {
	if !o.System {
		return nil, &Error{
			What:   "this system has no services of one person",
			Cause:  ErrNoManager,
			Advice: Command(true, "service install"),
		}
	}
	return newForeign(o, kardianos.KeyValue{}, traces{})
}
