// Package service puts Filmspool under the care of the machine's service
// manager: install, uninstall, start, stop, restart and an honest status.
//
// It owns the way to each manager, with the texts of package packaging. A
// service belongs to one person unless [Options].System is set; that one runs
// as a user of its own, or as [Options].User. On Windows, where nobody reads
// what a service writes, it owns the log: two files of 5 MB at most in the state
// folder. Launchd, OpenRC and SysV init append to one file for ever; it is emptied
// at 5 MB ([BoundLog]). It also owns what a program says back to its manager:
// [Notify], [WatchdogInterval], [Run].
//
// There are two backends. The files systemd and unit hold the one for systemd,
// which is asked and told directly. The file kardianos holds the one for all other
// managers. With it, each verb of kardianos/service may be said twice. It also
// waits, and asks the program. Launchd and the inits that read scripts are a
// [filed], the machine's service on Windows is an [scm]. Windows has no manager for
// one person's programs, so there the Run key of the registry starts a process that
// starts the program again.
//
// It promises that every verb may be said twice, that a failed install leaves
// nothing behind, and that uninstall stops first. A service that keeps crashing
// is never called running, where the program can be asked. Errors often carry a
// command to type next: see [Error].
//
// It refuses to know what the program does, to keep settings, and to pretend:
// where no manager runs, [New] fails with [ErrNoManager].
//
// Systemd has a backend of its own because it can tell more than
// kardianos/service v1.3.0 asks for, or does:
//   - why a service did not start, and in which state it is: a crash loop is
//     "running" for kardianos;
//   - what its tools wrote, and what stands in the journal;
//   - whether it takes a new unit, before that replaces the old one;
//   - whether it reads our unit or a package's, and who has to stay logged in.
//
// Own code stands beside kardianos/service for these reasons, each held by a
// test in packaging/test on a real manager:
//   - It starts a Windows service only where it can tell who started the process;
//     [HostFlag] says so everywhere. It also calls a service running before that
//     is ready. (TestExeInWine)
//   - On Windows it tells no process, and returns from a stop before the process
//     has let go of the program's file. (TestExeInWine)
//   - Its links start nothing at boot under SysV init on a Debian, and stay when
//     the service goes. (TestServiceOnSysV)
//   - OpenRC calls a service "started" between two crashes. (TestServiceOnOpenRC)
//   - It replaces no script, and removes a package's. (TestApkOnOpenRC)
//
// Launchd was never seen: no Mac was at hand. What differs there stands in two
// places. It starts whatever ends with a fault again every ten seconds, so a
// wrong configuration ends with 0: see [ExitCode]. And kardianos/service cannot
// tell a stop from such an end, so the log decides; see [filed].
package service
