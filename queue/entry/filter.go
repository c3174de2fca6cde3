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

// Burst is the number of entries of one source that are held as a burst.
type Burst struct {
	Source string `json:"source"`
	Held   int64  `json:"held"`
}

// Question asks a person what a film or series is whose held viewings have no identifier.
type Question struct {
	Entry int64 `json:"entry"` // the newest of these viewings
	N     int64 `json:"n"`     // number of viewings
}

// Filter selects entries. Its zero value selects the newest hundred.
type Filter struct {
	State   viewing.State `json:"state,omitempty"`   // "" for all
	Reason  string        `json:"reason,omitempty"`  // exactly; "" for all
	Account string        `json:"account,omitempty"` // "" for all
	Source  string        `json:"source,omitempty"`  // a source's name, or its kind: "browser"; "" for all
	Kind    viewing.Kind  `json:"kind,omitempty"`    // "" for all
	// Kept leaves out dropped and merged entries. Without an account, it also leaves out
	// all but the first of several accounts' entries of one viewing.
	Kept bool `json:"kept,omitempty"`
	// Counted selects what counts in statistics: see [Entry.Counted].
	Counted bool `json:"counted,omitempty"`
	// NoQuestions leaves out the viewings of a [Question].
	NoQuestions bool `json:"noQuestions,omitempty"`
	// Before and Since limit when entries were watched; watchlist and lists, when they
	// were committed. Before itself is excluded. Zero for all.
	Before time.Time `json:"before,omitzero"`
	Since  time.Time `json:"since,omitzero"`  // see Before; Since itself is included
	Words  string    `json:"words,omitempty"` // all must be in the title, the series or the list's name; "" for all
	UpTo   int64     `json:"upTo,omitempty"`  // only entries with this id or a smaller one; 0 for all
	Item   string    `json:"item,omitempty"`  // a [viewing.Media.Key]; "" for all
	Limit  int       `json:"limit,omitempty"` // 1 to 1,000; 0 is 100
	Below  int64     `json:"below,omitempty"` // only entries with a smaller id; 0 for all
	// ByTime sorts by time instead of id, the latest first. The list then continues
	// after the position Past; the zero position begins at the latest.
	ByTime bool     `json:"byTime,omitempty"`
	Past   Position `json:"past,omitzero"`
}

// Position is a position in a list by time: when an entry was watched or committed, in
// milliseconds since 1970, and its id.
type Position struct {
	At int64 `json:"at"`
	ID int64 `json:"id"`
}

// HasCondition reports whether the filter can leave out any entry, apart from paging.
func (f Filter) HasCondition() bool {
	f.Limit, f.Below, f.ByTime, f.Past = 0, 0, false, Position{}
	return f != Filter{}
}

// Year is the statistics of one calendar year. Dropped and merged viewings do not count; pending
// ones do: see [Entry.Counted].
type Year struct {
	Year  int `json:"year"`
	First int `json:"first"` // the first year with a viewing; 0 without any
	Last  int `json:"last"`  // the last one

	Days []Day `json:"days"` // the days with a viewing, in order
	// Series and Films are the most watched ones; films only if watched more than once.
	Series   []Ranked    `json:"series"`
	Films    []Ranked    `json:"films"`
	BySource []Ranked    `json:"bySource"`
	Sum      Watched     `json:"sum"`
	Months   [12]Watched `json:"months"`
}

// Watched counts viewings. Minutes is the total length of the Measured viewings whose length is
// known.
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

// Viewings returns the number of viewings.
func (w Watched) Viewings() int { return w.Films + w.Episodes }

// Day is what was watched on one local day.
type Day struct {
	Date time.Time `json:"date"` // the beginning of the day
	Watched
}

// Ranked is a series, a film or a source with the number of its viewings.
type Ranked struct {
	Name string `json:"name"`
	// Media is the series or film; nil for a source.
	Media *viewing.Media `json:"media,omitempty"`
	Entry int64          `json:"entry,omitempty"` // one of its entries; 0 for a source
	N     int            `json:"n"`
}
