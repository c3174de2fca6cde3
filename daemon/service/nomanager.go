//go:build !windows

package service

// noManager tells what to do without one.
func noManager(what string) error {
	return &Error{What: what, Cause: ErrNoManager, Advice: "filmspool run"}
}
