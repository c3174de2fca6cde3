package control

import (
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The verbs of an [Order].
const (
	Retry   = "retry"
	Hold    = "hold"
	Release = "release"
	Settle  = "settle"
	Drop    = "drop"
)

// Order is one verb for some entries.
type Order struct {
	Verb string `json:"verb"`
	queue.Selection
	// As is what settle says of entries in doubt: that they were delivered,
	// rejected, or are to be dropped.
	As     viewing.State `json:"as,omitempty"`
	DryRun bool          `json:"dryRun,omitempty"`
}

// Edit is a correction of one entry.
type Edit struct {
	ID int64 `json:"-"` // it stands in the path
	queue.Edit
}

func (e *Edit) entry() *int64 { return &e.ID }

// Undo has one entry taken back.
type Undo struct {
	ID     int64 `json:"-"` // it stands in the path
	DryRun bool  `json:"dryRun"`
}

func (u *Undo) entry() *int64 { return &u.ID }

// Pause names the account whose pause begins or ends.
type Pause struct {
	Account string `json:"account"` // empty: all
}

// Undone is what taking an entry back did, or would do in a dry run.
type Undone struct {
	queue.Entry
	DryRun  bool `json:"dryRun"`
	Removed bool `json:"removed"` // false: the service had it no more
}
