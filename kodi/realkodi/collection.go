package realkodi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// film is one of the collection, with what its NFO holds beside title and year.
type film struct {
	title   string
	year    int
	seconds int
	nfo     string
}

// episode is a file of the collection, with one episode or two.
type episode struct {
	show        string
	season      int
	first, last int
	seconds     int
}

// How much of the collection Kodi finds.
const (
	allFilms    = 5
	allEpisodes = 6
)

// collect makes the media of a small library, with their NFOs.
func (k *Kodi) collect() {
	k.T.Helper()
	tmdb := func(id int) string { return fmt.Sprintf(`<uniqueid type="tmdb" default="true">%d</uniqueid>`, id) }
	imdb := func(id string) string { return `<uniqueid type="imdb">` + id + `</uniqueid>` }
	for _, f := range []film{
		{"Alpha One", 1999, 240, tmdb(603) + imdb("tt0133093") + `<tag>watchlist</tag>`},
		{"Beta", 2010, 60, tmdb(27205) + imdb("tt1375666")},
		{"Delta", 1994, 60, imdb("tt0111161")},
		{"Epsilon", 1972, 60, tmdb(238) + `<playcount>3</playcount><lastplayed>2019-02-03 21:10:00</lastplayed>`},
		{"Zeta", 2021, 60, ""},
	} {
		name := fmt.Sprintf("movies/%[1]s (%[2]d)/%[1]s (%[2]d)", f.title, f.year)
		k.clip(k.Media(name+".mkv"), f.seconds)
		k.write(k.Media(name+".nfo"), fmt.Sprintf("<movie><title>%s</title><year>%d</year><premiered>%[2]d-06-01</premiered>%s</movie>", f.title, f.year, f.nfo))
	}
	for _, e := range []episode{
		{"Show Red", 0, 1, 1, 60}, {"Show Red", 1, 1, 1, 240}, {"Show Red", 1, 2, 2, 60}, {"Show Red", 1, 3, 4, 60}, {"Show Blue", 1, 1, 1, 60},
	} {
		k.collectEpisode(e)
	}
	k.write(k.Media("tv/Show Red/tvshow.nfo"),
		`<tvshow><title>Show Red</title><year>2008</year><uniqueid type="tvdb" default="true">81189</uniqueid><uniqueid type="tmdb">1396</uniqueid></tvshow>`)
	k.write(k.Media("tv/Show Blue/tvshow.nfo"), `<tvshow><title>Show Blue</title><year>2011</year><uniqueid type="tvdb" default="true">121361</uniqueid></tvshow>`)
}

func (k *Kodi) collectEpisode(e episode) {
	k.T.Helper()
	name := fmt.Sprintf("tv/%[1]s/Season %02[2]d/%[1]s S%02[2]dE%02[3]d", e.show, e.season, e.first)
	if e.last > e.first {
		name += fmt.Sprintf("E%02d", e.last)
	}
	k.clip(k.Media(name+".mkv"), e.seconds)
	var nfo strings.Builder
	for n := e.first; n <= e.last; n++ {
		fmt.Fprintf(&nfo, "<episodedetails><title>Part %d</title><season>%d</season><episode>%[1]d</episode></episodedetails>\n", n, e.season)
	}
	k.write(k.Media(name+".nfo"), nfo.String())
}

// clip makes a video without sound: without an audio device a track with sound
// never ends.
func (k *Kodi) clip(path string, seconds int) {
	k.T.Helper()
	k.write(path, "") // its folder
	k.run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", fmt.Sprintf("testsrc=size=160x90:rate=5:duration=%d", seconds), "-c:v", "mpeg4", "-q:v", "20", path)
}

// settings are those of a Kodi that answers on a port, and names nothing to
// anybody.
const settings = `<settings version="2">
  <setting id="services.webserver">true</setting><setting id="services.webserverport">%s</setting>
  <setting id="services.webserverauthentication">true</setting><setting id="services.webserverusername">kodi</setting>
  <setting id="services.webserverpassword">kodi</setting><setting id="services.zeroconf">false</setting>
  <setting id="general.addonupdates">2</setting><setting id="locale.timezone">%s</setting>
</settings>
`

const sources = `<sources><video><default pathversion="1"></default>
  <source><name>Movies</name><path pathversion="1">%[1]s/movies/</path><allowsharing>true</allowsharing></source>
  <source><name>TV</name><path pathversion="1">%[1]s/tv/</path><allowsharing>true</allowsharing></source>
</video></sources>
`

// scrapers has the folders of the collection read by their NFOs alone.
const scrapers = `insert into path (strPath, strContent, strScraper, scanRecursive, useFolderNames, strSettings, noUpdate, exclude, allAudio) values
	('%[1]s/movies/', 'movies', 'metadata.local', 2147483647, 0, '<settings version="2"></settings>', 0, 0, 0),
	('%[1]s/tv/', 'tvshows', 'metadata.local', 0, 0, '<settings version="2"></settings>', 0, 0, 0)`

// configure writes Kodi's settings, and gives its folders to the user that it
// runs as.
func (k *Kodi) configure(zone string) {
	k.T.Helper()
	k.write(filepath.Join(k.Userdata(), "guisettings.xml"), fmt.Sprintf(settings, k.port, zone))
	k.write(filepath.Join(k.Userdata(), "sources.xml"), fmt.Sprintf(sources, k.Media("")))
	if err := os.MkdirAll(filepath.Join(k.Dir, "run"), 0o700); err != nil {
		k.T.Fatal(err)
	}
	k.run("bash", "-c", `id kodi-run >/dev/null 2>&1 || useradd --system --no-create-home kodi-run`)
	k.run("chown", "-R", "kodi-run", filepath.Join(k.Dir, "home"), filepath.Join(k.Dir, "run"), k.Media(""))
}

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
