// Package test proves the units, "filmspool service" and the packages on a real
// systemd, and the service and the package for Alpine Linux under a real OpenRC
// and SysV init.
//
// It owns no code that ships: a throw-away Debian is booted with
// systemd-nspawn, the program is copied in, and a person and then root install
// it, watch it survive a kill, and remove it again. The add-on of packaging/kodi
// goes through its life there, with a stand-in for what LibreELEC's Kodi does.
// And somebody types into such a machine what the README says, command by
// command.
//
// The programs for other processors run here, under qemu's emulators, and the
// container image in a root folder of its own. The program for Windows and its
// installers run in Wine, which has no list of what to do when a service fails:
// that it is set is not seen there, nor that Windows acts on it.
//
// Both Debian 12's and 13's systemd are tried: what a service may not do within
// the walls of its unit, Kodi's folder seen through them, a kill, a hang, a crash
// loop, and the machine switched off and on. Each machine has control groups of
// its own.
//
// It promises to leave nothing behind on the machine that runs it, and that a
// wrong unit, a lost restart or a lingering file fails it.
//
// It refuses to run where it cannot: it needs root, systemd-nspawn, and two
// variables, FILMSPOOL_NSPAWN_ROOT (a tar of a root file system with systemd,
// dbus, libpam-systemd and procps) and FILMSPOOL_BINARY (the program, built
// without cgo). The add-on's test needs FILMSPOOL_ADDON too, the folder that
// its archives were packed into; that of the README FILMSPOOL_DEB, in the folder
// of a whole release. Those of the packages need the two that they upgrade
// between: FILMSPOOL_DEB and FILMSPOOL_OLD_DEB, FILMSPOOL_RPM and
// FILMSPOOL_OLD_RPM, FILMSPOOL_ARCH and FILMSPOOL_OLD_ARCH, the latter with rpm
// and pacman in the root file system; and FILMSPOOL_APK. Root file systems with
// other inits are FILMSPOOL_OPENRC_ROOT (openrc and procps) and
// FILMSPOOL_SYSV_ROOT (sysvinit-core, sysv-rc and procps). TestOtherProcessors
// needs FILMSPOOL_BINARY and FILMSPOOL_PROGRAMS, a folder in which a release's
// archives for Linux were unpacked; the container's tests need FILMSPOOL_IMAGE,
// an archive of the OCI's form. TestExeInWine needs
// FILMSPOOL_WINE_ROOT (a root file system with wine64 and xvfb), FILMSPOOL_EXE
// (the program), FILMSPOOL_MSI and FILMSPOOL_SETUP, and older ones of both,
// FILMSPOOL_OLD_MSI and FILMSPOOL_OLD_SETUP. ".ci/run" makes them all; without
// them the tests are skipped.
package test
