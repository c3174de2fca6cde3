package snapshot

import (
	"github.com/filmspool/filmspool/queue/viewing"
)

// Want says what beside the files is read.
type Want struct {
	// Tag is the name of a tag, in any case; "" reads none.
	Tag string
	// Sets is for movie sets and their films.
	Sets bool
	// Films is for all films.
	Films bool
}

// Wishes is what a library holds beside its files, in one consistent state.
type Wishes struct {
	Tagged []Wish // films, then shows, in the order of Kodi's ids
	Sets   []Set  // those that have a film, in the order of Kodi's ids
	// Films are all films by Kodi's ids.
	Films map[int64]Wish
}

// Wish is a film or a series (viewing.Movie, viewing.TV).
type Wish struct {
	Media viewing.Media // a valid item, with the identifiers that can be trusted
	Path  string        // the film's file or the series' folder, as Kodi writes it
}

// Set is a movie set.
type Set struct {
	Name  string // as Kodi has it
	Films []Wish // the earliest first
}
