package main

import (
	"database/sql"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/viewing"
)

// userdata is a path in the folder of a Kodi.
func (s *sick) userdata(names ...string) string {
	return filepath.Join(append([]string{s.dir, ".kodi", "userdata"}, names...)...)
}

// kodi makes a library.
func (s *sick) kodi() {
	s.t.Helper()
	sim, err := kodisim.Create(s.userdata(), 131)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { sim.Close() })
	s.sim = sim
}

// watches has the program watch that library, in UTC.
func (s *sick) watches() {
	s.t.Helper()
	s.config("[[kodi.libraries]]\nuserdata = %q\ntime_zone = \"UTC\"\n", s.userdata())
}

// shelf adds a film to the library.
func (s *sick) shelf(n int) kodisim.Ref {
	s.t.Helper()
	ref, err := s.sim.AddFilm(kodisim.Film{
		Title: fmt.Sprint("Film ", n), IDs: viewing.IDs{TMDB: int64(n)}, Path: fmt.Sprintf("/media/films/%d.mkv", n),
	}, time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return ref
}

// mendedLibraries are about Kodi libraries that cannot be read, or only now and then.
func mendedLibraries() []mended {
	return []mended{
		{code: health.LibraryMissing, asks: true, show: func(s *sick) {
			s.watches()
			s.well()
		}, mend: func(s *sick, p control.Problem) { s.kodi(); s.obeys(p) }},
		{code: health.LibraryDenied, show: func(s *sick) {
			s.unprivileged()
			s.kodi()
			s.mode(s.userdata("Database"), 0)
			s.watches()
			s.well()
		}, mend: func(s *sick, p control.Problem) {
			s.mode(s.userdata("Database"), 0o700)
			s.obeys(p)
		}},
		{code: health.LibraryAway, asks: true, show: func(s *sick) {
			s.kodi()
			nobody, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				s.t.Fatal(err)
			}
			nobody.Close()
			_, port, _ := net.SplitHostPort(nobody.Addr().String())
			s.write(s.userdata("advancedsettings.xml"), "<advancedsettings><videodatabase><type>mysql</type><host>127.0.0.1</host><port>"+port+
				"</port><user>kodi</user><pass>kodi</pass></videodatabase></advancedsettings>")
			s.watches()
			s.well()
		}, mend: func(s *sick, p control.Problem) {
			s.remove(s.userdata("advancedsettings.xml"))
			s.obeys(p)
		}},
		{code: "source", show: func(s *sick) {
			s.write(s.userdata("Database", "MyVideos131.db"), "no database at all")
			s.watches()
			s.well()
		}, mend: func(s *sick, p control.Problem) {
			s.remove(s.userdata("Database", "MyVideos131.db"))
			s.kodi()
			s.obeys(p)
		}},
		{code: health.WatchLimit, show: func(s *sick) {
			s.kodi()
			s.watches()
			s.login()
			s.wrap = []string{"unshare", "--user", "--map-root-user", "sh", "-c", `echo 0 > /proc/sys/user/max_inotify_watches && exec "$@"`, "sh"}
			may := exec.Command(s.wrap[0], append(slices.Clone(s.wrap[1:]), "true")...).Run() == nil
			needs(s.t, may, "a name space of its own, to lower the limit there alone")
			s.runs()
		}, mend: func(s *sick, _ control.Problem) {
			as(s.t, "nsenter", "--user", "--preserve-credentials", "--target", fmt.Sprint(s.daemon.cmd.Process.Pid),
				"sh", "-c", "echo 1000 > /proc/sys/user/max_inotify_watches")
		}},
		{code: health.LibraryDeaf, show: func(s *sick) {
			s.kodi()
			films := []kodisim.Ref{s.shelf(1), s.shelf(2)}
			s.watches()
			s.login()
			s.afar(s.userdata())
			s.runs()
			s.until("the library", func() bool { return strings.Contains(s.try("status"), "2 films") })
			for i, film := range films {
				if err := s.sim.Play(film, time.Now().UTC()); err != nil {
					s.t.Fatal(err)
				}
				s.within(aLook, "the playback", func() bool { return strings.Contains(s.try("status", "--json"), fmt.Sprintf(`"delivered": %d,`, i+1)) })
			}
		}, mend: func(s *sick, _ control.Problem) {
			s.wrap = nil // on the machine that holds the library
			s.again()
		}},
		{code: health.LibraryClock, show: func(s *sick) {
			s.kodi()
			films := []kodisim.Ref{s.shelf(1), s.shelf(2), s.shelf(3)}
			s.last = s.shelf(4)
			s.watches()
			s.well()
			s.until("the library", func() bool { return strings.Contains(s.try("status"), "4 films") })
			for i, film := range films {
				if err := s.sim.Play(film, time.Now().UTC().Add(3*time.Hour)); err != nil {
					s.t.Fatal(err)
				}
				s.until("the playback", func() bool { return strings.Contains(s.try("status", "--json"), fmt.Sprintf(`"held": %d,`, i+1)) })
			}
		}, mend: func(s *sick, _ control.Problem) {
			if err := s.sim.Play(s.last, time.Now().UTC()); err != nil {
				s.t.Fatal(err)
			}
		}},
	}
}

// afar has the program see a folder as another machine would, where that folder is on a
// drive for both: changes come there without an event. The upper layer stays empty, since
// the program only reads.
func (s *sick) afar(folder string) {
	s.t.Helper()
	layers := s.t.TempDir()
	mount := fmt.Sprintf("mount -t overlay overlay -o lowerdir=%s,upperdir=%s/upper,workdir=%[2]s/work %[1]s", folder, layers)
	made := fmt.Sprintf("mkdir -p %s/upper %[1]s/work && %s && ", layers, mount)
	s.wrap = []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", made + `exec "$@"`, "sh"}
	may := exec.Command(s.wrap[0], append(slices.Clone(s.wrap[1:]), "true")...).Run() == nil
	needs(s.t, may, "a name space of its own, to see a folder through an overlay there alone")
}

// mendedAddOns are about add-ons of a Kodi that tell, or write, what Filmspool tells.
func mendedAddOns() []mended {
	with := func(id, settings string) func(*sick) {
		return func(s *sick) {
			s.kodi()
			s.write(filepath.Join(s.dir, ".kodi", "addons", id, "addon.xml"), "<addon/>")
			if settings != "" {
				s.write(s.userdata("addon_data", id, "settings.xml"), fmt.Sprintf(settings, s.server.URL))
			}
			s.addons(id, true)
			s.watches()
			s.well()
		}
	}
	off := func(id string) func(*sick, control.Problem) {
		return func(s *sick, _ control.Problem) { s.addons(id, false) }
	}
	return []mended{
		{
			code: health.LibraryReporter, mend: off("script.tracker"),
			show: with("script.tracker", "<settings><setting id=\"url\">%s/api/v1</setting></settings>"),
		},
		{code: health.LibraryWriter, show: with("script.trakt", ""), mend: off("script.trakt")},
	}
}

// addons has Kodi write down whether an add-on is turned on.
func (s *sick) addons(id string, on bool) {
	s.t.Helper()
	db, err := sql.Open("sqlite", s.userdata("Database", "Addons33.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"CREATE TABLE IF NOT EXISTS installed (addonID TEXT UNIQUE, enabled BOOLEAN)",
		fmt.Sprintf("INSERT INTO installed VALUES ('%s', %t) ON CONFLICT DO UPDATE SET enabled = excluded.enabled", id, on),
	} {
		if _, err := db.Exec(statement); err != nil {
			s.t.Fatal(err)
		}
	}
}
