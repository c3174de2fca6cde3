package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/realkodi"
)

// startMaria starts the server program that FILMSPOOL_MARIADB names, on
// loopback and with a folder of its own, and gives its port and socket.
func startMaria(t *testing.T) (port, socket string) {
	t.Helper()
	program := os.Getenv("FILMSPOOL_MARIADB")
	if program == "" {
		t.Skip("needs a MariaDB; FILMSPOOL_MARIADB names its server program")
	}
	dir, err := os.MkdirTemp("", "maria") // short: a socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "s")
	if said, err := exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free now
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.Command(program, "--no-defaults", "--datadir="+data, "--socket="+socket, "--bind-address=127.0.0.1", "--port="+port, "--user=root", "--innodb-buffer-pool-size=32M")
	words, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	var said strings.Builder
	for lines := bufio.NewScanner(io.TeeReader(words, &said)); lines.Scan(); {
		if strings.Contains(lines.Text(), "ready for connections") {
			go io.Copy(io.Discard, words)
			return port, socket
		}
	}
	t.Fatalf("the server ended: %s", &said)
	return "", ""
}

// TestRealKodiOnAServer plays a film in a real Kodi that keeps its library on
// a real MariaDB.
func TestRealKodiOnAServer(t *testing.T) {
	realkodi.Require(t)
	port, socket := startMaria(t)
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
