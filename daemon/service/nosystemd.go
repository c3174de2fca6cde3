//go:build !linux

package service

import "time"

// Notify does nothing: only systemd listens.
func Notify(string) error { return nil }

// WatchdogInterval is zero: only systemd has a watchdog.
func WatchdogInterval() time.Duration { return 0 }
