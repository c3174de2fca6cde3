package control

import (
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
)

// Edit is a correction of one entry.
type Edit struct {
	ID int64 `json:"id"`
	entry.Edit
}

// Fix says what the film or series of an entry is, or asks what it may be.
type Fix struct {
	ID int64 `json:"id"`
	// What is what a person typed: a number, an address, or words of a title.
	What string `json:"what,omitempty"`
	// Season and Episode are the place of an episode; nil is what What names, or leaves it as it is.
	Season  *int `json:"season,omitempty"`
	Episode *int `json:"episode,omitempty"`
	// Is is what they have chosen; nil has candidates told, and changes nothing.
	Is *resolve.Candidate `json:"is,omitempty"`
	// DryRun has it told what would be changed, and changes nothing.
	DryRun bool `json:"dryRun,omitempty"`
}

// Fixed is what a [Fix] did, or what may be chosen.
type Fixed struct {
	Entry      entry.Entry         `json:"entry"`
	Candidates []resolve.Candidate `json:"candidates"`
	// Certain is the candidate that alone is meant; absent where that is not
	// certain, and once it is chosen.
	Certain *resolve.Candidate `json:"certain,omitempty"`
	// Searched says that candidates were looked for by words.
	Searched bool `json:"searched,omitempty"`
	// Season and Episode are the place that was given.
	Season  *int `json:"season,omitempty"`
	Episode *int `json:"episode,omitempty"`
	resolve.Corrected
}

// Undo has one entry taken back.
type Undo struct {
	ID     int64 `json:"id"`
	DryRun bool  `json:"dryRun"`
}

// Pause names the account whose pause begins or ends.
type Pause struct {
	Account string `json:"account"` // empty: all
	// Until is when a pause ends by itself; zero is never.
	Until time.Time `json:"until,omitzero"`
	// Drop has what is watched until then dropped. It needs an end: a silence that
	// is forgotten would lose what is watched.
	Drop bool `json:"drop,omitempty"`
}

// Undone is what taking an entry back did, or would do in a dry run.
type Undone struct {
	entry.Entry
	DryRun  bool `json:"dryRun"`
	Removed bool `json:"removed"` // false: the service had it no more
}
