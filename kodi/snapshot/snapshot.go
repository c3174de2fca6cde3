// Package snapshot is what a library of films and episodes shows at one moment.
//
// It owns the words between those who read a library (packages library and nfo)
// and those who judge it (packages kodi and rule). It promises to stay plain
// data. It refuses to know how a library is read.
package snapshot

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Snapshot is one consistent state of a library.
type Snapshot struct {
	Path     string        // the file, or mysql://host:port/database
	Origin   string        // the same for every way that leads to this library
	Version  int           // schema number
	Verified bool          // the schema is one that is tested against a real Kodi
	ReadAt   time.Time     // when the reading began
	Files    []File        // in the order of their ids
	Names    string        // changes when an identifier does, or a place in a series, that an item of the library has; "" when not asked for
	Held     time.Duration // the longest time for which Kodi's writes had to wait
	Written  time.Time     // when the library was last written, as far as that is known to the second; zero when it is not
	Mark     string        // stays as long as nothing changes that sends no events, such as a library on a server
}

// File is one row of Kodi's table of files: what Kodi counts plays of. Rows
// that stand for a folder are left out. So are files without an item that lie
// under no source of films or series.
type File struct {
	ID         int64         // idFile; survives a refresh, but not a rebuilt library
	Path       string        // folder and name, as Kodi writes them
	PlayCount  int           // from 0
	LastPlayed string        // Kodi's text, local time without zone; "" when never
	Duration   time.Duration // running time; 0 when unknown
	InSource   bool          // lies under a source that Kodi scans for films or series
	Folder     string        // that source, as Kodi writes it; "" for none
	Outline    bool          // not read in full: Duration is missing, and of each item all but KodiID, IDRow, Extra and the media's type
	Items      []Item        // a film, or the episodes in their order; none when not in the library
}

// Item is a film or an episode of the library.
type Item struct {
	KodiID int64         // idMovie or idEpisode; a refresh changes it
	Media  viewing.Media // a valid item, with the identifiers that can be trusted
	IDRow  int64         // row of its default identifier; a refresh changes it unless it was the last one, 0 for none
	Extra  bool          // an extra of the film (trailer, making-of), not the film
	Genres []string      // as Kodi names them; of an episode, those of its series; not to be changed
	Tags   []string      // likewise
}

// Part is how much of a library to read.
type Part struct {
	// Pick is given the outline of all files, and says which of them are wanted
	// in full. It is asked again when Kodi has written meanwhile. Nil wants all.
	Pick func(Snapshot) func(File) bool
	// Names fills [Snapshot.Names].
	Names bool
}

// Act is a change of a play count that a Kodi has announced.
type Act struct {
	Type  viewing.MediaType // a film or an episode
	ID    int64             // of the item: idMovie or idEpisode
	Count int               // the play count that it led to
	At    time.Time         // when it was announced
	Ended time.Time         // when its playback ended; zero when nothing was played: somebody marked it
}
