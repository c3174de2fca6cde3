package kodisim

import (
	"database/sql"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// AddFilm scans a film in, whose file dates from at. A file that Kodi knows
// already, because it was played before or its film removed, keeps its row
// and loses its play count and last time, unless the NFO claims some.
func (s *Sim) AddFilm(f Film, at time.Time) (Ref, error) {
	ref := Ref{Type: viewing.Movie}
	err := s.write(func(tx *sql.Tx) error {
		if err := f.complete(tx); err != nil {
			return err
		}
		folder, file, err := scanFile(tx, f.Path, f.Claim, f.Duration, at)
		if err != nil {
			return err
		}
		ref.ID, err = insert(tx, `insert into movie (idFile, c00, c01, c02, c03, c05, c06, c08, c10, c11, c12, c13, c14, c15, c16, c18, c19, c20, c21, c22, c23, premiered)
			values (?, ?, '', '', '', '-1', '', '', '', '0', '', '0', '', '', '', '', '', '', '', ?, ?, ?)`,
			file, f.Title, f.Path, fmt.Sprint(folder), yearText(f.Year))
		if err != nil {
			return err
		}
		if err := setIDs(tx, ref, f.IDs); err != nil {
			return err
		}
		if s.version >= 131 {
			err = addVersion(tx, ref.ID, file, itemVersion, standardEdition)
		}
		return err
	})
	return ref, wrap("add film "+f.Title, err)
}

// complete fills in the path.
func (f *Film) complete(tx *sql.Tx) error {
	if f.Path != "" {
		return nil
	}
	folder, err := source(tx, "movies")
	name := f.Title
	if f.Year > 0 {
		name = fmt.Sprintf("%s (%d)", f.Title, f.Year)
	}
	f.Path = folder + name + "/" + name + ".mkv"
	return err
}

func yearText(year int) string {
	if year == 0 {
		return ""
	}
	return fmt.Sprint(year)
}

// scanFile is what a scan does for any file: folder, file, claims, streams.
func scanFile(tx *sql.Tx, address string, claim Claim, duration time.Duration, at time.Time) (folder, file int64, err error) {
	dir, name := split(address)
	if folder, err = folderID(tx, dir); err != nil {
		return 0, 0, err
	}
	if file, err = fileID(tx, folder, name, at); err != nil {
		return 0, 0, err
	}
	plays, last := claim.columns()
	if _, err := tx.Exec(`update files set playCount = ?, lastPlayed = ? where idFile = ?`, plays, last, file); err != nil {
		return 0, 0, err
	}
	if _, err := tx.Exec(`update path set strHash = ? where idPath = ? and idPath in
		(select c.idPath from path c join path p on p.idPath = c.idParentPath where p.strContent = 'movies')`, hash(dir, at), folder); err != nil {
		return 0, 0, err
	}
	return folder, file, addStreams(tx, file, duration)
}

// hash stands for what Kodi keeps to see whether a folder changed.
func hash(folder string, at time.Time) string {
	h := fnv.New128a()
	_, _ = h.Write([]byte(folder + clock(at))) // never fails
	return fmt.Sprintf("%x", h.Sum(nil))
}

// addStreams notes a video stream of that length, once.
func addStreams(tx *sql.Tx, file int64, duration time.Duration) error {
	if duration <= 0 {
		return nil
	}
	_, err := tx.Exec(`insert into streamdetails (idFile, iStreamType, strVideoCodec, fVideoAspect, iVideoWidth, iVideoHeight, iVideoDuration, strStereoMode, strVideoLanguage, strHdrType)
		select ?1, 0, 'mpeg4', 1.777778, 160, 90, ?2, '', '', '' where not exists (select 1 from streamdetails where idFile = ?1)`,
		file, int64(duration/time.Second))
	return err
}

// setIDs writes an item's identifiers and names the default one.
func setIDs(tx *sql.Tx, ref Ref, ids viewing.IDs) error {
	k, err := ref.kind()
	if err != nil {
		return err
	}
	standard, err := writeIDs(tx, k.media, ref.ID, ids)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`update `+k.table+` set `+k.unique+` = ? where `+k.key+` = ?`, fmt.Sprint(standard), ref.ID)
	return err
}

