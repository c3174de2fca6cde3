//go:build kodi

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// realKodi is a Kodi 20.1 with a small library, controlled by JSON-RPC. It needs root and
// Debian's packages kodi, kodi-bin, xvfb, xauth, libgl1-mesa-dri, libegl-mesa0, ffmpeg and
// sqlite3. Its methods fail t.
type realKodi struct {
	t     testing.TB
	dir   string // accessible to its user
	group string // of its processes

	port, announcements string
}

// kodiDied is the panic of a test whose Kodi has crashed: Kodi 20.1 sometimes aborts because of a
// deadlock.
type kodiDied struct{}

// mortal is a test that panics with kodiDied instead of failing after its Kodi has ended.
type mortal struct {
	testing.TB
	k *realKodi
}

func (m mortal) Fatal(args ...any) {
	m.Helper()
	m.k.checkAlive()
	m.TB.Fatal(args...)
}

func (m mortal) Fatalf(format string, args ...any) {
	m.Helper()
	m.Fatal(fmt.Sprintf(format, args...))
}

// checkAlive waits up to five seconds for the end of a Kodi that does not answer.
func (k *realKodi) checkAlive() {
	for range 50 {
		if k.gone() {
			panic(kodiDied{})
		}
		if _, err := k.request("JSONRPC.Ping", nil); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// withKodi runs do with a new Kodi, and reports false if Kodi crashed.
func withKodi(t *testing.T, do func(*realKodi)) (lived bool) {
	dir, err := os.MkdirTemp("", "filmspool-kodi-")
	must(t, err)
	defer os.RemoveAll(dir)
	must(t, os.Chmod(dir, 0o755))
	k := &realKodi{dir: dir}
	k.port, k.announcements = unusedPorts(t)
	k.t = mortal{t, k}
	defer func() {
		cause := recover()
		k.stop()
		switch cause.(type) {
		case nil:
		case kodiDied:
			log, _ := os.ReadFile(filepath.Join(dir, "kodi.log"))
			t.Logf("Kodi ended by itself. The end of its log:\n%s", log[max(0, len(log)-2000):])
		default:
			panic(cause)
		}
	}()
	k.install()
	k.launch()
	k.run("sqlite3", "-cmd", ".timeout 5000", k.database(), fmt.Sprintf(kodiSources, k.media("")))
	k.call("VideoLibrary.Scan")
	k.await("whole library", func() bool {
		return len(k.ids("GetMovies", "movies", "movieid", "label")) == 3 && len(k.ids("GetEpisodes", "episodes", "episodeid", "label")) == 1
	})
	do(k)
	return true
}

// unusedPorts returns two unused ports below the system's range of dynamic ports, so that no
// other program takes them before Kodi starts or while it restarts.
func unusedPorts(t testing.TB) (one, another string) {
	for port := 12000 + 2*rand.IntN(9000); port < 32000; port += 2 {
		a, err := new(net.ListenConfig).Listen(t.Context(), "tcp", fmt.Sprint(":", port))
		if err != nil {
			continue
		}
		b, err := new(net.ListenConfig).Listen(t.Context(), "tcp", fmt.Sprint(":", port+1))
		must(t, a.Close())
		if err == nil {
			must(t, b.Close())
			return fmt.Sprint(port), fmt.Sprint(port + 1)
		}
	}
	t.Fatal("every port is in use")
	return "", ""
}

func (k *realKodi) userdata() string { return filepath.Join(k.dir, "home", ".kodi", "userdata") }
func (k *realKodi) database() string {
	return filepath.Join(k.userdata(), "Database", "MyVideos121.db")
}
func (k *realKodi) media(path string) string { return filepath.Join(k.dir, "media", path) }

// kodiFiles are Kodi's settings and the files in its media folder.
var kodiFiles = map[string]string{
	"home/.kodi/userdata/sources.xml": `<sources><video><source><name>Movies</name><path>@MEDIA@/movies/</path></source>
		<source><name>TV</name><path>@MEDIA@/tv/</path></source></video></sources>`,
	"home/.kodi/userdata/guisettings.xml": `<settings version="2"><setting id="services.webserver">true</setting>
		<setting id="services.webserverport">@PORT@</setting><setting id="services.webserverauthentication">true</setting>
		<setting id="services.webserverusername">kodi</setting><setting id="services.webserverpassword">kodi</setting>
		<setting id="services.zeroconf">false</setting><setting id="general.addonupdates">2</setting>
		<setting id="locale.timezone">America/New_York</setting></settings>`,
	"home/.kodi/userdata/advancedsettings.xml": `<advancedsettings><jsonrpc><tcpport>@ANNOUNCEMENTS@</tcpport></jsonrpc></advancedsettings>`,
	"media/movies/Alpha One (1999)/Alpha One (1999).nfo": `<movie><title>Alpha One</title><year>1999</year>
		<uniqueid type="tmdb" default="true">603</uniqueid></movie>`,
	"media/movies/Beta (2010)/Beta (2010).nfo": `<movie><title>Beta</title><year>2010</year>
		<uniqueid type="tmdb" default="true">27205</uniqueid></movie>`,
	"media/movies/Epsilon (1972)/Epsilon (1972).nfo": `<movie><title>Epsilon</title><year>1972</year>
		<uniqueid type="tmdb" default="true">238</uniqueid><playcount>3</playcount><lastplayed>2019-02-03 21:10:00</lastplayed></movie>`,
	"media/tv/Show Red/tvshow.nfo": `<tvshow><title>Show Red</title><year>2008</year>
		<uniqueid type="tvdb" default="true">81189</uniqueid><uniqueid type="tmdb">1396</uniqueid></tvshow>`,
	"media/tv/Show Red/Season 01/Show Red S01E01.nfo": `<episodedetails><title>Part 1</title><season>1</season><episode>1</episode></episodedetails>`,
}

// kodiSources configures the folders to be scanned by their NFO files only.
const kodiSources = `insert into path (strPath, strContent, strScraper, scanRecursive, useFolderNames, strSettings, noUpdate, exclude, allAudio) values
	('%[1]s/movies/', 'movies', 'metadata.local', 2147483647, 0, '<settings version="2"></settings>', 0, 0, 0),
	('%[1]s/tv/', 'tvshows', 'metadata.local', 0, 0, '<settings version="2"></settings>', 0, 0, 0)`

// install puts Kodi's files in place, for a separate user.
func (k *realKodi) install() {
	fill := strings.NewReplacer("@PORT@", k.port, "@ANNOUNCEMENTS@", k.announcements, "@MEDIA@", k.media(""))
	for name, text := range kodiFiles {
		k.add(name, fill.Replace(text))
	}
	must(k.t, os.MkdirAll(filepath.Join(k.dir, "run"), 0o700))
	k.run("flock", "/etc/passwd", "bash", "-c", `id kodi-run >/dev/null 2>&1 || useradd --system --no-create-home kodi-run`)
	k.run("chown", "-R", "kodi-run", k.dir)
}

// add writes a file, and next to an NFO file a video of a minute, without sound: with sound it
// would never end without an audio device.
func (k *realKodi) add(name, text string) {
	path := filepath.Join(k.dir, name)
	must(k.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(k.t, os.WriteFile(path, []byte(text), 0o644))
	if video, ok := strings.CutSuffix(path, ".nfo"); ok && filepath.Base(video) != "tvshow" {
		k.run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=160x90:rate=5:duration=60", "-c:v", "mpeg4", "-q:v", "20", video+".mkv")
	}
}

func (k *realKodi) run(name string, args ...string) {
	k.t.Helper()
	if out, err := exec.CommandContext(k.t.Context(), name, args...).CombinedOutput(); err != nil {
		k.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// launch starts Kodi, waits until it answers, and opens a window without library lists: opening
// the home window can crash Kodi 20.1.
func (k *realKodi) launch() {
	log, err := os.OpenFile(filepath.Join(k.dir, "kodi.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	must(k.t, err)
	defer log.Close()
	cmd := exec.CommandContext(context.Background(), "setsid", "bash", "-c", `exec setpriv --reuid=kodi-run --regid="$(id -g kodi-run)" --clear-groups \
		xvfb-run -a -s '-screen 0 640x360x24' /usr/lib/*/kodi/kodi.bin --standalone --windowing=x11 --audio-backend=alsa`)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(k.dir, "home"), "XDG_RUNTIME_DIR="+filepath.Join(k.dir, "run"),
		"LIBGL_ALWAYS_SOFTWARE=1", "LANG=C.UTF-8", "TZ=America/New_York")
	cmd.Stdout, cmd.Stderr = log, log
	must(k.t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its log contains the reason
		close(ended)
	}()
	group := fmt.Sprint(cmd.Process.Pid)
	k.await("process", func() bool { // its start script runs first
		select {
		case <-ended:
			return true
		default:
			return kodiRuns(group)
		}
	})
	k.group = group
	k.await("answer after its start", func() bool { _, err := k.request("JSONRPC.Ping", nil); return err == nil })
	k.call("GUI.ActivateWindow", "window", "settings")
}

// gone reports whether a started Kodi has ended.
func (k *realKodi) gone() bool { return k.group != "" && !kodiRuns(k.group) }

func kodiRuns(group string) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	return slices.ContainsFunc(stats, func(path string) bool {
		text, _ := os.ReadFile(path) // fails if it has just ended
		stat := strings.Fields(string(text))
		return len(stat) > 4 && stat[1] == "(kodi.bin)" && stat[2] != "Z" && stat[4] == group
	})
}

// stop makes Kodi quit, and kills it after ten seconds.
func (k *realKodi) stop() {
	if k.group == "" {
		return
	}
	_, _ = k.request("Application.Quit", nil) // it may end without an answer
	const end = `for _ in $(seq 100); do kill -0 -- "-$0" 2>/dev/null || exit 0; sleep 0.1; done; kill -- "-$0" || true`
	out, err := exec.CommandContext(context.Background(), "bash", "-c", end, k.group).CombinedOutput()
	if k.group = ""; err != nil {
		k.t.Errorf("stop Kodi: %v\n%s", err, out)
	}
}

// request sends a JSON-RPC request.
func (k *realKodi) request(method string, params map[string]any) (map[string]any, error) {
	body, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      int            `json:"id"`
		Method  string         `json:"method"`
		Params  map[string]any `json:"params,omitempty"`
	}{"2.0", 1, method, params})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "POST", "http://kodi:kodi@127.0.0.1:"+k.port+"/jsonrpc", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Result any
		Error  any
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Error != nil {
		return nil, fmt.Errorf("%s: %w, %v", method, err, answer.Error)
	}
	result, _ := answer.Result.(map[string]any)
	return result, nil
}

// call sends a request that must succeed; params are names and values.
func (k *realKodi) call(method string, params ...any) map[string]any {
	k.t.Helper()
	named := map[string]any{}
	for i := 0; i+1 < len(params); i += 2 {
		named[params[i].(string)] = params[i+1]
	}
	result, err := k.request(method, named)
	if err != nil {
		k.t.Fatal(err)
	}
	return result
}

// await polls, because Kodi sends no notification for this.
func (k *realKodi) await(what string, done func() bool) {
	k.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if k.gone() || time.Now().After(deadline) {
			k.t.Fatalf("Kodi: no %s", what)
		}
	}
}

// ids returns Kodi's ids by the label or the file of an item.
func (k *realKodi) ids(method, list, key, by string) map[string]int64 {
	k.t.Helper()
	result := k.call("VideoLibrary."+method, "properties", []string{"file"})
	rows, _ := result[list].([]any)
	all := map[string]int64{}
	for _, row := range rows {
		item, _ := row.(map[string]any)
		id, _ := item[key].(float64)
		all[strings.TrimPrefix(fmt.Sprint(item[by]), k.media("")+"/")] = int64(id)
	}
	return all
}

// films returns Kodi's ids of films by the path below the media folder.
func (k *realKodi) films() map[string]int64 {
	k.t.Helper()
	return k.ids("GetMovies", "movies", "movieid", "file")
}

// playFilm plays a film from a percentage of its length to its end, or stops it there.
func (k *realKodi) playFilm(path string, percent float64, stop bool) {
	k.t.Helper()
	position := func() float64 { // 0 if nothing is playing
		result, _ := k.request("Player.GetProperties", map[string]any{"playerid": 1, "properties": []string{"percentage"}})
		at, _ := result["percentage"].(float64)
		return at
	}
	k.call("Player.Open", "item", map[string]any{"movieid": k.films()[path]}, "options", map[string]any{"resume": false})
	k.await("picture", func() bool { return position() > 0 })
	k.call("Player.Seek", "playerid", 1, "value", map[string]any{"percentage": percent})
	if stop {
		k.await("seek", func() bool { return position() >= percent })
		k.call("Player.Stop", "playerid", 1)
	}
	k.await("end", func() bool { return position() == 0 })
}

// toggle selects an item in Kodi's window and presses "toggle watched".
func (k *realKodi) toggle(folder string, id int64) {
	k.t.Helper()
	label := func(name string) any { return k.call("XBMC.GetInfoLabels", "labels", []string{name})[name] }
	k.call("GUI.ActivateWindow", "window", "videos", "parameters", []string{folder, "return"})
	k.await("window "+folder, func() bool { return label("Container.FolderPath") == folder && label("Container.NumItems") != "0" })
	k.call("Input.ExecuteAction", "action", "firstpage")
	k.await("item in the window", func() bool {
		if label("ListItem.DBID") == fmt.Sprint(id) {
			return true
		}
		k.call("Input.ExecuteAction", "action", "down")
		return false
	})
	k.call("Input.ExecuteAction", "action", "togglewatched")
}
