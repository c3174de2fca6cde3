package service

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// HostFlag is the flag of "filmspool run" that Install passes where a program
// has to know who started it; [Run], [ExitCode] and [BoundLog] look for it in
// the arguments.
const HostFlag = "service-host"

// The values of that flag. Systemd keeps the log itself, and gives
// none.
const (
	HostSCM     = "scm"     // the Windows service manager
	HostLogin   = "login"   // a Windows person's own login
	HostLaunchd = "launchd" // macOS
	HostInit    = "init"    // OpenRC
	hostChild   = "child"   // the program that HostLogin keeps running
)

// Program is what [Run] runs.
type Program struct {
	Args    []string     // its own, the program's name first
	State   string       // the folder for the log, where nobody reads standard error
	Prepare func() error // makes that folder
	Run     func(context.Context, Host) error
	// Code is the exit code for an error; 78 and 2 are faults that another
	// start would not mend.
	Code func(error) int
}

// Host is what a program may ask of whoever started it.
type Host struct {
	Log   io.Writer // instead of standard error; nil where that is read
	Ready func()    // to be called when the program can be used
}

// hostMode is the value of HostFlag among a program's arguments, or empty.
func hostMode(args []string) string {
	for _, arg := range args {
		if mode, ok := strings.CutPrefix(arg, "--"+HostFlag+"="); ok {
			return mode
		}
	}
	return ""
}

// withHost is the arguments with another host, or with none before.
func withHost(args []string, mode string) []string {
	var out []string
	for _, arg := range args {
		if !strings.HasPrefix(arg, "--"+HostFlag+"=") {
			out = append(out, arg)
		}
	}
	return append(out, "--"+HostFlag+"="+mode)
}

// ExitCode is what a program ends with that would have ended with code; args
// are its own. launchd starts whatever ends with anything but 0 again, every
// ten seconds and without end, and can except no code from that. A wrong
// configuration or a database of a newer version (78, EX_CONFIG of sysexits.h)
// is mended by no new start, so there it ends with 0. By then the log has said why, and the service's status
// repeats it.
func ExitCode(args []string, code int) int {
	if code == 78 && hostMode(args) == HostLaunchd {
		return 0
	}
	return code
}

// maxLog bounds a log to which a service manager appends for ever, in bytes.
const maxLog = 5 << 20

// BoundLog is what to write to instead of log. Launchd and OpenRC
// append to a file for ever; there the file is emptied before it gets larger
// than 5 MiB. What is no file is left alone, and so is a log of others.
func BoundLog(args []string, log *os.File) io.Writer {
	if mode := hostMode(args); mode != HostLaunchd && mode != HostInit {
		return log
	}
	bounded := boundedLog{log}
	bounded.makeRoom(0) // a crash before the first line is told there, too
	return bounded
}

// boundedLog is a file that was opened to append.
type boundedLog struct{ file *os.File }

// Write appends a line.
func (l boundedLog) Write(p []byte) (int, error) {
	l.makeRoom(len(p))
	return l.file.Write(p)
}

// makeRoom empties the file where n more bytes are too many. One that cannot be
// emptied is no reason not to write.
func (l boundedLog) makeRoom(n int) {
	info, err := l.file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size()+int64(n) <= maxLog {
		return
	}
	if l.file.Truncate(0) == nil {
		fmt.Fprintf(l.file, "the log had %d bytes; it begins anew\n", info.Size())
	}
}