// AddShow scans a show in, whose folder dates from at; it has no episodes yet.
func (s *Sim) AddShow(sh Show, at time.Time) (Ref, error) {
	ref := Ref{Type: viewing.TV}
	err := s.write(func(tx *sql.Tx) error {
		if err := sh.complete(tx); err != nil {
			return err
		}
		folder, err := folderID(tx, sh.Path)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`update path set strHash = ?, dateAdded = ? where idPath = ?`, hash(sh.Path, at), clock(at), folder); err != nil {
			return err
		}
		premiered := "1970-01-01" // what Kodi writes when it does not know
		if sh.Year > 0 {
			premiered = fmt.Sprintf("%d-01-01", sh.Year)
		}
		ref.ID, err = insert(tx, `insert into tvshow (c00, c01, c02, c04, c05, c06, c08, c09, c10, c11, c13, c14, c15, c16)
			values (?, '', '', '-1', ?, '', '', '', '', '', '', '', '', '')`, sh.Title, premiered)
		if err != nil {
			return err
		}
		if err := setIDs(tx, ref, sh.IDs); err != nil {
			return err
		}
		if _, err := tx.Exec(`insert into tvshowlinkpath (idShow, idPath) values (?, ?)`, ref.ID, folder); err != nil {
			return err
		}
		return run(tx, []string{ // every show has "all seasons" and the specials
			`insert into seasons (idShow, season, name) values (?, -1, '')`,
			`insert into seasons (idShow, season, name) values (?, 0, '')`,
		}, ref.ID)
	})
	return ref, wrap("add show "+sh.Title, err)
}

func (sh *Show) complete(tx *sql.Tx) error {
	if sh.Path != "" {
		return nil
	}
	folder, err := source(tx, "tvshows")
	sh.Path = folder + sh.Title + "/"
	return err
}

// AddEpisodeFile scans a file of a show in, which dates from at, with all the
// episodes that it holds. They share one row of files, hence one play count.
func (s *Sim) AddEpisodeFile(show Ref, f EpisodeFile, at time.Time) ([]Ref, error) {
	var refs []Ref
	err := s.write(func(tx *sql.Tx) error {
		if err := f.complete(tx, show); err != nil {
			return err
		}
		folder, file, err := scanFile(tx, f.Path, f.Claim, f.Duration, at)
		if err != nil {
			return err
		}
		for _, e := range f.Episodes {
			ref, err := addEpisode(tx, show, e, f.Path, folder, file)
			if err != nil {
				return err
			}
			refs = append(refs, ref)
		}
		return nil
	})
	return refs, wrap("add episodes to "+show.String(), err)
}

// complete fills in the path and checks that the show is there.
func (f *EpisodeFile) complete(tx *sql.Tx, show Ref) error {
	if len(f.Episodes) == 0 || show.Type != viewing.TV {
		return fmt.Errorf("%w: episodes belong to a show, and at least one to a file", ErrNoItem)
	}
	var folder, title string
	err := tx.QueryRow(`select strPath, c00 from tvshow join tvshowlinkpath using (idShow) join path using (idPath) where idShow = ?`,
		show.ID).Scan(&folder, &title)
	if err != nil || f.Path != "" {
		return err
	}
	var name strings.Builder
	fmt.Fprintf(&name, "%s S%02d", title, f.Episodes[0].Season)
	for _, e := range f.Episodes {
		fmt.Fprintf(&name, "E%02d", e.Number)
	}
	f.Path = fmt.Sprintf("%sSeason %02d/%s.mkv", folder, f.Episodes[0].Season, &name)
	return nil
}

func addEpisode(tx *sql.Tx, show Ref, e Episode, address string, folder, file int64) (Ref, error) {
	ref := Ref{Type: viewing.Episode}
	if _, err := tx.Exec(`insert into seasons (idShow, season, name) select ?1, ?2, '' where not exists
		(select 1 from seasons where idShow = ?1 and season = ?2)`, show.ID, e.Season); err != nil {
		return ref, err
	}
	id, err := insert(tx, `insert into episode (idFile, c00, c01, c03, c04, c05, c06, c09, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, idShow, idSeason)
		values (?, ?, '', '-1', '', '1970-01-01', '', '0', '', '', ?, ?, '', '-1', '-1', '-1', ?, ?, ?,
			(select idSeason from seasons where idShow = ? and season = ?))`,
		file, e.Title, fmt.Sprint(e.Season), fmt.Sprint(e.Number), address, fmt.Sprint(folder), show.ID, show.ID, e.Season)
	if err != nil {
		return ref, err
	}
	ref.ID = id
	return ref, setIDs(tx, ref, e.IDs)
}

// wrap says which act failed.
func wrap(act string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", act, err)
}
