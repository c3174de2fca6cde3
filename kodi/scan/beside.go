package scan

import (
	"github.com/filmspool/filmspool/queue/viewing"
)

// Beside is what a scan finds beside viewings.
type Beside struct {
	Watchlist []WishFound `json:"watchlist"` // would be put on the watchlist
	Lists     []ListFound `json:"lists"`     // that have anything new
	Smart     []string    `json:"smart"`     // smart playlists: not evaluated
	Unread    []string    `json:"unread"`    // playlists of which no list is made, and why
	Before    int         `json:"before"`    // wishes that were handed over before
}

// WishFound is one film or series.
type WishFound struct {
	Media viewing.Media `json:"media"`
	Path  string        `json:"path"`
}

// ListFound is one list.
type ListFound struct {
	Name    string      `json:"name"`
	From    string      `json:"from"`              // set or playlist
	New     bool        `json:"new"`               // it would be created
	Items   []WishFound `json:"items"`             // would be put on it
	Left    int         `json:"left,omitempty"`    // entries of the playlist that are left out
	LeftOut []string    `json:"leftOut,omitempty"` // the first 20 of them, and why
}
