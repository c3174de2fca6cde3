package entry

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Counts is the number of entries in each state.
type Counts struct {
	Pending   int64 `json:"pending"`
	Sending   int64 `json:"sending"`
	Held      int64 `json:"held"`
	InDoubt   int64 `json:"inDoubt"`
	Rejected  int64 `json:"rejected"`
	Delivered int64 `json:"delivered"`
	Merged    int64 `json:"merged"`
	Dropped   int64 `json:"dropped"`
}

// Burst counts what is held as a burst, of one source.
type Burst struct {
	Source string `json:"source"`
	Held   int64  `json:"held"`
}

// Question is a film or series that a person is asked about: what its held viewings are.
type Question struct {
	Entry int64 `json:"entry"` // the newest of them
	N     int64 `json:"n"`     // how many there are
}

// Filter chooses entries. Its zero value chooses the newest hundred.
type Filter struct {
	State   viewing.State `json:"state,omitempty"`   // "" for all
	Reason  string        `json:"reason,omitempty"`  // exactly; "" for all
	Account string        `json:"account,omitempty"` // "" for all
	Source  string        `json:"source,omitempty"`  // a source's name, or its kind: "browser"; "" for all
	Kind    viewing.Kind  `json:"kind,omitempty"`    // "" for all
	// Kept leaves out what was dropped or merged, and without an account all but the first
	// of several accounts' entries of the same.
	Kept bool `json:"kept,omitempty"`
	// Counted leaves out what does not count in statistics: see [Entry.Counted].
	Counted bool `json:"counted,omitempty"`
	// NoQuestions leaves out what a [Question] stands for.
	NoQuestions bool `json:"noQuestions,omitempty"`
	// Before leaves out what happened at that time or later: was watched, or
	// was committed where nothing was watched. Zero for all.
	Before time.Time `json:"before,omitzero"`
	Since  time.Time `json:"since,omitzero"`  // leaves out what happened before; zero for all
	Words  string    `json:"words,omitempty"` // each of them stands in the title, the series or the list's name; "" for all
	UpTo   int64     `json:"upTo,omitempty"`  // only entries with this id or a smaller one; 0 for all
	Item   string    `json:"item,omitempty"`  // a [viewing.Media.Key]; "" for all
	Limit  int       `json:"limit,omitempty"` // 1 to 1,000; 0 is 100
	Below  int64     `json:"below,omitempty"` // only entries with a smaller id; 0 for all
	// ByTime lists what happened last first, and not what came last. Past then is
	// the entry that the list goes on after; the zero place begins at the latest.
	ByTime bool     `json:"byTime,omitempty"`
	Past   Position `json:"past,omitzero"`
}

// Position is a place in a list by time: when an entry happened, in ms since 1970, and
// its id among those of the same moment.
type Position struct {
	At int64 `json:"at"`
	ID int64 `json:"id"`
}

// HasCondition reports whether any entry can be left out, other than by a page's end.
func (f Filter) HasCondition() bool {
	f.Limit, f.Below, f.ByTime, f.Past = 0, 0, false, Position{}
	return f != Filter{}
}

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
