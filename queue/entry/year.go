package entry

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Year is what was watched in one calendar year. What was dropped or merged counts for
// nothing; what waits or is held counts, as it was watched.
type Year struct {
	Year  int `json:"year"`
	First int `json:"first"` // the first year with a viewing; 0 without any
	Last  int `json:"last"`  // the last one

	Days []Day `json:"days"` // those with a viewing, in order
	// Series and Films are the most watched ones; a film only where it was watched more
	// than once.
	Series   []Ranked    `json:"series"`
	Films    []Ranked    `json:"films"`
	BySource []Ranked    `json:"bySource"`
	Sum      Watched     `json:"sum"`
	Months   [12]Watched `json:"months"`
}

// Watched counts viewings. Minutes is their length as far as it is known, of Measured of
// them.
type Watched struct {
	Films    int `json:"films"`
	Episodes int `json:"episodes"`
	Minutes  int `json:"minutes"`
	Measured int `json:"measured"`
}

// Add adds another count.
func (w *Watched) Add(o Watched) {
	w.Films, w.Episodes, w.Minutes, w.Measured = w.Films+o.Films, w.Episodes+o.Episodes, w.Minutes+o.Minutes, w.Measured+o.Measured
}

// Viewings is how many there are.
func (w Watched) Viewings() int { return w.Films + w.Episodes }

// Day is what was watched on one local day.
type Day struct {
	Date time.Time `json:"date"` // its beginning
	Watched
}

// Ranked is a series, a film or a source with the number of its viewings.
type Ranked struct {
	Name string `json:"name"`
	// Media is the series or film; nil for a source.
	Media *viewing.Media `json:"media,omitempty"`
	Entry int64          `json:"entry,omitempty"` // one of them; 0 for a source
	N     int            `json:"n"`
}
