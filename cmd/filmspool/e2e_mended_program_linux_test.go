package main

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
)

// mode gives a path rights.
func (s *sick) mode(path string, rights os.FileMode) {
	s.t.Helper()
	if err := os.Chmod(path, rights); err != nil {
		s.t.Fatal(err)
	}
}

// remove removes a file.
func (s *sick) remove(path string) {
	s.t.Helper()
	if err := os.Remove(path); err != nil {
		s.t.Fatal(err)
	}
}

// mendedPrograms are about the program, while nothing runs.
func mendedPrograms() []mended {
	rights := func(rights os.FileMode) func(*sick) {
		return func(s *sick) {
			s.login()
			s.mode(s.state(), rights)
		}
	}
	owner := func(s *sick, id int) {
		if os.Getuid() != 0 {
			s.t.Skip("needs root, to give a folder to somebody else")
		}
		if err := os.Chown(s.state(), id, id); err != nil {
			s.t.Fatal(err)
		}
	}
	return []mended{
		{code: health.ConfigInvalid, asks: true, show: func(s *sick) { s.config("listn = 5\n") }, mend: func(s *sick, p control.Problem) {
			s.config("")
			s.obeys(p)
		}},
		{code: health.StateDenied, asks: true, show: func(s *sick) {
			s.login()
			owner(s, 12345)
		}, mend: func(s *sick, _ control.Problem) { owner(s, 0) }},
		{code: health.StateChangeable, asks: true, show: rights(0o770), mend: obey},
		{code: health.StateOpen, asks: true, show: rights(0o750), mend: obey},
		{code: health.QueueUnread, asks: true, show: func(s *sick) {
			s.login()
			s.write(s.state("filmspool.db"), "no database any more, alas")
		}, mend: func(s *sick, _ control.Problem) { s.runs() }},
		{code: "notice", show: func(s *sick) {
			s.login()
			s.write(s.state("filmspool.db"), "no database any more, alas")
			s.runs()
		}, mend: obey},
	}
}

// mendedStarts are about whether the program runs and can be found.
func mendedStarts() []mended {
	return []mended{
		{code: health.NotRunning, asks: true, show: func(s *sick) { s.login() }, mend: func(s *sick, _ control.Problem) { s.runs() }},
		{code: health.ControlStale, asks: true, show: func(s *sick) {
			s.well()
			s.daemon.kill()
		}, mend: obey},
		{code: health.Silent, asks: true, show: func(s *sick) {
			s.well()
			s.remove(s.state("control.json"))
		}, mend: func(s *sick, _ control.Problem) { s.again() }},
		{code: health.PortTaken, asks: true, show: func(s *sick) {
			other, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				s.t.Fatal(err)
			}
			s.t.Cleanup(func() { other.Close() })
			s.env = append(s.env, "FILMSPOOL_LISTEN="+other.Addr().String())
			s.login()
			s.other = other
		}, mend: func(s *sick, _ control.Problem) { s.other.Close(); s.runs() }},
	}
}

// unprivileged runs the daemon without root's right to read and write what it may not.
func (s *sick) unprivileged() {
	if os.Getuid() == 0 {
		s.wrap = []string{"setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"}
	}
}

// on has the state folder on a small disk of its own.
func (s *sick) on(disk string) {
	s.place = filepath.Join(disk, "state")
	s.env = append(s.env, "FILMSPOOL_STATE_DIR="+s.place, "RUNTIME_DIRECTORY="+s.t.TempDir())
}

// mendedDisks are about the disk and the queue's file.
func mendedDisks() []mended {
	mounts := func(s *sick) {
		needs(s.t, os.Getuid() == 0, "root, to mount a small disk")
		s.on(small(s.t))
	}
	return []mended{
		{code: health.DiskFull, show: func(s *sick) {
			mounts(s)
			s.well()
			s.daemon.kill()
			s.do("", "resume") // leaves no log, which would have room to start in
			s.free = fill(s.t, filepath.Dir(s.place))
			s.runs()
		}, mend: func(s *sick, _ control.Problem) { s.free() }},
		{code: health.DiskReadOnly, show: func(s *sick) {
			mounts(s)
			s.well()
			s.stops()
			as(s.t, "mount", "--bind", "-o", "ro", s.place, s.place)
			s.t.Cleanup(func() { as(s.t, "umount", "--lazy", s.place) })
			s.runs()
		}, mend: func(s *sick, _ control.Problem) { as(s.t, "mount", "-o", "remount,bind,rw", s.place) }},
		{code: health.DiskLow, show: func(s *sick) {
			mounts(s)
			s.well()
		}, mend: func(s *sick, _ control.Problem) { as(s.t, "mount", "-o", "remount,size=300m", filepath.Dir(s.place)) }},
		{code: health.QueueUnwritable, show: func(s *sick) {
			s.well()
			db := s.database() // as another program would hold it
			tx, err := db.Begin()
			if err != nil {
				s.t.Fatal(err)
			}
			s.free = func() { _ = errors.Join(tx.Rollback(), db.Close()) }
			if out := s.try("add", "movie", "7"); !strings.Contains(out, "error: ") {
				s.t.Errorf("a queue that another program holds takes a film: %s", out)
			}
		}, mend: func(s *sick, _ control.Problem) {
			s.free()
			s.do("", "add", "movie", "7")
		}},
		{code: health.QueueGone, show: func(s *sick) {
			s.unprivileged()
			s.env = append(s.env, "RUNTIME_DIRECTORY="+s.t.TempDir())
			s.well()
			s.remove(s.state("filmspool.db"))
			s.mode(s.state(), 0o500)
		}, mend: func(s *sick, _ control.Problem) { s.mode(s.state(), 0o700) }},
	}
}
