//go:build !linux && !darwin && !windows

package service

// newBackend returns an error: no service manager is supported on this system.
func newBackend(Options) (backend, error) { return nil, noManager("service.unsupported") }
