package test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Where the two installers put the program.
const (
	msiProgram   = `C:\Program Files\Filmspool\filmspool.exe`
	setupFolder  = `C:\users\kid\AppData\Local\Programs\Filmspool\`
	setupProgram = setupFolder + "filmspool.exe"
)

// installers takes both through install, upgrade and removal, with something
// waiting in each queue.
func (w *wine) installers() {
	w.t.Helper()
	for name, variable := range map[string]string{
		"old.msi": "FILMSPOOL_OLD_MSI", "new.msi": "FILMSPOOL_MSI", "old.exe": "FILMSPOOL_OLD_SETUP", "new.exe": "FILMSPOOL_SETUP",
	} {
		file := os.Getenv(variable)
		if file == "" {
			w.t.Skip(variable + " is not set; see the package comment")
		}
		must(w.t, exec.CommandContext(w.t.Context(), "install", "-m", "755", file, w.path(wineDrive+name)))
	}
	wants(w.t, "chromium")
	w.screen()
	w.browserOfWindows()
	w.msi()
	w.setup()
	// The program has nothing to do with what follows.
	for _, folder := range []string{wineData, wineLocal} {
		if err := os.RemoveAll(w.path(folder)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// screen starts a screen that nobody sees: Windows' own installer wants one.
func (w *wine) screen() {
	w.t.Helper()
	w.run("", "install", "-d", "-m", "1777", "/tmp/.X11-unix")
	w.background("screen", "Xvfb", ":9", "-screen", "0", "640x480x24")
	eventually(w.t, "screen", 30*time.Second, func() bool { return w.display() != "" })
}

// windows runs a program of Windows, which has to succeed.
func (w *wine) windows(words ...string) string {
	w.t.Helper()
	out, err := w.start(2*time.Minute, "", append([]string{"wine"}, words...)...)
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return out
}

// runs waits for a service that runs and has one viewing waiting, and fails
// unless it is of that version.
func (w *wine) runs(program, version string, flags ...string) {
	w.t.Helper()
	var out string
	eventually(w.t, program+" "+version, 30*time.Second, func() bool {
		out, _ = w.start(time.Minute, "", append(append([]string{"wine", program}, flags...), "service", "status")...)
		return strings.HasPrefix(out, "running") && strings.Contains(out, "version "+version)
	})
	if out := w.windows(append(append([]string{program}, flags...), "queue", "list")...); strings.Count(out, "603") != 1 {
		w.t.Errorf("waiting: %s", out)
	}
}

// gone fails if something of the machine is still there.
func (w *wine) gone(name string) {
	w.t.Helper()
	if _, err := os.Stat(w.path(name)); !errors.Is(err, fs.ErrNotExist) {
		w.t.Errorf("%s is still there: %v", name, err)
	}
}

// msi is the package for the machine, with its service.
func (w *wine) msi() {
	w.t.Helper()
	const folder = wineDrive + "Program Files/Filmspool"
	path := func() string {
		return w.windows("reg", "query", `HKLM\System\CurrentControlSet\Control\Session Manager\Environment`, "/v", "PATH")
	}
	w.windows("msiexec", "/i", `C:\old.msi`, "/qn")
	if !strings.Contains(path(), `C:\Program Files\Filmspool`) {
		w.t.Errorf("the program is not on the PATH: %s", path())
	}
	w.opensBy(msiProgram, w.chooses)
	w.windows(msiProgram, "service", "uninstall")
	w.windows(msiProgram, "--system", "service", "install")
	w.windows(msiProgram, "--system", "service", "start")
	w.windows(msiProgram, "--system", "add", "movie", "603")
	w.runs(msiProgram, "0.0.1", "--system")

	// What Windows does for an upgrade, step by step: Wine removes the older one
	// without the word that makes it leave the service.
	w.windows("msiexec", "/x", `C:\old.msi`, "/qn", "UPGRADINGPRODUCTCODE=1")
	w.want("stopped", "--system")
	w.windows("msiexec", "/i", `C:\new.msi`, "/qn", "WIX_UPGRADE_DETECTED=1")
	w.runs(msiProgram, "0.1.0", "--system")
	w.there(here(entry))
	if out, err := w.start(time.Minute, "", "wine", "msiexec", "/i", `C:\old.msi`, "/qn"); err == nil {
		w.t.Errorf("an older package took the place of a newer one: %s", out)
	}
	w.runs(msiProgram, "0.1.0", "--system")

	w.windows("msiexec", "/x", `C:\new.msi`, "/qn")
	w.gone(folder)
	w.gone(here(entry))
	if strings.Contains(path(), `Filmspool`) {
		w.t.Errorf("the program is still on the PATH: %s", path())
	}
	w.want("not installed", "--system")
	w.there(wineData + "filmspool.db")
}

// setup is the installer for one person, which starts the program.
func (w *wine) setup() {
	w.t.Helper()
	w.windows(`C:\old.exe`, "/S")
	w.firstRun()
	w.opensBy(setupProgram, w.chooses)
	w.windows(setupProgram, "add", "movie", "603")
	w.runs(setupProgram, "0.0.1")

	w.windows(`C:\new.exe`, "/S")
	w.runs(setupProgram, "0.1.0")
	w.there(here(entry))

	w.windows(setupFolder+"uninstall.exe", "/S")
	// It goes on by itself: a program cannot remove the file that it runs from.
	eventually(w.t, "removal", time.Minute, func() bool {
		_, err := os.Stat(w.path(wineLocal + "../Programs/Filmspool"))
		return errors.Is(err, fs.ErrNotExist)
	})
	w.gone(here(entry))
	w.want("not installed")
	w.there(wineLocal + "filmspool.db")
}
