package service

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNotInstalled says that there is no such service to start, stop or read from.
var ErrNotInstalled = errors.New("the service is not installed")

// ErrNoManager says that no service manager runs on this machine, or none for this
// person.
var ErrNoManager = errors.New("no service manager is running here")

// ErrNotRunning says that nothing runs where [Options].Ask asks.
var ErrNotRunning = errors.New("filmspool is not running")

// errEnded says that a service did not stay up.
var errEnded = errors.New("the service ended")

// Error is a failure with a way out of it.
type Error struct {
	What   string // what happened, in the manager's words where it had any
	Cause  error
	Advice string // a command to type; may be empty
}

// Error is what happened.
func (e *Error) Error() string { return e.What }

// Unwrap is the cause, such as ErrNotInstalled or ErrNoManager.
func (e *Error) Unwrap() error { return e.Cause }

// Hint is a command to type next, or empty.
func (e *Error) Hint() string { return e.Advice }

// command is a command line of ours for one kind of service.
func command(system bool, words string) string {
	if system {
		return "filmspool --system " + words
	}
	return "filmspool " + words
}

// Command is a command line of ours for one kind of service, as whoever runs
// this program has to type it: root alone may change the machine's.
func Command(system bool, words string) string {
	if system && os.Geteuid() > 0 { // -1 on Windows
		return "sudo " + command(system, words)
	}
	return command(system, words)
}

// notInstalled tells how to change that.
func notInstalled(system bool) error {
	return &Error{What: ErrNotInstalled.Error(), Cause: ErrNotInstalled, Advice: Command(system, "service install")}
}

// noManager tells what to do without one.
func noManager(what string) error {
	return &Error{What: what, Cause: ErrNoManager, Advice: "filmspool run"}
}

// rootOnly refuses what the manager would refuse whoever asks now.
func rootOnly(words string) error {
	return &Error{
		What: "a system service is in the hands of root", Cause: fs.ErrPermission,
		Advice: "sudo " + command(true, "service "+words),
	}
}
