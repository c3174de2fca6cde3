// Package packaging holds what other systems read about Filmspool. These are the
// units of systemd, the scripts of OpenRC, SysV init and procd, and launchd's property
// list. The files beside this one are the only source of their text. They are embedded,
// so that "filmspool service install" and a package write the same words. The file container/Containerfile says
// how the container image is run.
//
// It promises that the texts are complete but for their placeholders, and
// that none of them holds "{{", which kardianos/service would expand.
//
// It refuses to write anything anywhere: package daemon/service does. The
// tests on a real systemd stand in packaging/test; packaging/release makes
// what a release hands out.
package packaging

import _ "embed"

// Placeholders in the texts. Whoever installs one replaces every occurrence.
const (
	// Command is the program and its arguments, quoted as the text needs it.
	Command = "@COMMAND@"
	// Executable is the program's absolute path.
	Executable = "@EXECUTABLE@"
	// State is the folder that a person's service may write; [UsualState] where
	// none was named.
	State = "@STATE@"
	// Arguments are the program and its arguments as <string> elements.
	Arguments = "@ARGUMENTS@"
	// Log is the file that launchd appends the program's words to.
	Log = "@LOG@"
)

// UsualState is where a person's service keeps everything, in systemd's words.
const UsualState = "%h/.local/state/filmspool"

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

// SysV is the service script of the instance of a whole machine where init is
// the one of System V, with Debian's start-stop-daemon.
//
//go:embed sysv/filmspool.init
var SysV string

// Procd is the service script of the instance of a whole machine under OpenWrt.
//
//go:embed procd/filmspool.init
var Procd string

// LaunchdPlist is the property list of a launchd agent or daemon.
//
//go:embed launchd/filmspool.plist
var LaunchdPlist string
