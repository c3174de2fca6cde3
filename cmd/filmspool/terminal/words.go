package terminal

import "time"

// Minute formats a time in local time, to the minute.
func Minute(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// Second formats a time in local time, to the second.
func Second(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
