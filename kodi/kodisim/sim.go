// Package kodisim makes Kodi video libraries for tests and changes them as Kodi does: it scans, plays, tags and
// upgrades. A library has the tables of a real Kodi 20.1 (schema 121) or 21.2 (schema 131). Each act is one
// transaction that writes the rows a reader of the library looks at. Times are written as the wall clock of their
// zone, as Kodi writes its own.
package kodisim

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/filmspool/filmspool/queue/viewing"
)

//go:embed schema121.sql
var schema121 string

//go:embed schema131.sql
var schema131 string

// Sim is one library, held open as Kodi holds its own. Its methods may not be
// called at the same time.
type Sim struct {
	path    string
	version int
	db      *sql.DB
}

// Create makes the userdata folder dir with an empty library of schema 121 or
// 131 in it, with one source of films, /media/films/, and one of series,
// /media/series/.
func Create(dir string, version int) (*Sim, error) {
	folder := filepath.Join(dir, "Database")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	s, err := open(filepath.Join(folder, fmt.Sprintf("MyVideos%d.db", version)))
	if err != nil {
		return nil, err
	}
	s.version = version
	return s, s.write("create", func(a *act) {
		a.exec(schema121)
		if version == 131 {
			a.exec(schema131)
		}
		a.exec(`insert into version values (?, 0)`, version)
		a.exec(`insert into path (strPath, strContent, strScraper, exclude) values
			('/media/films/', 'movies', 'metadata.local', 0), ('/media/series/', 'tvshows', 'metadata.local', 0)`)
	})
}

// Open opens a library file, of a real Kodi or one of ours, to write to it.
func Open(path string) (*Sim, error) {
	s, err := open(path)
	if err != nil {
		return nil, err
	}
	return s, s.write("open", func(a *act) { s.version = int(a.number(`select idVersion from version`)) })
}

// open waits for readers for half a minute. Kodi waits for ever.
func open(path string) (*Sim, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	query := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(30000)", "synchronous(normal)"}}
	u := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/"), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &Sim{path: path, db: db}, nil
}

// Path is the library file.
func (s *Sim) Path() string { return s.path }

// Close lets go of the file.
func (s *Sim) Close() error { return s.db.Close() }

// act is one transaction. After an error its methods do nothing.
type act struct {
	tx  *sql.Tx
	err error
}

// write runs an act and commits it, or nothing of it.
func (s *Sim) write(name string, do func(a *act)) error {
	tx, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	a := &act{tx: tx}
	if do(a); a.err != nil {
		return fmt.Errorf("%s: %w", name, errors.Join(a.err, tx.Rollback()))
	}
	return tx.Commit()
}

// exec runs a statement and returns the number of the row it inserted.
func (a *act) exec(query string, args ...any) (id int64) {
	if a.err != nil {
		return 0
	}
	var result sql.Result
	if result, a.err = a.tx.Exec(query, args...); a.err != nil {
		return 0
	}
	id, a.err = result.LastInsertId()
	return id
}

// number reads one number; 0 when there is no row.
func (a *act) number(query string, args ...any) (n int64) {
	if a.err != nil {
		return 0
	}
	if err := a.tx.QueryRow(query, args...).Scan(&n); !errors.Is(err, sql.ErrNoRows) {
		a.err = err
	}
	return n
}

// named finds the row in which a column has a value, or makes one.
func (a *act) named(table, key, column, value string) int64 {
	if id := a.number(`select `+key+` from `+table+` where `+column+` = ?`, value); id > 0 {
		return id
	}
	return a.exec(`insert into `+table+` (`+column+`) values (?)`, value)
}

// file finds the row of a file, or makes it and that of its folder.
func (a *act) file(address string, at time.Time) int64 {
	folder, name := path.Split(address)
	in := a.named("path", "idPath", "strPath", folder)
	if id := a.number(`select idFile from files where idPath = ? and strFilename = ?`, in, name); id > 0 {
		return id
	}
	return a.exec(`insert into files (idPath, strFilename, dateAdded) values (?, ?, ?)`, in, name, at.Format(time.DateTime))
}

