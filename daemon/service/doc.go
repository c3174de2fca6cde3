// Package service puts Filmspool under the care of the machine's service
// manager: install, uninstall, start, stop, restart and an honest status.
//
// A service belongs to one person unless [Options].System is set; that one runs
// as a user of its own, or as [Options].User. Systemd is asked and told directly
// (systemd_linux.go). Launchd and the Windows service manager go through
// kardianos/service (kardianos.go). Windows has no manager for one person's
// programs, so there the Run key of the registry starts a process that starts the
// program again. Where none of these runs, [New] fails with [ErrNoManager].
//
// Every verb may be said twice, a failed install leaves nothing behind, and
// uninstall stops first. A service that keeps crashing is never called running,
// where the program can be asked. Errors often carry a command to type next: see
// [Error]. Where the manager keeps no log, the package keeps one of at most 5 MB.
//
// Launchd was never seen: no Mac was at hand. It starts whatever ends with a fault
// again every ten seconds, so a wrong configuration ends with 0: see [ExitCode].
package service
