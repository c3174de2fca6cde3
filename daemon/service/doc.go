// Package service puts Filmspool under the care of the machine's service
// manager: install, uninstall, start, stop, restart and an honest status.
//
// It owns the way to systemd, launchd, OpenRC, SysV init and procd, which it
// speaks to itself with the texts of package packaging; to the Windows service
// manager and, for one person there, to the Run key of the registry, with a
// process that starts the program again where no manager does; and, through
// kardianos/service, the way to the rest. A service belongs to one person
// unless [Options].System is set; that one runs as a user of its own, or as
// [Options].User. On Windows, where nobody reads what a service writes, it owns
// the log: two files of 5 MB at most in the state folder. It also owns what a
// program says back to its manager: [Notify], [WatchdogInterval], [Run].
//
// It promises that every verb may be said twice, that a failed install leaves
// nothing behind, that uninstall stops first, and that a service which keeps
// crashing is never called running. Errors carry what the manager's tools
// wrote, and often a command to type next: see [Error].
//
// It refuses to know what the program does, to keep settings, and to pretend:
// where no manager runs, [New] fails with [ErrNoManager].
//
// Why not kardianos/service for Windows: it goes by who started the process,
// which it cannot tell everywhere; sets no way back from a failure; runs the
// service as LocalSystem; and waits neither for a start nor for a removal.
//
// Why not kardianos/service for systemd too: its version 1.3.0 has user
// services wanted by a target that user managers lack, so they never start;
// reports a crash loop as running; hides what systemctl wrote; leaves an empty
// unit when it fails; and leaves the program running when it uninstalls.
//
// Nor for the inits that read scripts: under SysV init and procd it runs the
// program as root without the folders it needs, and believes OpenRC, which
// calls a program "started" that is dead for the seconds between two crashes.
//
// Nor for launchd: there it says "launchctl load" and "unload", which newer
// macOS answers with an input/output error. Here it is bootstrap, bootout
// and print, as launchctl(1) has them. No Mac was at hand: the tests' stand-in
// behaves as the manuals and other projects' reports say.
//
// Two things differ there. A person's service belongs to the login on the
// screen; over SSH without one it runs until the machine goes down, or waits
// for the next login. And launchd starts whatever ends with a fault again every
// ten seconds, so a wrong configuration ends with 0: see [ExitCode].
package service
