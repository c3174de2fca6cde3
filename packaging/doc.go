// Package packaging holds the texts that other systems read about Filmspool. Packages
// install the units of systemd as they stand here, for a program at /usr/bin/filmspool.
// They are embedded for "filmspool service install", which puts its own path in that place.
//
// .goreleaser.yaml makes the releases from these texts. build.sh writes what it needs beside
// the programs, and kodi/pack.sh packs the add-on for LibreELEC and CoreELEC.
package packaging

import _ "embed"

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

// LaunchdPlist is the property list of a launchd agent or daemon. The program and its
// arguments, as <string> elements, take the place of @ARGUMENTS@.
//
//go:embed launchd/filmspool.plist
var LaunchdPlist string
