package scan

import (
	"github.com/filmspool/filmspool/queue/viewing"
)

// Tagged is a film or series that would be put on the watchlist.
type Tagged struct {
	Media viewing.Media `json:"media"`
	Path  string        `json:"path"`
}
