// Package packaging holds the texts that other systems read about Filmspool: the
// units of systemd, the script of OpenRC and launchd's property list. They are
// embedded, so that "filmspool service install" and a package write the same words.
// No text holds "{{", which kardianos/service would expand.
package packaging

import _ "embed"

// Placeholders in the texts. Whoever installs one replaces every occurrence.
const (
	// Command is the program and its arguments, quoted as the text needs it.
	Command = "@COMMAND@"
	// Executable is the program's absolute path.
	Executable = "@EXECUTABLE@"
	// Arguments are the program and its arguments as <string> elements.
	Arguments = "@ARGUMENTS@"
)

// UserUnit is the systemd unit of one person's own instance.
//
//go:embed systemd/user/filmspool.service
var UserUnit string

// SystemUnit is the systemd unit of the instance of a whole machine.
//
//go:embed systemd/system/filmspool.service
var SystemUnit string

// Sysusers declares the group whose members may speak to the system-wide
// instance, in the form of sysusers.d(5).
//
//go:embed systemd/sysusers.d/filmspool.conf
var Sysusers string

// OpenRC is the service script of the instance of a whole machine where OpenRC
// starts things, as on Alpine Linux.
//
//go:embed openrc/filmspool.initd
var OpenRC string

// LaunchdPlist is the property list of a launchd agent or daemon.
//
//go:embed launchd/filmspool.plist
var LaunchdPlist string