// scan is what Kodi does with any file that it finds: its counts are those of
// its NFO, or none.
func (a *act) scan(address string, duration time.Duration, at time.Time, plays int, last string) int64 {
	file := a.file(address, at)
	a.exec(`update files set playCount = nullif(?, 0), lastPlayed = nullif(?, '') where idFile = ?`, plays, last, file)
	a.exec(`delete from streamdetails where idFile = ?`, file)
	if duration > 0 {
		a.exec(`insert into streamdetails (idFile, iStreamType, iVideoDuration) values (?, 0, ?)`, file, int64(duration.Seconds()))
	}
	return file
}

// Ref is one item of a library by Kodi's own number: a film (viewing.Movie), an
// episode (viewing.Episode) or a show (viewing.TV).
type Ref struct {
	Type viewing.MediaType
	ID   int64
}

// kinds are the tables of items, the columns of their numbers and of their
// default identifier, and how other tables name them.
var kinds = map[viewing.MediaType]struct{ table, key, unique string }{
	viewing.Movie: {"movie", "idMovie", "c09"}, viewing.Episode: {"episode", "idEpisode", "c20"}, viewing.TV: {"tvshow", "idShow", "c12"},
}

// identify writes the identifiers of an item. The default one is tmdb's, else
// the last.
func (a *act) identify(r Ref, ids viewing.IDs) {
	k, standard := kinds[r.Type], int64(-1)
	for _, id := range []struct{ namespace, value string }{{"imdb", ids.IMDB}, {"tvdb", fmt.Sprint(ids.TVDB)}, {"tmdb", fmt.Sprint(ids.TMDB)}} {
		if id.value != "" && id.value != "0" {
			standard = a.exec(`insert into uniqueid (media_id, media_type, value, type) values (?, ?, ?, ?)`, r.ID, k.table, id.value, id.namespace)
		}
	}
	a.exec(`update `+k.table+` set `+k.unique+` = ? where `+k.key+` = ?`, fmt.Sprint(standard), r.ID)
}

// Film is a film to add.
type Film struct {
	Title      string
	Year       int
	IDs        viewing.IDs
	Path       string        // of the file; "" makes one from the title, under the source of films
	Duration   time.Duration // 0 leaves it unknown
	Plays      int           // that its NFO claims
	LastPlayed string        // likewise, as Kodi writes it
}

// AddFilm scans a film in, whose file dates from at. A file that Kodi knows
// keeps its row and loses its counts.
func (s *Sim) AddFilm(f Film, at time.Time) (Ref, error) {
	r, name, year := Ref{Type: viewing.Movie}, f.Title, ""
	if f.Year > 0 {
		year = fmt.Sprint(f.Year)
		name += " (" + year + ")"
	}
	if f.Path == "" {
		f.Path = "/media/films/" + name + "/" + name + ".mkv"
	}
	err := s.write("add film "+f.Title, func(a *act) {
		file := a.scan(f.Path, f.Duration, at, f.Plays, f.LastPlayed)
		r.ID = a.exec(`insert into movie (idFile, c00, c11, premiered) values (?, ?, '0', ?)`, file, f.Title, year)
		a.identify(r, f.IDs)
		if s.version >= 131 {
			a.exec(`insert into videoversion values (?, ?, 'movie', 0, 40400)`, file, r.ID)
		}
	})
	return r, err
}

// AddVersion gives a film of schema 131 another file; an extra is a trailer or
// the like.
func (s *Sim) AddVersion(film Ref, address string, duration time.Duration, extra bool) error {
	return s.write("add version "+address, func(a *act) {
		a.exec(`insert into videoversion values (?, ?, 'movie', ?, 40407)`, a.scan(address, duration, time.Now(), 0, ""), film.ID, extra)
	})
}

// Show is a show to add.
type Show struct {
	Title string
	Year  int
	IDs   viewing.IDs
}

// AddShow scans a show in, without episodes, in a folder under the source of
// series.
func (s *Sim) AddShow(sh Show) (Ref, error) {
	r := Ref{Type: viewing.TV}
	premiered := "1970-01-01" // what Kodi writes when it does not know
	if sh.Year > 0 {
		premiered = fmt.Sprintf("%d-01-01", sh.Year)
	}
	err := s.write("add show "+sh.Title, func(a *act) {
		r.ID = a.exec(`insert into tvshow (c00, c05) values (?, ?)`, sh.Title, premiered)
		a.exec(`insert into tvshowlinkpath (idShow, idPath) values (?, ?)`, r.ID, a.named("path", "idPath", "strPath", "/media/series/"+sh.Title+"/"))
		a.identify(r, sh.IDs)
	})
	return r, err
}

