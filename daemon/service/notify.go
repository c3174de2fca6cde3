package service

import (
	"time"

	sdnotify "github.com/coreos/go-systemd/v22/daemon"
)

// Notify sends a state to systemd, such as "READY=1", "STOPPING=1", "WATCHDOG=1" or "STATUS=…"
// (sd_notify(3)). Without systemd it does nothing.
func Notify(state string) error {
	_, err := sdnotify.SdNotify(false, state)
	return err
}

// WatchdogInterval returns how often to call Notify("WATCHDOG=1"): half of the manager's limit. 0
// means that no watchdog is configured.
func WatchdogInterval() time.Duration {
	limit, _ := sdnotify.SdWatchdogEnabled(false) // an unreadable limit counts as none
	return limit / 2
}
