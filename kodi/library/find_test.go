package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
)

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// make121 and make131 put an empty library into a userdata folder.
func make121(t *testing.T, dir string) { makeLibrary(t, dir, 121) }
func make131(t *testing.T, dir string) { makeLibrary(t, dir, 131) }

func makeLibrary(t *testing.T, dir string, version int) {
	t.Helper()
	sim, err := kodisim.Create(dir, version)
	ok(t, err)
	ok(t, sim.Close())
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	ok(t, os.MkdirAll(filepath.Join(dir, "Database"), 0o755))
	ok(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o644))
}

// touch says when a file of the Database folder changed, in minutes.
func touch(t *testing.T, dir, name string, minute int) {
	t.Helper()
	at := time.Date(2026, 3, 1, 20, minute, 0, 0, time.UTC)
	ok(t, os.Chtimes(filepath.Join(dir, "Database", name), at, at))
}

type findCase struct {
	make    func(t *testing.T, dir string)
	version int
	err     error
}

func TestFind(t *testing.T) {
	for _, cases := range []map[string]findCase{singleFiles(), twoFiles(), halfFiles()} {
		for name, test := range cases {
			t.Run(name, test.run)
		}
	}
}

func (c findCase) run(t *testing.T) {
	dir := t.TempDir()
	c.make(t, dir)
	got, err := library.Find(dir)
	if !errors.Is(err, c.err) {
		t.Fatalf("got error %v, want %v", err, c.err)
	}
	if got.Version != c.version {
		t.Errorf("got %d, want %d", got.Version, c.version)
	}
	if err == nil && filepath.Dir(got.Path) != filepath.Join(dir, "Database") {
		t.Errorf("got %s", got.Path)
	}
}

// singleFiles are folders with one library at most.
func singleFiles() map[string]findCase {
	return map[string]findCase{
		"no folder":  {func(*testing.T, string) {}, 0, library.ErrNotFound},
		"no library": {func(t *testing.T, dir string) { write(t, dir, "Database/Textures13.db", "") }, 0, library.ErrEmpty},
		"names that are none": {func(t *testing.T, dir string) {
			for _, name := range []string{"MyVideos.db", "MyVideosX.db", "MyVideos12a.db", "MyVideos121.db-journal", "MyMusic82.db", "MyVideos999999.db"} {
				write(t, dir, "Database/"+name, "x")
			}
		}, 0, library.ErrEmpty},
		"one": {make121, 121, nil},
		"MySQL for music alone": {func(t *testing.T, dir string) {
			make121(t, dir)
			write(t, dir, "advancedsettings.xml", `<advancedsettings><musicdatabase><type>mysql</type></musicdatabase></advancedsettings>`)
		}, 121, nil},
		"settings that Kodi cannot read": {func(t *testing.T, dir string) {
			make121(t, dir)
			write(t, dir, "advancedsettings.xml", "<advancedsettings><videodatabase><type>mysql")
		}, 121, nil},
	}
}

// twoFiles are folders with an old and a new library.
func twoFiles() map[string]findCase {
	return map[string]findCase{
		"after an upgrade": {func(t *testing.T, dir string) {
			make121(t, dir)
			make131(t, dir)
			touch(t, dir, "MyVideos121.db", 1)
			touch(t, dir, "MyVideos131.db", 2)
		}, 131, nil},
		"after a downgrade": {func(t *testing.T, dir string) {
			make121(t, dir)
			make131(t, dir)
			touch(t, dir, "MyVideos121.db", 2)
			touch(t, dir, "MyVideos131.db", 1)
		}, 121, nil},
		"changed at once": {func(t *testing.T, dir string) {
			make121(t, dir)
			make131(t, dir)
			touch(t, dir, "MyVideos121.db", 1)
			touch(t, dir, "MyVideos131.db", 1)
		}, 131, nil},
		"a change that is in the WAL": {func(t *testing.T, dir string) {
			make121(t, dir)
			make131(t, dir)
			touch(t, dir, "MyVideos121.db", 1)
			touch(t, dir, "MyVideos131.db", 2)
			write(t, dir, "Database/MyVideos121.db-wal", "stale")
			touch(t, dir, "MyVideos121.db-wal", 3)
		}, 121, nil},
	}
}

// halfFiles are folders in which something is not whole.
func halfFiles() map[string]findCase {
	return map[string]findCase{
		"an empty WAL, as reading makes it": {func(t *testing.T, dir string) {
			make121(t, dir)
			make131(t, dir)
			touch(t, dir, "MyVideos121.db", 1)
			touch(t, dir, "MyVideos131.db", 2)
			write(t, dir, "Database/MyVideos121.db-wal", "")
			touch(t, dir, "MyVideos121.db-wal", 3)
		}, 131, nil},
		"an upgrade under way": {func(t *testing.T, dir string) {
			sim, err := kodisim.Create(dir, 121)
			ok(t, err)
			defer sim.Close()
			_, err = sim.BeginUpgrade()
			ok(t, err)
			touch(t, dir, "MyVideos121.db", 1)
		}, 0, library.ErrUpgrading},
		"an upgrade given up": {func(t *testing.T, dir string) {
			sim, err := kodisim.Create(dir, 121)
			ok(t, err)
			defer sim.Close()
			_, err = sim.BeginUpgrade()
			ok(t, err)
			touch(t, dir, "MyVideos131.db", 1)
			touch(t, dir, "MyVideos121.db", 2)
		}, 121, nil},
		"a file just made": {func(t *testing.T, dir string) {
			make121(t, dir)
			touch(t, dir, "MyVideos121.db", 1)
			write(t, dir, "Database/MyVideos131.db", "")
		}, 0, library.ErrUpgrading},
		"a damaged file is not passed over": {func(t *testing.T, dir string) {
			make121(t, dir)
			touch(t, dir, "MyVideos121.db", 1)
			write(t, dir, "Database/MyVideos131.db", "this is no database, however long it may be, and never was")
		}, 0, library.ErrNotDatabase},
	}
}

// TestAnnouncementsPort: it is Kodi's usual one, unless its settings say another.
func TestAnnouncementsPort(t *testing.T) {
	port := func(n string) string {
		return "<advancedsettings><jsonrpc><tcpport> " + n + " </tcpport></jsonrpc></advancedsettings>"
	}
	for text, want := range map[string]string{
		"": "9090", port("9191"): "9191", port("0"): "9090", port("65536"): "9090", port("-1"): "9090", port("@"): "9090",
		"<advancedsettings><jsonrpc><tcpport>9191": "9090",
	} {
		main := t.TempDir()
		if text != "" {
			write(t, main, "advancedsettings.xml", text)
		}
		for _, userdata := range []string{main, filepath.Join(main, "profiles", "Ann")} {
			if got := library.AnnouncementsPort(userdata); got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
	}
}
