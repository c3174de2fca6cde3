package service

// HostFlag is the flag of "filmspool run" that Install passes where a program
// has to know who started it; its value goes to [Host].
const HostFlag = "service-host"

// The values of that flag. None of them is given on systemd, launchd and the
// Unix kind in general.
const (
	HostSCM   = "scm"   // the Windows service manager
	HostLogin = "login" // a Windows person's own login
)
