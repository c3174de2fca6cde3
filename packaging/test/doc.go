// Package test proves the units, "filmspool service" and the Debian package on
// a real systemd, and the package for Alpine Linux under a real OpenRC.
//
// It owns no code that ships: a throw-away Debian is booted with
// systemd-nspawn, the program is copied in, and a person and then root install
// it, watch it survive a kill, and remove it again. The add-on of packaging/kodi
// goes through its life there, with a stand-in for what LibreELEC's Kodi does.
// And somebody types into such a machine what the README says, command by
// command.
//
// The programs for other processors run here, under qemu's emulators.
//
// It promises to leave nothing behind on the machine that runs it, and that a
// wrong unit, a lost restart or a lingering file fails it.
//
// It refuses to run where it cannot: it needs root, systemd-nspawn, and two
// variables, FILMSPOOL_NSPAWN_ROOT (a tar of a root file system with systemd,
// dbus, libpam-systemd and procps) and FILMSPOOL_BINARY (the program, built
// without cgo). The add-on's test needs FILMSPOOL_ADDON too, the folder that
// its archives were packed into; that of the packages FILMSPOOL_DEB and
// FILMSPOOL_OLD_DEB; that of the README FILMSPOOL_DEB, in the folder of a whole
// release; and the test under OpenRC has FILMSPOOL_OPENRC_ROOT (a root
// file system with openrc and procps) and FILMSPOOL_APK alone. TestOtherProcessors
// needs FILMSPOOL_BINARY and FILMSPOOL_PROGRAMS, a folder in which a release's
// archives for Linux were unpacked. ".ci/run" makes
// them all; without them the tests are skipped.
package test
