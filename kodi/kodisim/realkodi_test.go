package kodisim

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// kodi is a real Kodi 20.1 at work over a small library of its own. One that
// ends by itself is followed by another, in a folder of its own.
type kodi struct {
	t testing.TB // the test that drives it now
	lives
	past   []act // all that the next one has to do to be as this one is
	script string
	base   string // holds the folder of each
	dir    string
	port   string
	starts int
	copies int
	path   string  // of the library
	db     *sql.DB // read-only
	zone   *time.Location
}

// startKodi runs a real Kodi in a folder of its own, and stops it at the end.
func startKodi(t *testing.T, script string) *kodi {
	t.Helper()
	k := &kodi{t: t, script: script, base: must(os.MkdirTemp("", "filmspool-kodi"))(t), zone: must(time.LoadLocation("America/New_York"))(t)}
	k.lives = lives{ended: k.hasEnded, renew: k.renew, last: func() string { return tail(k.dir) }}
	ok(t, os.Chmod(k.base, 0o755)) // Kodi runs as another user
	t.Cleanup(func() {
		k.t = t
		k.stop()
		ok(t, os.RemoveAll(k.base))
	})
	k.survive("its start", func() {
		if k.starts == 0 {
			k.start()
		}
	})
	return k
}

// survive does something for which Kodi has to live.
func (k *kodi) survive(what string, do func()) {
	k.t.Helper()
	t := k.t
	defer func() { k.t = t }()
	k.lives.survive(t, what, func(t testing.TB) {
		t.Helper()
		k.t = t
		do()
	})
}

// renew starts another Kodi, which does all that the dead one has done: what a
// death leaves of an act is known to nobody.
func (k *kodi) renew(t testing.TB) {
	t.Helper()
	k.t = t
	k.stop()
	k.start()
	for _, a := range k.past {
		state := dump(k.t, k.db, nil)
		a.real(k)
		k.settled(state, !a.still)
	}
}

func (k *kodi) start() {
	k.t.Helper()
	k.starts++
	k.dir = filepath.Join(k.base, fmt.Sprint("kodi", k.starts))
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(k.t)
	_, k.port, _ = net.SplitHostPort(listener.Addr().String())
	ok(k.t, listener.Close())
	must(k.command("start"))(k.t)
	k.path = strings.TrimSpace(must(k.command("db"))(k.t))
	k.db = must(sql.Open("sqlite", "file:"+k.path+"?mode=ro&_pragma=busy_timeout(2000)"))(k.t)
	k.await("all streams", func() bool {
		return k.number(`select count(*) from files where idFile not in (select idFile from streamdetails)`) == 0
	})
	k.quietWindow()
}

func (k *kodi) stop() {
	if k.db != nil {
		_ = k.db.Close()
		k.db = nil
	}
	if _, err := os.Stat(filepath.Join(k.dir, "kodi.pid")); err != nil {
		return // never started
	}
	if _, err := k.command("stop"); err != nil {
		k.t.Errorf("stop Kodi: %v", err)
	}
}

// command runs the script, with the Kodi's folder as its argument.
func (k *kodi) command(verb string) (string, error) {
	cmd := exec.Command(k.script, verb, k.dir)
	cmd.Env = append(os.Environ(), "KODI_PORT="+k.port, "KODI_TZ=America/New_York")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s Kodi: %w\n%s%s", verb, err, out, &said)
	}
	return string(out), err
}

// hasEnded tells a Kodi that has ended by itself from one that lives. One that
// does not answer may be about to end.
func (k *kodi) hasEnded() bool {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(5 * time.Second)
	for !gone(k.dir) {
		if k.answers() {
			return false
		}
		select {
		case <-tick.C:
		case <-limit:
			return false // it hangs
		}
	}
	return true
}

// answers reports whether Kodi answers within a second: even "who are you?" will do.
func (k *kodi) answers() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:"+k.port+"/jsonrpc", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil
}

// quietWindow goes to a window that shows nothing of the library. Going to the
// home window, whose lists are filled from the library, can kill a Kodi 20.1:
// the window waits for the lock of a list, and the list, just filled, for the
// window's.
func (k *kodi) quietWindow() { k.call("GUI.ActivateWindow", "window", "settings") }

// call is one JSON-RPC call; params alternate name and value.
func (k *kodi) call(method string, params ...any) map[string]any {
	k.t.Helper()
	named := map[string]any{}
	for i := 0; i+1 < len(params); i += 2 {
		named[params[i].(string)] = params[i+1]
	}
	body := must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": named}))(k.t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	request := must(http.NewRequestWithContext(ctx, "POST", "http://127.0.0.1:"+k.port+"/jsonrpc", bytes.NewReader(body)))(k.t)
	request.SetBasicAuth("kodi", "kodi")
	request.Header.Set("Content-Type", "application/json")
	response := must(http.DefaultClient.Do(request))(k.t)
	defer response.Body.Close()
	var answer map[string]any
	text := must(io.ReadAll(response.Body))(k.t)
	ok(k.t, json.Unmarshal(text, &answer))
	if answer["error"] != nil {
		k.t.Fatalf("%s: Kodi answers %s", method, text)
	}
	return answer
}

