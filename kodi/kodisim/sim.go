// Package kodisim makes Kodi video libraries for tests and changes them as Kodi does. It also embeds libraries that a
// real Kodi wrote. A library has the tables of a real Kodi 20.1 (schema 121) or 21.2 (schema 131). Each change is one
// transaction that writes the rows that package library reads. Times are written as wall clock times of their zone,
// as Kodi writes them. Errors panic.
package kodisim

import (
	"compress/gzip"
	"database/sql"
	"embed"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/filmspool/filmspool/queue/viewing"
)

//go:embed schema121.sql
var schema121 string

//go:embed schema131.sql
var schema131 string

//go:embed testdata
var recorded embed.FS

// must returns the value, or panics if there is an error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Recorded unpacks a library that a real Kodi wrote, with its journal, into a new Database folder
// and returns its path. State is a folder of testdata, which README.md there describes.
func Recorded(t testing.TB, state string) (file string) {
	folder := filepath.Join(t.TempDir(), "Database")
	must(0, os.Mkdir(folder, 0o755))
	state = "testdata/" + state
	for _, entry := range must(recorded.ReadDir(state)) {
		content := must(gzip.NewReader(must(recorded.Open(state + "/" + entry.Name()))))
		to := filepath.Join(folder, strings.TrimSuffix(entry.Name(), ".gz"))
		must(0, os.WriteFile(to, must(io.ReadAll(content)), 0o644))
		if strings.HasSuffix(to, ".db") {
			file = to
		}
	}
	return file
}

// Sim is one library, kept open as by Kodi. Its methods are not safe for concurrent use.
type Sim struct {
	Path string // of the file
	*sql.DB
}

// Create makes a userdata folder with an empty library of schema 121 or 131, with the sources
// /media/films/ and /media/series/.
func Create(dir string, version int) *Sim {
	folder := filepath.Join(dir, "Database")
	must(0, os.MkdirAll(folder, 0o755))
	s := Open(filepath.Join(folder, fmt.Sprintf("MyVideos%d.db", version)))
	s.act(func() {
		s.Do(schema121)
		if version == 131 {
			s.Do(schema131)
		}
		s.Do(`insert into version values (?, 0)`, version)
		s.Do(`insert into path (strPath, strContent, strScraper, exclude) values
			('/media/films/', 'movies', 'metadata.local', 0), ('/media/series/', 'tvshows', 'metadata.local', 0)`)
	})
	return s
}

// Open opens a library file for writing. It waits up to half a minute for readers, unlike Kodi,
// which waits without a limit.
func Open(path string) *Sim {
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(must(filepath.Abs(path))), "/")
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: "_pragma=busy_timeout(30000)&_pragma=synchronous(normal)"}
	db := must(sql.Open("sqlite", u.String()))
	db.SetMaxOpenConns(1)
	return &Sim{path, db}
}

// Do runs a statement and returns the id of the inserted row.
func (s *Sim) Do(query string, args ...any) (id int64) {
	return must(must(s.Exec(query, args...)).LastInsertId())
}

// act runs do in one transaction.
func (s *Sim) act(do func()) {
	s.Do(`begin immediate`)
	do()
	s.Do(`commit`)
}

// number returns the number that a query selects, or 0 without a row.
func (s *Sim) number(query string, args ...any) (n int64) {
	must(0, s.QueryRow(`select coalesce((`+query+`), 0)`, args...).Scan(&n))
	return n
}

// row returns the key of the row with this value in a column, and inserts it if missing.
func (s *Sim) row(table, key, column, value string) int64 {
	if id := s.number(`select `+key+` from `+table+` where `+column+` = ?`, value); id > 0 {
		return id
	}
	return s.Do(`insert into `+table+` (`+column+`) values (?)`, value)
}

// File returns the id of a file, and inserts it and its folder if missing.
func (s *Sim) File(address string) int64 {
	folder, name := path.Split(address)
	in := s.row("path", "idPath", "strPath", folder)
	if id := s.number(`select idFile from files where idPath = ? and strFilename = ?`, in, name); id > 0 {
		return id
	}
	return s.Do(`insert into files (idPath, strFilename, dateAdded) values (?, ?, '2020-01-01 00:00:00')`, in, name)
}

// scan adds a file as Kodi's scanner does, with the counts of its NFO.
func (s *Sim) scan(address string, duration time.Duration, plays int, last string) int64 {
	file := s.File(address)
	s.Do(`update files set playCount = nullif(?, 0), lastPlayed = nullif(?, '') where idFile = ?`, plays, last, file)
	if duration > 0 {
		s.Do(`insert into streamdetails (idFile, iStreamType, iVideoDuration) values (?, 0, ?)`, file, int64(duration.Seconds()))
	}
	return file
}

// Ref holds Kodi's ids of a film (viewing.Movie), an episode (viewing.Episode) or a show
// (viewing.TV).
type Ref struct {
	Type     viewing.MediaType
	ID, File int64
}

