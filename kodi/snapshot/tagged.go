package snapshot

import (
	"github.com/filmspool/filmspool/queue/viewing"
)

// Tagged is a film or a series (viewing.Movie, viewing.TV) that has a tag.
type Tagged struct {
	Media viewing.Media // a valid item, with the identifiers that can be trusted
	Path  string        // the film's file or the series' folder, as Kodi writes it
}
