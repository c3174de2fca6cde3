//go:build kodi

package realkodi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// QuietWindow goes to a window that shows nothing of the library. Going to the
// home window, whose lists are filled from the library, can kill a Kodi 20.1:
// the window waits for the lock of a list, and the list, just filled, for the
// window's.
func (k *Kodi) QuietWindow() {
	k.T.Helper()
	k.Call("GUI.ActivateWindow", "window", "settings")
}

// playing reports whether a player is active.
func (k *Kodi) playing() bool {
	players, _ := k.Call("Player.GetActivePlayers")["result"].([]any)
	return len(players) > 0
}

// position is where the player is, in per cent.
func (k *Kodi) position() float64 {
	result, _ := k.Call("Player.GetProperties", "playerid", 1, "properties", []string{"percentage"})["result"].(map[string]any)
	percentage, _ := result["percentage"].(float64)
	return percentage
}

// Open opens item and goes to percent of its length.
func (k *Kodi) Open(item map[string]any, percent float64) {
	k.T.Helper()
	k.Call("Player.Open", "item", item, "options", map[string]any{"resume": false})
	k.Await("player", k.playing)
	k.Await("picture", func() bool { return k.position() > 0 })
	k.Call("Player.Seek", "playerid", 1, "value", map[string]any{"percentage": percent})
}

// Play opens item and goes to percent of its length; it plays on from there
// to its end, or is stopped there.
func (k *Kodi) Play(item map[string]any, percent float64, stop bool) {
	k.T.Helper()
	k.Open(item, percent)
	if stop {
		k.AwaitPosition(percent)
		k.Call("Player.Stop", "playerid", 1)
	}
	k.AwaitEnd()
}

// AwaitPosition waits until the player has come so far.
func (k *Kodi) AwaitPosition(percent float64) {
	k.T.Helper()
	k.Await("seek", func() bool { return k.position() >= percent })
}

// AwaitEnd waits until nothing is played any more.
func (k *Kodi) AwaitEnd() {
	k.T.Helper()
	k.Await("end", func() bool { return !k.playing() })
}

// Toggle goes to an item in Kodi's window and presses "toggle watched".
func (k *Kodi) Toggle(folder string, id int64) {
	k.T.Helper()
	labels := func(names ...string) map[string]any {
		result, _ := k.Call("XBMC.GetInfoLabels", "labels", names)["result"].(map[string]any)
		return result
	}
	k.QuietWindow()
	k.Call("GUI.ActivateWindow", "window", "videos", "parameters", []string{folder, "return"})
	k.Await("window "+folder, func() bool {
		at := labels("Container.FolderPath", "Container.NumItems")
		return at["Container.FolderPath"] == folder && at["Container.NumItems"] != "0"
	})
	k.Call("Input.ExecuteAction", "action", "firstpage")
	k.Await("item in the window", func() bool {
		if labels("ListItem.DBID")["ListItem.DBID"] == fmt.Sprint(id) {
			return true
		}
		k.Call("Input.ExecuteAction", "action", "down")
		return false
	})
	k.Call("Input.ExecuteAction", "action", "togglewatched")
}

// Media is a path below Kodi's media folder.
func (k *Kodi) Media(path string) string { return filepath.Join(k.Dir, "media", path) }

// AddMedia is a new file in Kodi's media folder: video only, of a minute, with
// the NFOs that stand beside it.
func (k *Kodi) AddMedia(path string, nfos map[string]string) string {
	k.T.Helper()
	full := k.Media(path)
	k.clip(full, 60)
	for name, text := range nfos {
		k.write(k.Media(name), text)
	}
	return full
}

// Films are Kodi's ids by the paths of the files, below the media folder.
func (k *Kodi) Films() map[string]int64 {
	k.T.Helper()
	result, _ := k.Call("VideoLibrary.GetMovies", "properties", []string{"file"})["result"].(map[string]any)
	return k.byPath(result["movies"], "movieid")
}

// Episodes are Kodi's ids by the paths of the files, below the media folder;
// of a file of several episodes the last one.
func (k *Kodi) Episodes() map[string]int64 {
	k.T.Helper()
	result, _ := k.Call("VideoLibrary.GetEpisodes", "properties", []string{"file"})["result"].(map[string]any)
	return k.byPath(result["episodes"], "episodeid")
}

// Shows are Kodi's ids by title.
func (k *Kodi) Shows() map[string]int64 {
	k.T.Helper()
	result, _ := k.Call("VideoLibrary.GetTVShows")["result"].(map[string]any)
	all := map[string]int64{}
	rows, _ := result["tvshows"].([]any)
	for _, row := range rows {
		show, _ := row.(map[string]any)
		id, _ := show["tvshowid"].(float64)
		all[fmt.Sprint(show["label"])] = int64(id)
	}
	return all
}

func (k *Kodi) byPath(rows any, key string) map[string]int64 {
	all := map[string]int64{}
	list, _ := rows.([]any)
	for _, row := range list {
		item, _ := row.(map[string]any)
		id, _ := item[key].(float64)
		path, err := filepath.Rel(k.Media(""), fmt.Sprint(item["file"]))
		if err == nil {
			all[path] = int64(id)
		}
	}
	return all
}

// Scan has Kodi look for new files, and waits until the library has one.
func (k *Kodi) Scan(path string) {
	k.T.Helper()
	k.Call("VideoLibrary.Scan")
	k.Await("film "+path, func() bool { return k.Films()[path] != 0 })
}

// Clean has Kodi take files that are gone out of its library, and waits until
// the library is without one.
func (k *Kodi) Clean(path string) {
	k.T.Helper()
	k.Call("VideoLibrary.Clean", "showdialogs", false)
	k.Await("library without "+path, func() bool { return k.Films()[path] == 0 })
}

// Rewrite changes a text file below the media folder.
func (k *Kodi) Rewrite(path, from, to string) {
	k.T.Helper()
	text, err := os.ReadFile(k.Media(path))
	if err != nil {
		k.T.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		k.T.Fatalf("%s does not hold %q", path, from)
	}
	k.write(k.Media(path), strings.Replace(string(text), from, to, 1))
}
