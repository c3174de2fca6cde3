//go:build !linux

package service

import (
	"context"
	"errors"
	"time"
)

// Notify does nothing: only systemd listens.
func Notify(string) error { return nil }

// WatchdogInterval is zero: only systemd has a watchdog.
func WatchdogInterval() time.Duration { return 0 }

// Person is somebody as whom a service of the whole machine can run.
type Person struct {
	Name, Home string
}

// FindPerson refuses: only systemd's services are told here whose they are.
func FindPerson(context.Context, string) (Person, error) {
	return Person{}, &Error{What: "--user is for Linux with systemd", Cause: errors.ErrUnsupported}
}
