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

// Wave counts what is held as a burst, of one source.
type Wave struct {
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
	ByTime bool  `json:"byTime,omitempty"`
	Past   Place `json:"past,omitzero"`
}

// Place is a place in a list by time: when an entry happened, in ms since 1970, and
// its id among those of the same moment.
type Place struct {
	At int64 `json:"at"`
	ID int64 `json:"id"`
}

// Chooses reports whether any entry can be left out, other than by a page's end.
func (f Filter) Chooses() bool {
	f.Limit, f.Below, f.ByTime, f.Past = 0, 0, false, Place{}
	return f != Filter{}
}
