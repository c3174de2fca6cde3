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

// Undo says how an entry is taken back.
type Undo struct {
	DryRun bool `json:"dryRun"`
}

// Undone is what taking an entry back did, or would do in a dry run.
type Undone struct {
	queue.Entry
	DryRun  bool `json:"dryRun"`
	Removed bool `json:"removed"` // false: the service had it no more
}
