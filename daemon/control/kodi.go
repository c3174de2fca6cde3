package control

import (
	"time"

	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/viewing"
)

// KodiImport says what to import.
type KodiImport struct {
	DryRun bool      `json:"dryRun"`
	NFO    string    `json:"nfo,omitempty"`  // read NFO files below this absolute path, or this videodb.xml, in place of the libraries
	Since  time.Time `json:"since,omitzero"` // leave out what ended before
	// Yes imports though a service cannot be asked what it has already.
	Yes bool `json:"yes"`
}

// KodiImported is what an import has handed over, or would hand over.
type KodiImported struct {
	DryRun    bool           `json:"dryRun"`
	Libraries []kodi.Preview `json:"libraries"`
	Services  []KodiService  `json:"services"`
	// NeedsYes says that something would be sent to a service that cannot be
	// asked what it has already.
	NeedsYes bool `json:"needsYes"`
	// SendSeconds is about how long the sending takes; 0 when nothing slows it.
	SendSeconds int64 `json:"sendSeconds"`
}

// Plays is how many viewings are, or would be, handed over.
func (i KodiImported) Plays() (n int) {
	for _, l := range i.Libraries {
		n += l.Plays()
	}
	return n
}

// KodiService is whether an account's service tells what it has.
type KodiService struct {
	Account  string          `json:"account"`
	Readable bool            `json:"readable"`
	Reason   viewing.Message `json:"reason,omitzero"` // why not
}

// KodiProgress is how far one import has come.
type KodiProgress struct {
	Userdata  string    `json:"userdata"`
	Running   bool      `json:"running"`
	Done      int       `json:"done"`  // events that are on disk
	Total     int       `json:"total"` // events in all
	StartedAt time.Time `json:"startedAt"`
}
