package kodisim

import (
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Create makes the userdata folder dir with an empty library of schema 121
// (Kodi 20) or 131 (Kodi 21) in it: Database/MyVideosNNN.db, with one source
// of films, /media/films/, and one of series, /media/series/.
func Create(dir string, version int) (*Sim, error) {
	if version != 121 && version != 131 {
		return nil, fmt.Errorf("create library: %w: %d", ErrSchema, version)
	}
	path, err := place(dir, version)
	if err != nil {
		return nil, err
	}
	s, err := open(path, "rwc")
	if err != nil {
		return nil, err
	}
	s.version = version
	if err := s.write(s.fill); err != nil {
		return nil, errors.Join(fmt.Errorf("create library: %w", err), s.Close())
	}
	return s, nil
}

// place makes the Database folder and refuses to overwrite.
func place(dir string, version int) (string, error) {
	folder := filepath.Join(dir, "Database")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("create library: %w", err)
	}
	path := filepath.Join(folder, fmt.Sprintf("MyVideos%d.db", version))
	if _, err := os.Stat(path); err == nil {
		return "", fmt.Errorf("create library: %s exists", path)
	}
	return path, nil
}

// fill makes the tables and the rows that an empty library has.
func (s *Sim) fill(tx *sql.Tx) error {
	all, err := tables(s.version)
	if err != nil {
		return err
	}
	var statements []string
	for _, t := range all {
		statements = append(statements, t.definition())
	}
	statements = append(statements, indexes()...)
	for _, statement := range statements {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	if s.version >= 131 {
		if err := fillVersionTypes(tx); err != nil {
			return err
		}
	}
	const source = `insert into path (strPath, strContent, strScraper, strHash, scanRecursive, useFolderNames, strSettings, noUpdate, exclude, allAudio)
		values (?, ?, 'metadata.local', '', ?, 0, '<settings version="2"></settings>', 0, 0, 0)`
	if _, err := tx.Exec(source, "/media/films/", "movies", 2147483647); err != nil {
		return err
	}
	if _, err := tx.Exec(source, "/media/series/", "tvshows", 0); err != nil {
		return err
	}
	_, err = tx.Exec(`insert into version (idVersion, iCompressCount) values (?, 0)`, s.version)
	return err
}
