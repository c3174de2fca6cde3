package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/realkodi"
)

// TestRealKodiOnAServer plays a film in a real Kodi that keeps its library on
// a real MariaDB.
func TestRealKodiOnAServer(t *testing.T) {
	realkodi.Require(t)
	port, socket := realkodi.StartServer(t, func(string) []string { return nil })
	ask := func(k *realkodi.Kodi, query string) {
		k.T.Helper()
		if said, err := exec.Command("mariadb", "--no-defaults", "--user=root", "--socket="+socket, "-e", query).CombinedOutput(); err != nil {
			k.T.Fatalf("%s: %v: %s", query, err, said)
		}
	}
	alive(t, 1, func(kodis ...*realkodi.Kodi) {
		k := kodis[0]
		ask(k, "drop database if exists MyVideos121; create user if not exists kodi identified by 's3same-0pen'; grant all on `MyVideos%`.* to kodi")
		k.Start()
		k.Stop()
		settings := fmt.Sprintf(`<advancedsettings><videodatabase><type>mysql</type><host>127.0.0.1</host><port>%s</port>
			<user>kodi</user><pass>s3same-0pen</pass></videodatabase></advancedsettings>`, port)
		if err := os.WriteFile(filepath.Join(k.Userdata(), "advancedsettings.xml"), []byte(settings), 0o644); err != nil {
			t.Fatal(err)
		}
		k.Again("America/New_York")
		ask(k, fmt.Sprintf(`insert into MyVideos121.path (strPath, strContent, strScraper, scanRecursive, useFolderNames, strSettings, noUpdate, exclude, allAudio)
			values ('%s/', 'movies', 'metadata.local', 2147483647, 0, '<settings version="2"></settings>', 0, 0, 0)`, k.Media("movies")))
		k.Scan(beta)
		w := newWatcher(t, k)
		defer w.end()
		w.watch(false)
		w.expect("the first scan", nil)

		from := time.Now()
		played(beta, 100)(k)
		k.Await("count", func() bool {
			details, _ := k.Call("VideoLibrary.GetMovieDetails", "movieid", k.Films()[beta], "properties", []string{"playcount"})["result"].(map[string]any)
			film, _ := details["moviedetails"].(map[string]any)
			return film["playcount"] == 1.0
		})
		to := time.Now()
		w.daemon.end(syscall.SIGTERM) // a server sends no events: a start is a look
		w.watch(false)
		w.expect("play", []string{"delivered Beta (2010)"})
		w.isTrue([]span{{from, to}})
	})
}
