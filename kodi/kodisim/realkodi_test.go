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

// kodi is a real Kodi 20.1 at work over a small library of its own.
type kodi struct {
	t      *testing.T // the test that drives it now
	script string
	dir    string
	port   string
	copies int
	path   string  // of the library
	db     *sql.DB // read-only
	zone   *time.Location
}

// startKodi runs a real Kodi in a folder of its own, and stops it at the end.
func startKodi(t *testing.T, script string) *kodi {
	t.Helper()
	dir := must(os.MkdirTemp("", "filmspool-kodi"))(t)
	ok(t, os.Chmod(dir, 0o755)) // Kodi runs as another user
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	ok(t, err)
	ok(t, listener.Close())
	k := &kodi{t: t, script: script, dir: filepath.Join(dir, "kodi"), port: port, zone: must(time.LoadLocation("America/New_York"))(t)}
	t.Cleanup(func() {
		if out, err := k.command("stop"); err != nil {
			t.Errorf("stop Kodi: %v\n%s", err, out)
		}
		ok(t, os.RemoveAll(dir))
	})
	if out, err := k.command("start"); err != nil {
		t.Fatalf("start Kodi: %v\n%s", err, out)
	}
	path, err := k.command("db")
	ok(t, err)
	k.path = strings.TrimSpace(path)
	k.db = must(sql.Open("sqlite", "file:"+k.path+"?mode=ro&_pragma=busy_timeout(2000)"))(t)
	t.Cleanup(func() { _ = k.db.Close() })
	k.await("all streams", func() bool {
		return k.number(`select count(*) from files where idFile not in (select idFile from streamdetails)`) == 0
	})
	return k
}

// command runs the script, with the Kodi's folder as its argument.
func (k *kodi) command(verb string) (string, error) {
	cmd := exec.Command(k.script, verb, k.dir)
	cmd.Env = append(os.Environ(), "KODI_PORT="+k.port, "KODI_TZ=America/New_York")
	out, err := cmd.Output()
	return string(out), err
}

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
	k.call("Input.Home")
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
