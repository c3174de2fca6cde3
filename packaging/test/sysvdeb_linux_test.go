package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDebOnSysV takes the package through its life on a Debian without
// systemd, where "filmspool service install" writes the script.
func TestDebOnSysV(t *testing.T) {
	s := sysV()
	tar, binary := os.Getenv(s.root), os.Getenv("FILMSPOOL_BINARY")
	older, newer := os.Getenv("FILMSPOOL_OLD_DEB"), os.Getenv("FILMSPOOL_DEB")
	if tar == "" || binary == "" || older == "" || newer == "" {
		t.Skipf("%s, FILMSPOOL_BINARY, FILMSPOOL_OLD_DEB or FILMSPOOL_DEB is not set; see the package comment", s.root)
	}
	root := unpack(t, tar, binary)
	if err := os.Remove(filepath.Join(root, program)); err != nil { // the package brings its own
		t.Fatal(err)
	}
	must(t, exec.CommandContext(t.Context(), "install", "-m", "644", older, filepath.Join(root, "srv/old.deb")))
	must(t, exec.CommandContext(t.Context(), "install", "-m", "644", newer, filepath.Join(root, "srv/new.deb")))
	i := s.boot(t, root)
	i.program = packaged

	i.apt("install", "/srv/old.deb")
	i.nothingRuns()
	i.apt("install", "/srv/new.deb") // which starts nothing either
	i.nothingRuns()
	i.apt("remove", "filmspool")
	i.apt("install", "/srv/old.deb")
	i.says(0, "installed", "--system", "service", "install")
	first := i.started()
	i.filmspool("", "add", "movie", "603", "--json")

	i.apt("install", "/srv/new.deb")
	if now := i.running(); now == first {
		t.Error("the old program still runs after the upgrade")
	}
	i.waits(1)

	i.apt("remove", "filmspool")
	i.nothingRuns()
	i.enabled(s, false)
	i.apt("purge", "filmspool")
	if left := i.run("", "sh", "-c", "find /etc /run /usr -name '*filmspool*' ! -path /etc/filmspool"); left != "" {
		t.Errorf("left behind: %s", left)
	}
	i.run("", "test", "-s", "/var/lib/filmspool/filmspool.db")
}
