package library

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Snapshot is one consistent state of a library.
type Snapshot struct {
	Path    string    // the file, or mysql://host:port/database
	Origin  string    // the same for every way that leads to this library
	Version int       // schema number
	Files   []File    // in the order of their ids
	Written time.Time // when the library was last written, as far as that is known to the second; zero when it is not
	Mark    string    // of a library on a server, see [Database.Mark]
}

// File is one row of Kodi's table of files: what Kodi counts plays of. Rows
// that stand for a folder are left out. So are files without an item that lie
// under no source of films or series.
type File struct {
	ID         int64         // idFile; survives a refresh, but not a rebuilt library
	Path       string        // folder and name, as Kodi writes them
	PlayCount  int           // from 0
	LastPlayed string        // Kodi's text, local time without zone; "" when never
	Duration   time.Duration // running time; 0 when unknown or not picked
	InSource   bool          // lies under a source that Kodi scans for films or series
	Folder     string        // that source, as Kodi writes it; "" for none
	Items      []Item        // a film, or the episodes in their order; none when not in the library
}

// Item is a film or an episode of the library. Of a file that was not picked it
// has no media but the type, no genres and no tags.
type Item struct {
	KodiID int64         // idMovie or idEpisode; a refresh changes it
	Media  viewing.Media // a valid item, with the identifiers that can be trusted
	IDRow  int64         // row of its default identifier; a refresh changes it unless it was the last one, 0 for none
	Extra  bool          // an extra of the film (trailer, making-of), not the film
	Genres []string      // as Kodi names them; of an episode, those of its series; not to be changed
	Tags   []string      // likewise
}

// Tagged is a film or a series (viewing.Movie, viewing.TV) that has a tag.
type Tagged struct {
	Tag   string        // as it was asked for
	Media viewing.Media // a valid item, with the identifiers that can be trusted
	Path  string        // the film's file or the series' folder, as Kodi writes it
}
