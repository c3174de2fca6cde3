package identity

import (
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Correction is what a person has said that a film or series is. It holds for
// all that is told alike and has no identifier.
type Correction struct {
	ID      int64     `json:"id"`
	Told    Clue      `json:"told"`
	Is      Candidate `json:"is"`
	Since   time.Time `json:"since"`
	Entries int64     `json:"entries"` // that have their identity from it, as long as they are kept
}

// Said is the correction as a step of an entry's explanation.
func (c Correction) Said() string { return fmt.Sprintf("You said that it is %s.", c.Is) }

// Tells reports whether the correction tells what an item is.
func (c Correction) Tells(m viewing.Media) bool {
	clue := ClueOf(m)
	return !m.Unsure && slices.Contains(clue.Keys(), c.Told.Key()) && c.Is.Apply(m).Identified() && !c.Told.Contradicts(clue)
}

// Telling is the first correction that tells what an item is; nil for none.
func Telling(all []Correction, m viewing.Media) *Correction {
	if at := slices.IndexFunc(all, func(c Correction) bool { return c.Tells(m) }); at >= 0 {
		return &all[at]
	}
	return nil
}

// Moved reports whether an item has another season or number than was told.
func Moved(told, m viewing.Media) bool {
	other := func(a, b *int) bool { return a != nil && b != nil && *a != *b }
	return other(told.Season, m.Season) || other(told.Episode, m.Episode)
}

// Corrected is what a correction did.
type Corrected struct {
	// Remembered holds for what comes: of several, the one by the site's own number.
	// It is nil where nothing can be remembered: the evidence is not to be trusted,
	// names no work, or told a TMDB number itself, or a person gave another place.
	Remembered *Correction `json:"remembered"`
	// Before is what was said of it earlier and no longer holds; nil where nothing was.
	Before *Candidate `json:"before,omitempty"`
	// AlsoChanged is how many entries followed, besides the one that was named.
	AlsoChanged int64 `json:"alsoChanged"`
}
