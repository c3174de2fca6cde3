package service

import "strings"

// HostFlag is the flag of "filmspool run" that Install passes where a program
// has to know who started it; [Run] looks for it in the
// arguments.
const HostFlag = "service-host"

// The values of that flag. None of them is given on systemd, launchd and the
// Unix kind in general.
const (
	HostSCM   = "scm"   // the Windows service manager
	HostLogin = "login" // a Windows person's own login
)

// hostMode is the value of HostFlag among a program's arguments, or empty.
func hostMode(args []string) string {
	for _, arg := range args {
		if mode, ok := strings.CutPrefix(arg, "--"+HostFlag+"="); ok {
			return mode
		}
	}
	return ""
}
