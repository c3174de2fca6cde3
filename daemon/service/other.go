//go:build !linux && !darwin && !windows

package service

// newBackend knows no service manager of this system.
func newBackend(Options) (backend, error) { return nil, noManager("service.unsupported") }
