package service

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// HostFlag is the flag of "filmspool run" that Install passes where a program
// has to know who started it; [Run], [ExitCode] and [TrimLog] look for it in
// the arguments.
const HostFlag = "service-host"

// The values of that flag. None of them is given on systemd and the Unix kind
// in general.
const (
	HostSCM     = "scm"     // the Windows service manager
	HostLogin   = "login"   // a Windows person's own login
	HostLaunchd = "launchd" // macOS
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

// maxLog is how large the log may be when the program starts, in bytes.
const maxLog = 5 << 20

// TrimLog empties the log when the program starts under a manager that appends
// to a file for ever, as launchd does, and the file has more than 5 MiB.
// Anything else than a file is left alone.
func TrimLog(args []string, log *os.File) error {
	if hostMode(args) != HostLaunchd {
		return nil
	}
	info, err := log.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() <= maxLog {
		return err
	}
	if err := log.Truncate(0); err != nil {
		return fmt.Errorf("empty the log: %w", err)
	}
	_, err = fmt.Fprintf(log, "the log had %d bytes; it begins anew\n", info.Size())
	return err
}
