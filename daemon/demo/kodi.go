package demo

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver of Kodi's library
)

// kodiLibrary was made by a real Kodi 20.1: eight films and two series, just
// scanned.
//
//go:embed kodi.db.gz
var kodiLibrary []byte

// Files of the library, by Kodi's idFile.
const (
	firstFilm     = 1
	doubleEpisode = 15 // one file with two episodes
)

// unpackLibrary puts the library into Kodi's userdata folder and opens it.
func unpackLibrary(userdata string) (*sql.DB, error) {
	folder := filepath.Join(userdata, "Database")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("unpack library: %w", err)
	}
	packed, err := gzip.NewReader(bytes.NewReader(kodiLibrary))
	if err != nil {
		return nil, fmt.Errorf("unpack library: %w", err)
	}
	content, err := io.ReadAll(packed)
	if err != nil {
		return nil, fmt.Errorf("unpack library: %w", err)
	}
	path := filepath.Join(folder, "MyVideos121.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return nil, fmt.Errorf("unpack library: %w", err)
	}
	address := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: "_pragma=busy_timeout(5000)"}
	return sql.Open("sqlite", address.String())
}

// playToEnd writes what Kodi writes when a file was played to its end.
func playToEnd(ctx context.Context, library *sql.DB, file int, at time.Time) error {
	_, err := library.ExecContext(ctx, `update files set playCount = ifnull(playCount, 0) + 1, lastPlayed = ? where idFile = ?`,
		at.Format(time.DateTime), file)
	if err != nil {
		return fmt.Errorf("play file %d in Kodi: %w", file, err)
	}
	return nil
}
