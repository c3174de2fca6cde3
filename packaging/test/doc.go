// Package test proves the units, "filmspool service" and the packages on real service
// managers: systemd, OpenRC and SysV init.
//
// It owns no code that ships. A throw-away Debian is booted with systemd-nspawn and
// gets the program. A person and then root install it there, watch it survive a
// kill, and remove it again. The add-on of packaging/kodi goes through its life there,
// with a stand-in for what LibreELEC's Kodi does. One test types into such a machine
// what the pages say, command by command. Another one types nothing: it clicks from
// the menu to a delivered episode, in a Chromium beside the machine.
//
// Debian 12's and 13's systemd are tried. The tests look at what the walls of a unit
// forbid, and at Kodi's folder seen through them. They kill the program, hang it, let
// it crash in a loop, and switch the machine off and on. Each machine has control
// groups of its own.
//
// The programs for other processors run under qemu's emulators, and the container
// image in a root folder of its own. The program for Windows and its installers run in
// Wine. There, too, a test comes from the start menu to a delivered episode by clicks
// alone. The last page of the setup is only compiled. Wine has no list of what to do
// when a service fails, so that part is not seen.
//
// It promises to leave nothing behind on the machine that runs it. A wrong unit, a
// lost restart or a lingering file fails it.
//
// It refuses to run where it cannot: it needs root and systemd-nspawn, and for the first
// run Chromium, Node.js and xdg-open. ".ci/run" makes what these variables name;
// without them the tests are skipped.
//
//	FILMSPOOL_BINARY           the program, built without cgo
//	FILMSPOOL_NSPAWN_ROOT      tar of a root file system: systemd, dbus, libpam-systemd, procps
//	FILMSPOOL_OPENRC_ROOT      the same with openrc and procps
//	FILMSPOOL_SYSV_ROOT        the same with sysvinit-core, sysv-rc and procps
//	FILMSPOOL_WINE_ROOT        the same with wine64 and xvfb
//	FILMSPOOL_ADDON            the folder that the add-on's archives were packed into
//	FILMSPOOL_DEB, _OLD_DEB    two versions to upgrade between; the README wants the first
//	FILMSPOOL_RPM, _OLD_RPM    likewise, with rpm in the root file system
//	FILMSPOOL_ARCH, _OLD_ARCH  likewise, with pacman
//	FILMSPOOL_APK              the package for Alpine Linux
//	FILMSPOOL_PROGRAMS         a folder with the unpacked archives for Linux
//	FILMSPOOL_IMAGE            the container image, an archive of the OCI's form
//	FILMSPOOL_EXE              the program for Windows
//	FILMSPOOL_MSI, _OLD_MSI    its installers, and older ones
//	FILMSPOOL_SETUP, _OLD_SETUP
package test
