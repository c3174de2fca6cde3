package service

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

// Notify tells systemd what the program does: lines such as "READY=1",
// "STOPPING=1", "WATCHDOG=1" or "STATUS=…" (sd_notify(3)). Without systemd it
// does nothing. Safe to call from several goroutines.
func Notify(state string) error {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return nil
	}
	// A leading "@" means Linux's abstract names; package net knows it too.
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify systemd: %w", err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("notify systemd: %w", err)
	}
	return nil
}

// WatchdogInterval is how often to say Notify("WATCHDOG=1"): half of what the
// manager allows. Zero means that nobody waits for it.
func WatchdogInterval() time.Duration {
	if pid := os.Getenv("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0 // meant for another process
	}
	micros, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || micros <= 0 {
		return 0
	}
	return time.Duration(micros) * time.Microsecond / 2
}