// await polls: Kodi's own world gives no other sign.
func (k *kodi) await(what string, done func() bool) {
	k.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(30 * time.Second)
	for !done() {
		if gone(k.dir) {
			k.t.Fatalf("Kodi: no %s, it has ended", what)
		}
		select {
		case <-tick.C:
		case <-limit:
			k.t.Fatalf("Kodi: no %s within 30 s", what)
		}
	}
}

func (k *kodi) number(query string, args ...any) int64 {
	k.t.Helper()
	var n int64
	ok(k.t, k.db.QueryRow(query, args...).Scan(&n))
	return n
}

// film is a film's id by its title.
func (k *kodi) film(title string) int64 {
	k.t.Helper()
	return k.number(`select idMovie from movie where c00 = ?`, title)
}

func (k *kodi) show(title string) int64 {
	k.t.Helper()
	return k.number(`select idShow from tvshow where c00 = ?`, title)
}

// episode is an episode's id by its place.
func (k *kodi) episode(show string, season, number int) int64 {
	k.t.Helper()
	return k.number(`select idEpisode from episode join tvshow using (idShow) where tvshow.c00 = ? and episode.c12 = ? and episode.c13 = ?`,
		show, strconv.Itoa(season), strconv.Itoa(number))
}

// copy takes the library as it is.
func (k *kodi) copy() string {
	k.t.Helper()
	k.copies++
	folder := filepath.Join(k.dir, fmt.Sprint("copy", k.copies))
	ok(k.t, os.MkdirAll(folder, 0o755))
	path := filepath.Join(folder, "MyVideos121.db")
	must(k.db.Exec(`vacuum into ?`, path))(k.t)
	return path
}

// playing reports whether a player is active.
func (k *kodi) playing() bool {
	players, _ := k.call("Player.GetActivePlayers")["result"].([]any)
	return len(players) > 0
}

// position is where the player is, in per cent.
func (k *kodi) position() float64 {
	result, _ := k.call("Player.GetProperties", "playerid", 1, "properties", []string{"percentage"})["result"].(map[string]any)
	percentage, _ := result["percentage"].(float64)
	return percentage
}

// play opens item and goes to percent of its length; it plays on from there
// to its end, or is stopped there.
func (k *kodi) play(item map[string]any, percent float64, stop bool) {
	k.t.Helper()
	k.call("Player.Open", "item", item, "options", map[string]any{"resume": false})
	k.await("player", k.playing)
	k.await("picture", func() bool { return k.position() > 0 })
	k.call("Player.Seek", "playerid", 1, "value", map[string]any{"percentage": percent})
	if stop {
		k.await("seek", func() bool { return k.position() >= percent })
		k.call("Player.Stop", "playerid", 1)
	}
	k.await("end", func() bool { return !k.playing() })
}

// toggle goes to an item in Kodi's window and presses "toggle watched".
func (k *kodi) toggle(folder string, id int64) {
	k.t.Helper()
	labels := func(names ...string) map[string]any {
		result, _ := k.call("XBMC.GetInfoLabels", "labels", names)["result"].(map[string]any)
		return result
	}
	k.quietWindow()
	k.call("GUI.ActivateWindow", "window", "videos", "parameters", []string{folder, "return"})
	k.await("window "+folder, func() bool {
		at := labels("Container.FolderPath", "Container.NumItems")
		return at["Container.FolderPath"] == folder && at["Container.NumItems"] != "0"
	})
	k.call("Input.ExecuteAction", "action", "firstpage")
	k.await("item in the window", func() bool {
		if labels("ListItem.DBID")["ListItem.DBID"] == fmt.Sprint(id) {
			return true
		}
		k.call("Input.ExecuteAction", "action", "down")
		return false
	})
	k.call("Input.ExecuteAction", "action", "togglewatched")
}

// settled waits until the library differs from before, if a change is due,
// and has then been still for a second.
func (k *kodi) settled(before map[string][]string, changes bool) {
	k.t.Helper()
	last, still := fmt.Sprint(before), 0
	changed := !changes
	k.await("quiet library", func() bool {
		now := fmt.Sprint(dump(k.t, k.db, nil))
		changed = changed || now != fmt.Sprint(before)
		if still++; now != last {
			last, still = now, 0
		}
		return changed && still >= 10
	})
}

// media is a new file in Kodi's media folder: video only, of a minute, with
// the NFOs that stand beside it.
func (k *kodi) media(path string, nfos map[string]string) string {
	k.t.Helper()
	full := filepath.Join(k.dir, "media", path)
	ok(k.t, os.MkdirAll(filepath.Dir(full), 0o755))
	out, err := exec.Command("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=160x90:rate=5:duration=60",
		"-c:v", "mpeg4", "-q:v", "20", full).CombinedOutput()
	if err != nil {
		k.t.Fatalf("make clip: %v\n%s", err, out)
	}
	for name, text := range nfos {
		ok(k.t, os.WriteFile(filepath.Join(k.dir, "media", name), []byte(text), 0o644))
	}
	return full
}
