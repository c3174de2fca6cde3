package kodisim

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// How schema 131 tells the files of a film apart.
const (
	itemVersion     = 0
	itemExtra       = 1
	standardEdition = 40400
	directorsCut    = 40407
	trailer         = 42000 // types of extras are made as they are needed
)

// AddVersion gives a film another version, in the file at address: schema 131
// alone. Only a playback of that file ([Sim.PlayFile]) counts for it.
func (s *Sim) AddVersion(film Ref, address string, duration time.Duration, at time.Time) error {
	return wrap("add version", s.addFile(film, address, duration, at, itemVersion, directorsCut))
}

// AddExtra gives a film an extra, such as a trailer: schema 131 alone.
func (s *Sim) AddExtra(film Ref, address string, duration time.Duration, at time.Time) error {
	return wrap("add extra", s.addFile(film, address, duration, at, itemExtra, trailer))
}

func (s *Sim) addFile(film Ref, address string, duration time.Duration, at time.Time, item, name int) error {
	if s.version < 131 {
		return fmt.Errorf("%w: %d has one file for each film", ErrSchema, s.version)
	}
	if film.Type != viewing.Movie {
		return fmt.Errorf("%w: only films have versions", ErrNoItem)
	}
	return s.write(func(tx *sql.Tx) error {
		if _, err := fileOf(tx, film); err != nil {
			return err
		}
		_, file, err := scanFile(tx, address, Claim{}, duration, at)
		if err != nil {
			return err
		}
		return addVersion(tx, film.ID, file, item, name)
	})
}

func addVersion(tx *sql.Tx, film, file int64, item, name int) error {
	_, err := tx.Exec(`insert or replace into videoversion (idFile, idMedia, media_type, itemType, idType) values (?, ?, 'movie', ?, ?)`,
		file, film, item, name)
	return err
}

// fillVersionTypes writes the names of versions. Kodi has hundreds; we need
// these.
func fillVersionTypes(tx *sql.Tx) error {
	const query = `insert into videoversiontype (id, name, owner, itemType) values (?, ?, 0, ?)`
	for id, name := range map[int]string{standardEdition: "Standard Edition", directorsCut: "Director's Cut"} {
		if _, err := tx.Exec(query, id, name, itemVersion); err != nil {
			return err
		}
	}
	_, err := tx.Exec(query, trailer, "Trailer", itemExtra)
	return err
}
