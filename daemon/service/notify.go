package service

import (
	"time"

	sdnotify "github.com/coreos/go-systemd/v22/daemon"
)

// Notify tells systemd what the program does: lines such as "READY=1",
// "STOPPING=1", "WATCHDOG=1" or "STATUS=…" (sd_notify(3)). Without systemd it
// does nothing.
func Notify(state string) error {
	_, err := sdnotify.SdNotify(false, state)
	return err
}

// WatchdogInterval is how often to say Notify("WATCHDOG=1"): half of what the
// manager allows. Zero means that nothing waits for it.
func WatchdogInterval() time.Duration {
	limit, _ := sdnotify.SdWatchdogEnabled(false) // a limit that cannot be read is none
	return limit / 2
}
