package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// make121 and make131 create an empty library in a userdata folder.
func make121(t *testing.T, dir string) { makeLibrary(t, dir, 121) }
func make131(t *testing.T, dir string) { makeLibrary(t, dir, 131) }

func makeLibrary(t *testing.T, dir string, version int) {
	t.Helper()
	ok(t, kodisim.Create(dir, version).Close())
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	ok(t, os.MkdirAll(filepath.Join(dir, "Database"), 0o755))
	ok(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o644))
}

// TestFind: the file that changed last is used. Files are given as NAME@MINUTE and created in order: 121
// and 131 are libraries, 131+ is an unfinished upgrade of 121, and others are text files.
func TestFind(t *testing.T) {
	for name, test := range map[string]struct {
		files   string
		version int
		err     error
	}{
		"no library":          {"Textures13.db@1", 0, library.ErrEmpty},
		"other names":         {"MyVideos.db@1 MyVideosX.db@1 MyVideos12a.db@1 MyVideos121.db-journal@1 MyMusic82.db@1 MyVideos999999.db@1", 0, library.ErrEmpty},
		"one":                 {"121@1", 121, nil},
		"after an upgrade":    {"121@1 131@2", 131, nil},
		"after a downgrade":   {"121@2 131@1", 121, nil},
		"changed together":    {"121@1 131@1", 131, nil},
		"a change in the WAL": {"121@1 131@2 MyVideos121.db-wal@3", 121, nil},
		"an empty WAL":        {"121@1 131@2 empty/MyVideos121.db-wal@3", 131, nil},
		"unfinished upgrade":  {"121@1 131+@2", 131, library.ErrUpgrading},
		"abandoned upgrade":   {"121@2 131+@1", 121, nil},
		"a file just made":    {"121@1 empty/MyVideos131.db@2", 131, library.ErrUpgrading},
		"a damaged file":      {"121@1 MyVideos131.db@2", 131, library.ErrNotDatabase},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for word := range strings.FieldsSeq(test.files) {
				file, minute, _ := strings.Cut(word, "@")
				switch file {
				case "121":
					make121(t, dir)
					file = "MyVideos121.db"
				case "131":
					make131(t, dir)
					file = "MyVideos131.db"
				case "131+":
					file = "MyVideos131.db"
					old := kodisim.Open(filepath.Join(dir, "Database", "MyVideos121.db"))
					old.Do(`vacuum into ?`, filepath.Join(dir, "Database", file))
					ok(t, old.Close())
				default:
					file, empty := strings.CutPrefix(file, "empty/")
					write(t, dir, "Database/"+file, map[bool]string{false: "this is no database, however long it may be, and never was"}[empty])
				}
				n, _ := strconv.Atoi(minute)
				at := time.Date(2026, 3, 1, 20, n, 0, 0, time.UTC)
				ok(t, os.Chtimes(filepath.Join(dir, "Database", strings.TrimPrefix(file, "empty/")), at, at))
			}
			got, err := library.Find(dir)
			if err == nil {
				err = got.Check(t.Context())
			}
			if !errors.Is(err, test.err) || got.Version != test.version {
				t.Errorf("got %d, %v, want %d, %v", got.Version, err, test.version, test.err)
			}
		})
	}
	if _, err := library.Find(t.TempDir()); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("without a folder: %v", err)
	}
}

// TestAnnouncementsPort: the port is Kodi's default unless the settings have a valid one.
func TestAnnouncementsPort(t *testing.T) {
	for port, want := range map[string]string{"": "9090", " 9191 ": "9191", "0": "9090", "65536": "9090", "-1": "9090"} {
		main := t.TempDir()
		write(t, main, "advancedsettings.xml", "<advancedsettings><jsonrpc><tcpport>"+port+"</tcpport></jsonrpc></advancedsettings>")
		if got := library.AnnouncementsPort(filepath.Join(main, "profiles", "Ann")); got != want {
			t.Errorf("%s: %s, want %s", port, got, want)
		}
	}
}
