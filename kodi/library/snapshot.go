package library

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Snapshot is one consistent state of a library.
type Snapshot struct {
	Path    string    // file path, or mysql://host:port/database
	Origin  string    // identifies the library, whatever link or address leads to it
	Version int       // schema number
	Files   []File    // sorted by id
	Written time.Time // last write; zero if unknown
	Stamp   string    // checksum of a library on a server, see [Database.Checksum]
}

// File is one row of Kodi's table of files, which hold the play counts. Rows for folders are left
// out, and so are files without an item outside the sources of films and series.
type File struct {
	ID         int64         // idFile; survives a refresh, but not a rebuilt library
	Path       string        // folder and name, as Kodi writes them
	PlayCount  int           // 0 or more
	LastPlayed string        // Kodi's text: local time without a zone, or ""
	Duration   time.Duration // running time; 0 if unknown or not picked
	InSource   bool          // lies in a source that Kodi scans for films or series
	Folder     string        // that source, as Kodi writes it; "" for none
	Items      []Item        // a film, or the episodes in order; none if the file is not in the library
}

// Item is a film or an episode of the library. In a file that was not picked, its media has only
// the type, and it has no genres and tags.
type Item struct {
	KodiID int64         // idMovie or idEpisode; a refresh changes it
	Media  viewing.Media // valid, with reliable identifiers only
	IDRow  int64         // row of its default identifier, 0 for none; a refresh mostly changes it
	Extra  bool          // an extra of the film, such as a trailer
	Genres []string      // as in Kodi; for an episode, those of its series; read-only
	Tags   []string      // as in Kodi; for an episode, those of its series; read-only
}

// Tagged is a film or a series (viewing.Movie, viewing.TV) that has a tag.
type Tagged struct {
	Tag   string        // as passed to [Database.ReadTagged]
	Media viewing.Media // valid, with reliable identifiers only
	Path  string        // the film's file or the series' folder, as Kodi writes it
}
