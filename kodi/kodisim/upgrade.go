package kodisim

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Upgrade is an upgrade of a library from schema 121 to 131 under way.
type Upgrade struct {
	path string
}

// BeginUpgrade begins what Kodi 21 does at its first start with a library of
// Kodi 20: beside the old file appears a new one, a copy whose version row
// still holds the old number. The old file stays behind unchanged for ever.
func (s *Sim) BeginUpgrade() (*Upgrade, error) {
	if s.version != 121 {
		return nil, fmt.Errorf("upgrade library: %w: %d", ErrSchema, s.version)
	}
	u := &Upgrade{path: filepath.Join(filepath.Dir(s.path), "MyVideos131.db")}
	if _, err := os.Stat(u.path); err == nil {
		return nil, fmt.Errorf("upgrade library: %s exists", u.path)
	}
	if _, err := s.db.Exec(`vacuum into ?`, u.path); err != nil {
		return nil, fmt.Errorf("upgrade library: %w", err)
	}
	return u, nil
}

// Finish ends the upgrade, first the tables, then the number, and opens the
// new library. Every film gets its file as its standard version.
func (u *Upgrade) Finish() (*Sim, error) {
	s, err := open(u.path, "rw")
	if err != nil {
		return nil, err
	}
	s.version = 131
	for _, step := range []func(*sql.Tx) error{s.addTables, fillVersionTypes, fillVersions, s.setVersion} {
		if err := s.write(step); err != nil {
			return nil, errors.Join(fmt.Errorf("upgrade library: %w", err), s.Close())
		}
	}
	return s, nil
}

// addTables makes the tables that the old schema did not have.
func (s *Sim) addTables(tx *sql.Tx) error {
	all, err := tables(s.version)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.from <= 121 {
			continue
		}
		if _, err := tx.Exec(t.definition()); err != nil {
			return err
		}
	}
	return nil
}

func fillVersions(tx *sql.Tx) error {
	_, err := tx.Exec(`insert into videoversion (idFile, idMedia, media_type, itemType, idType) select idFile, idMovie, 'movie', ?, ? from movie`,
		itemVersion, standardEdition)
	return err
}

func (s *Sim) setVersion(tx *sql.Tx) error {
	_, err := tx.Exec(`update version set idVersion = ?`, s.version)
	return err
}
