package tracker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Operation is an API operation; its value is the path below the base address.
type Operation string

// The operations that record something.
const (
	History   Operation = "history"   // contract 4.1
	Watchlist Operation = "watchlist" // contract 4.2
	Lists     Operation = "lists"     // contract 4.3
	// ListItems is not in the contract, so a service may not have it. Its path contains the list's id.
	ListItems Operation = "list items"
)

// ErrUnidentified is wrapped by the error of [Request.Check] for an item without an identifier of the service.
var ErrUnidentified = errors.New("item has no identifier of the service")

// Request asks a service to record one entry.
type Request struct {
	Kind      viewing.Kind
	Media     viewing.Media   // the item; not for a list
	WatchedAt viewing.Instant // of a viewing
	Priority  *int            // of a watchlist item
	NewList   *viewing.List   // the list to create
	List      string          // the service's id of the list to add the item to
	// IdempotencyKey is sent in the Idempotency-Key header; empty sends none.
	IdempotencyKey string
	// Resend says that the service may have received this request before, with the same IdempotencyKey.
	// A 409 then keeps the entry in doubt.
	Resend bool
}

// Check returns an error if the request cannot be sent: [ErrUnidentified], wrapped, for an item without an
// identifier, or another error for a list id that cannot be part of a path. The rest was validated when the entry
// was queued.
func (r Request) Check() error {
	switch {
	case r.Kind == viewing.KindListItem && (r.List == "" || r.List == "." || r.List == ".."):
		return fmt.Errorf("make request: %q is not the id of a list", r.List)
	case r.Kind != viewing.KindList && r.Media.IDs.TMDB == 0 && (r.Kind != viewing.KindViewing || !r.Media.Placed()):
		return fmt.Errorf("make request for %s: %w", r.Media.Label(), ErrUnidentified)
	default:
		return nil
	}
}

func (r Request) operation() Operation {
	return map[viewing.Kind]Operation{
		viewing.KindViewing: History, viewing.KindWatchlist: Watchlist, viewing.KindList: Lists, viewing.KindListItem: ListItems,
	}[r.Kind]
}

// input is the body of every operation (contract 2.1 to 2.3), and of an item of a list.
type input struct {
	Type          viewing.MediaType `json:"type,omitempty"`
	ID            int64             `json:"id,omitempty"`
	Count         int               `json:"count,omitempty"`
	WatchedAt     string            `json:"watchedAt,omitempty"`
	TVShowID      int64             `json:"tvShowId,omitempty"`
	SeasonNumber  *int              `json:"seasonNumber,omitempty"`
	EpisodeNumber *int              `json:"episodeNumber,omitempty"`
	Priority      *int              `json:"priority,omitempty"`
	Name          string            `json:"name,omitempty"`
	Description   string            `json:"description,omitempty"`
	Visibility    string            `json:"visibility,omitempty"`
}

// encode returns the JSON body of a request. A time is in UTC, with milliseconds if there are any. A list always has
// a visibility: the contract has no default, and a service's default might be public. The last byte is the closing
// brace, so that a truncated request is not valid JSON.
func encode(r Request) []byte {
	in := input{Type: r.Media.Type, ID: r.Media.IDs.TMDB, Priority: r.Priority}
	switch r.Kind {
	case viewing.KindViewing:
		in.Count, in.WatchedAt = 1, r.WatchedAt.Time().Format("2006-01-02T15:04:05.999Z07:00")
		if r.Media.Placed() {
			in.ID, in.TVShowID, in.SeasonNumber, in.EpisodeNumber = 0, r.Media.Show.IDs.TMDB, r.Media.Season, r.Media.Episode
		}
	case viewing.KindList:
		in = input{Name: r.NewList.Name, Description: r.NewList.Description, Visibility: cmp.Or(r.NewList.Visibility, "PRIVATE")}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(in) // numbers and texts always encode
	return bytes.TrimSpace(b.Bytes())
}
