package control

import (
	"time"

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

// Order is one verb for some entries: by ids, or by filters, or for all that
// the verb can change.
type Order struct {
	Verb    string       `json:"verb"`
	IDs     []int64      `json:"ids,omitempty"`
	State   string       `json:"state,omitempty"`
	Reason  string       `json:"reason,omitempty"`
	Account string       `json:"account,omitempty"`
	Source  string       `json:"source,omitempty"`
	Kind    viewing.Kind `json:"kind,omitempty"`
	Before  time.Time    `json:"before,omitzero"`
	All     bool         `json:"all,omitempty"`
	// MayDouble has retry take entries in doubt too.
	MayDouble bool `json:"mayDouble,omitempty"`
	// As is what settle says of entries in doubt: that they were delivered,
	// rejected, or are to be dropped.
	As     string `json:"as,omitempty"`
	DryRun bool   `json:"dryRun,omitempty"`
}

// Changed is what an [Order] did, or would do in a dry run.
type Changed struct {
	Verb    string                  `json:"verb"`
	DryRun  bool                    `json:"dryRun"`
	Changed int64                   `json:"changed"`
	From    map[viewing.State]int64 `json:"from"` // by the state they were in
	Left    map[string]int64        `json:"left"` // selected, but not changed, by the reason
	IDs     []int64                 `json:"ids"`  // the first hundred
}

// Edit is a correction; what is not set stays.
type Edit struct {
	Media     *viewing.Media   `json:"media,omitempty"`
	WatchedAt *viewing.Instant `json:"watchedAt,omitempty"`
	DryRun    bool             `json:"dryRun,omitempty"`
}

// Undo says how an entry is taken back.
type Undo struct {
	DryRun bool `json:"dryRun"`
}

// Undone is what taking an entry back did, or would do in a dry run.
type Undone struct {
	Entry
	DryRun  bool `json:"dryRun"`
	Removed bool `json:"removed"` // false: the service had it no more
}
