package control

import (
	"context"
	"io"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Operator is what a person can have done to entries and accounts.
type Operator interface {
	// Operate retries, holds, releases, settles or drops entries.
	Operate(ctx context.Context, o Order) (Changed, error)
	// Edit corrects one entry that has not been delivered; a dry run tells what
	// it would be.
	Edit(ctx context.Context, id int64, e Edit) (Entry, error)
	// Undo takes a delivered viewing back from the service, where that takes
	// nothing else along; a dry run only finds out.
	Undo(ctx context.Context, id int64, dry bool) (Undone, error)
	// Export writes everything that was reported, with what became of it, as
	// JSON lines.
	Export(ctx context.Context, w io.Writer) error
	// Import takes such lines; a dry run changes nothing.
	Import(ctx context.Context, r io.Reader, dry bool) (queue.Imported, error)
	// Backup writes a copy of the whole queue, a database. A service may be kept
	// from writing files but its own, so whoever asks makes the file.
	Backup(ctx context.Context, w io.Writer) error
	// Pause stops sending for one account, or for all when it is empty, until
	// Resume; nothing is relabelled. Both tell how the accounts stand.
	Pause(ctx context.Context, account string) ([]Account, error)
	Resume(ctx context.Context, account string) ([]Account, error)
}

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

// Undone is what taking an entry back did, or would do in a dry run.
type Undone struct {
	Entry
	DryRun  bool `json:"dryRun"`
	Removed bool `json:"removed"` // false: the service had it no more
}
