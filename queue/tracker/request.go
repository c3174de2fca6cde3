package tracker

import (
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Operation is what is asked of a service.
type Operation string

// The operations.
const (
	History   Operation = "history"   // contract 4.1
	Watchlist Operation = "watchlist" // contract 4.2
	Lists     Operation = "lists"     // contract 4.3
	// ListItems is beyond the contract: a service may lack it.
	ListItems Operation = "list items"
)

// ErrUnidentified is wrapped by the error of [NewRequest] for an item that
// has no identifier the service takes.
var ErrUnidentified = errors.New("item has no identifier of the service")

// Request asks a service to record one entry.
type Request struct {
	Operation Operation
	// Media is the item; of all but [Lists].
	Media viewing.Media
	// WatchedAt is of [History] only.
	WatchedAt viewing.Instant
	// Priority is of [Watchlist] only; nil is none.
	Priority *int
	// NewList is the list to create; [Lists] only.
	NewList viewing.List
	// IdempotencyKey is sent in the header of that name; empty sends none.
	IdempotencyKey string
	// List is the service's id of the list; [ListItems] only.
	List string
	// Resend says that this request may have reached the service before with
	// the same IdempotencyKey. A 409 then leaves the doubt where it was.
	Resend bool
}

// NewRequest makes the request that tells the service of one entry. Only
// the arguments of its kind are used. What the field rules refuse is an error
// wrapping [viewing.ErrInvalid]; an item the service cannot name is one
// wrapping [ErrUnidentified].
func NewRequest(kind viewing.Kind, m viewing.Media, watchedAt viewing.Instant, list *viewing.List, priority *int) (Request, error) {
	v := viewing.Event{Kind: kind, EventID: "request"}
	switch kind {
	case viewing.KindViewing:
		v.Media, v.WatchedAt, v.Count = []viewing.Media{m}, watchedAt, 1
	case viewing.KindWatchlist:
		v.Media, v.Priority = []viewing.Media{m}, priority
	case viewing.KindList:
		v.List = list
	}
	if err := v.Validate(); err != nil {
		return Request{}, fmt.Errorf("make request: %w", err)
	}
	r := Request{Media: m}
	switch kind {
	case viewing.KindViewing:
		r.Operation, r.WatchedAt = History, watchedAt
	case viewing.KindWatchlist:
		r.Operation, r.Priority = Watchlist, priority
	default:
		return Request{Operation: Lists, NewList: *list}, nil
	}
	if m.IDs.TMDB == 0 && (kind == viewing.KindWatchlist || !m.Placed()) {
		return Request{}, fmt.Errorf("make request for %s: %w", m.Label(), ErrUnidentified)
	}
	return r, nil
}

// NewListItem makes the request that puts a film or a series on the list with
// that id of the service's. Errors are those of [NewRequest]; an id that cannot
// stand in a path is one wrapping [viewing.ErrInvalid].
func NewListItem(list string, m viewing.Media) (Request, error) {
	v := viewing.Event{Kind: viewing.KindListItem, EventID: "request", InList: "list", Media: []viewing.Media{m}}
	if err := v.Validate(); err != nil {
		return Request{}, fmt.Errorf("make request: %w", err)
	}
	if list == "" || list == "." || list == ".." || len(list) > maxListID {
		return Request{}, fmt.Errorf("make request: %w", &viewing.FieldError{Field: "list", Problem: "the service's id of it is not known"})
	}
	if m.IDs.TMDB == 0 {
		return Request{}, fmt.Errorf("make request for %s: %w", m.Label(), ErrUnidentified)
	}
	return Request{Operation: ListItems, Media: m, List: list}, nil
}

// maxListID bounds the ids of lists, in bytes.
const maxListID = 500
