//go:build kodi

package realkodi

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// How much of the collection in testdata Kodi finds.
const (
	allFilms    = 5
	allEpisodes = 6
)

//go:embed testdata
var collection embed.FS

// collect puts the collection of testdata in place: NFO files, a clip beside
// each, and Kodi's settings. All of it belongs to the user that Kodi runs as.
func (k *Kodi) collect(zone string) {
	k.T.Helper()
	const folder = "testdata/collection/"
	fill := strings.NewReplacer("@PORT@", k.port, "@ANNOUNCEMENTS@", FreePort(k.T), "@ZONE@", zone, "@MEDIA@", k.Media(""))
	err := fs.WalkDir(collection, strings.TrimSuffix(folder, "/"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := collection.ReadFile(name)
		name = strings.Replace(strings.TrimPrefix(name, folder), "userdata", "home/.kodi/userdata", 1)
		k.write(filepath.Join(k.Dir, name), fill.Replace(string(text)))
		if clip, ok := strings.CutSuffix(name, ".nfo"); ok && !strings.HasSuffix(clip, "tvshow") {
			seconds := 60
			if strings.HasSuffix(clip, "Alpha One (1999)") || strings.HasSuffix(clip, "Show Red S01E01") {
				seconds = 240
			}
			k.clip(filepath.Join(k.Dir, clip+".mkv"), seconds)
		}
		return err
	})
	if err != nil {
		k.T.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(k.Dir, "run"), 0o700); err != nil {
		k.T.Fatal(err)
	}
	// Locked, for another test may do the same at the same time.
	k.run("flock", "/etc/passwd", "bash", "-c", `id kodi-run >/dev/null 2>&1 || useradd --system --no-create-home kodi-run`)
	k.run("chown", "-R", "kodi-run", filepath.Join(k.Dir, "home"), filepath.Join(k.Dir, "run"), k.Media(""))
}

// clip makes a video without sound: without an audio device a track with sound
// never ends.
func (k *Kodi) clip(path string, seconds int) {
	k.T.Helper()
	k.write(path, "") // its folder
	k.run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", fmt.Sprintf("testsrc=size=160x90:rate=5:duration=%d", seconds), "-c:v", "mpeg4", "-q:v", "20", path)
}

// scrapers has the folders of the collection read by their NFOs alone.
const scrapers = `insert into path (strPath, strContent, strScraper, scanRecursive, useFolderNames, strSettings, noUpdate, exclude, allAudio) values
	('%[1]s/movies/', 'movies', 'metadata.local', 2147483647, 0, '<settings version="2"></settings>', 0, 0, 0),
	('%[1]s/tv/', 'tvshows', 'metadata.local', 0, 0, '<settings version="2"></settings>', 0, 0, 0)`

// scan has Kodi fill its library for the first time.
func (k *Kodi) scan() {
	k.T.Helper()
	k.run("sqlite3", "-cmd", ".timeout 5000", k.Database(), fmt.Sprintf(scrapers, k.Media("")))
	k.Call("VideoLibrary.Scan")
	k.Await("whole library", func() bool {
		return k.total("VideoLibrary.GetMovies") == allFilms && k.total("VideoLibrary.GetEpisodes") == allEpisodes
	})
}

// total is how many there are of what a method lists.
func (k *Kodi) total(method string) int {
	k.T.Helper()
	result, _ := k.Call(method)["result"].(map[string]any)
	limits, _ := result["limits"].(map[string]any)
	total, _ := limits["total"].(float64)
	return int(total)
}

func (k *Kodi) write(path, text string) {
	k.T.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		k.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		k.T.Fatal(err)
	}
}

func (k *Kodi) run(name string, args ...string) {
	k.T.Helper()
	if out, err := exec.CommandContext(k.T.Context(), name, args...).CombinedOutput(); err != nil {
		k.T.Fatalf("%s: %v\n%s", name, err, out)
	}
}