// kinds maps each type of item to its table, its id column and the column of its default
// identifier.
var kinds = map[viewing.MediaType]struct{ table, key, unique string }{
	viewing.Movie: {"movie", "idMovie", "c09"}, viewing.Episode: {"episode", "idEpisode", "c20"}, viewing.TV: {"tvshow", "idShow", "c12"},
}

// identify writes the identifiers of an item. The last one, TMDB if present, is the default.
func (s *Sim) identify(r Ref, ids viewing.IDs) {
	k, standard := kinds[r.Type], int64(-1)
	for _, id := range [][2]string{{"imdb", ids.IMDB}, {"tvdb", fmt.Sprint(ids.TVDB)}, {"tmdb", fmt.Sprint(ids.TMDB)}} {
		if id[1] != "" && id[1] != "0" {
			standard = s.Do(`insert into uniqueid (media_id, media_type, value, type) values (?, ?, ?, ?)`, r.ID, k.table, id[1], id[0])
		}
	}
	s.Do(`update `+k.table+` set `+k.unique+` = ? where `+k.key+` = ?`, fmt.Sprint(standard), r.ID)
}

// Film is a film to add.
type Film struct {
	Title      string
	Year       int
	IDs        viewing.IDs
	Path       string        // of the file
	Duration   time.Duration // 0 for unknown
	Plays      int           // play count in its NFO
	LastPlayed string        // time in its NFO, as Kodi writes it
}

// AddFilm adds a film as the scanner does. A known file keeps its row and gets new counts.
func (s *Sim) AddFilm(f Film) Ref {
	r := Ref{Type: viewing.Movie}
	s.act(func() {
		r.File = s.scan(f.Path, f.Duration, f.Plays, f.LastPlayed)
		r.ID = s.Do(`insert into movie (idFile, c00, c11, premiered) values (?, ?, '0', nullif(?, 0))`, r.File, f.Title, f.Year)
		s.identify(r, f.IDs)
		if s.number(`select count(*) from sqlite_master where name = 'videoversion'`) > 0 {
			s.Do(`insert into videoversion values (?, ?, 'movie', 0, 40400)`, r.File, r.ID)
		}
	})
	return r
}

// AddShow adds a show without episodes, in a folder below the source of series. Kodi writes
// 1970-01-01 if premiered is unknown.
func (s *Sim) AddShow(title, premiered string, ids viewing.IDs) Ref {
	r := Ref{Type: viewing.TV}
	s.act(func() {
		r.ID = s.Do(`insert into tvshow (c00, c05) values (?, ?)`, title, premiered)
		s.Do(`insert into tvshowlinkpath (idShow, idPath) values (?, ?)`, r.ID, s.row("path", "idPath", "strPath", "/media/series/"+title+"/"))
		s.identify(r, ids)
	})
	return r
}

// Episode is one episode of a file.
type Episode struct {
	Season, Number int // from 0 and 1
	IDs            viewing.IDs
}

// AddEpisodes adds a file of a show, /media/series/SHOW S01E02.mkv, with one or several episodes
// that share one play count.
func (s *Sim) AddEpisodes(show Ref, title string, duration time.Duration, episodes ...Episode) []Ref {
	refs := make([]Ref, len(episodes))
	address := fmt.Sprintf("/media/series/%s/%[1]s S%02d", title, episodes[0].Season)
	for _, e := range episodes {
		address += fmt.Sprintf("E%02d", e.Number)
	}
	s.act(func() {
		file := s.scan(address+".mkv", duration, 0, "")
		for i, e := range episodes {
			id := s.Do(`insert into episode (idFile, c09, c12, c13, idShow) values (?, '0', ?, ?, ?)`, file, e.Season, e.Number, show.ID)
			refs[i] = Ref{viewing.Episode, id, file}
			s.identify(refs[i], e.IDs)
		}
	})
	return refs
}

// Play counts a playback of a file that ended at at.
func (s *Sim) Play(file int64, at time.Time) {
	s.Do(`update files set playCount = ifnull(playCount, 0) + 1, lastPlayed = ? where idFile = ?`, at.Format(time.DateTime), file)
}

// Tag gives films or shows a tag.
func (s *Sim) Tag(name string, all ...Ref) {
	s.act(func() {
		for _, r := range all {
			s.Do(`insert or ignore into tag_link values (?, ?, ?)`, s.row("tag", "tag_id", "name", name), r.ID, kinds[r.Type].table)
		}
	})
}

// Upgrade upgrades a copy of a library of schema 121 as Kodi 21 does at its first start.
func (s *Sim) Upgrade() {
	s.act(func() {
		s.Do(schema131)
		s.Do(`insert into videoversion select idFile, idMovie, 'movie', 0, 40400 from movie`)
		s.Do(`update version set idVersion = 131`)
	})
}
