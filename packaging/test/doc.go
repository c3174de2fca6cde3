// Package test proves the units and "filmspool service" on a real systemd.
//
// It owns no code that ships: a throw-away Debian is booted with
// systemd-nspawn, the program is copied in, and a person and then root install
// it, watch it survive a kill, and remove it again. The add-on of packaging/kodi
// goes through its life there, with a stand-in for what LibreELEC's Kodi does.
//
// It promises to leave nothing behind on the machine that runs it, and that a
// wrong unit, a lost restart or a lingering file fails it.
//
// It refuses to run where it cannot: it needs root, systemd-nspawn, and two
// variables, FILMSPOOL_NSPAWN_ROOT (a tar of a root file system with systemd,
// dbus, libpam-systemd and procps) and FILMSPOOL_BINARY (the program, built
// without cgo); the add-on's test FILMSPOOL_ADDON too, the folder that its
// archives were packed into. ".ci/run" makes them all; without them the tests
// are skipped.
package test