// Episode is one episode of a file.
type Episode struct {
	Season, Number int // from 0 and 1
	Title          string
	IDs            viewing.IDs
}

// AddEpisodes scans a file of a show in, with the one or several episodes it
// holds, which share one play count.
func (s *Sim) AddEpisodes(show Ref, duration time.Duration, at time.Time, episodes ...Episode) ([]Ref, error) {
	refs := make([]Ref, len(episodes))
	return refs, s.write("add episodes", func(a *act) {
		var address string
		a.err = a.tx.QueryRow(`select strPath || c00 from tvshow join tvshowlinkpath using (idShow) join path using (idPath) where idShow = ?`, show.ID).Scan(&address)
		address += fmt.Sprintf(" S%02d", episodes[0].Season)
		for _, e := range episodes {
			address += fmt.Sprintf("E%02d", e.Number)
		}
		file := a.scan(address+".mkv", duration, at, 0, "")
		for i, e := range episodes {
			id := a.exec(`insert into episode (idFile, c00, c09, c12, c13, idShow) values (?, ?, '0', ?, ?, ?)`,
				file, e.Title, fmt.Sprint(e.Season), fmt.Sprint(e.Number), show.ID)
			refs[i] = Ref{viewing.Episode, id}
			a.identify(refs[i], e.IDs)
		}
	})
}

// played counts a play of a file that ended at at.
func (a *act) played(file int64, at time.Time) {
	a.exec(`update files set playCount = ifnull(playCount, 0) + 1, lastPlayed = ? where idFile = ?`, at.Format(time.DateTime), file)
}

// Play plays a film or the file of an episode to its end, which comes at at.
func (s *Sim) Play(r Ref, at time.Time) error {
	k := kinds[r.Type]
	return s.write("play", func(a *act) { a.played(a.number(`select idFile from `+k.table+` where `+k.key+` = ?`, r.ID), at) })
}

// PlayFile plays the file at an address to its end: one version of a film, or a
// file that no scan has seen, for which Kodi makes a row without an item.
func (s *Sim) PlayFile(address string, at time.Time) error {
	return s.write("play "+address, func(a *act) { a.played(a.file(address, at), at) })
}

// Tag gives a film or a show a tag.
func (s *Sim) Tag(r Ref, name string) error {
	return s.write("tag "+name, func(a *act) {
		a.exec(`insert or ignore into tag_link values (?, ?, ?)`, a.named("tag", "tag_id", "name", name), r.ID, kinds[r.Type].table)
	})
}

// Untag takes a tag away.
func (s *Sim) Untag(r Ref, name string) error {
	return s.write("untag "+name, func(a *act) {
		a.exec(`delete from tag_link where media_id = ? and media_type = ? and tag_id = (select tag_id from tag where name = ?)`,
			r.ID, kinds[r.Type].table, name)
	})
}

// SwitchToWAL does what some add-ons do to a library: from then on, and in
// every program, changes go to a file beside it first.
func (s *Sim) SwitchToWAL() error {
	_, err := s.db.Exec(`pragma journal_mode = wal`)
	return err
}

// BeginUpgrade begins what Kodi 21 does at its first start with a library of
// schema 121: beside the old file, which stays as it is, appears a copy that
// still holds the old number. finish ends it, and opens the new library.
func (s *Sim) BeginUpgrade() (finish func() (*Sim, error), err error) {
	path := filepath.Join(filepath.Dir(s.path), "MyVideos131.db")
	_, err = s.db.Exec(`vacuum into ?`, path)
	return func() (*Sim, error) {
		newer, err := Open(path)
		if err != nil {
			return nil, err
		}
		newer.version = 131
		return newer, newer.write("upgrade", func(a *act) {
			a.exec(schema131)
			a.exec(`insert into videoversion select idFile, idMovie, 'movie', 0, 40400 from movie`)
			a.exec(`update version set idVersion = 131`)
		})
	}, err
}
