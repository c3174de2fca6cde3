//go:build !linux && !darwin && !windows

package service

// newBackend knows no service manager of this system.
func newBackend(Options) (backend, error) {
	return nil, noManager("this system's service manager is not supported; have your own supervisor run: filmspool run")
}
