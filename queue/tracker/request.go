package tracker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Operation is what is asked of a service, and its path below the base address.
type Operation string

// The operations that record something.
const (
	History   Operation = "history"   // contract 4.1
	Watchlist Operation = "watchlist" // contract 4.2
	Lists     Operation = "lists"     // contract 4.3
	// ListItems is beyond the contract, and its path holds the list's id: a service may lack it.
	ListItems Operation = "list items"
)

// ErrUnidentified is wrapped by the error of [NewRequest] for an item without an identifier of the service.
var ErrUnidentified = errors.New("item has no identifier of the service")

// maxListID bounds the ids of lists, in bytes.
const maxListID = 500

// Request asks a service to record one entry.
type Request struct {
	Operation Operation
	Media     viewing.Media   // the item; not for [Lists]
	WatchedAt viewing.Instant // [History] only
	Priority  *int            // [Watchlist] only
	NewList   viewing.List    // the list to create; [Lists] only
	List      string          // the service's id of the list; [ListItems] only
	// IdempotencyKey is sent in the header of that name; empty sends none.
	IdempotencyKey string
	// Resend says that the service may have received this request before, with the same IdempotencyKey.
	// A 409 then leaves the doubt where it was.
	Resend bool
}

// NewRequest makes the request that tells the service of one entry. Only the arguments of its kind are used.
// What the field rules refuse is an error wrapping [viewing.ErrInvalid]; an item the service cannot name is
// one wrapping [ErrUnidentified].
func NewRequest(kind viewing.Kind, m viewing.Media, watchedAt viewing.Instant, list *viewing.List, priority *int) (Request, error) {
	v, r := viewing.Event{Kind: kind, EventID: "request"}, Request{Media: m}
	switch kind {
	case viewing.KindViewing:
		v.Media, v.WatchedAt, v.Count = []viewing.Media{m}, watchedAt, 1
		r.Operation, r.WatchedAt = History, watchedAt
	case viewing.KindWatchlist:
		v.Media, v.Priority = []viewing.Media{m}, priority
		r.Operation, r.Priority = Watchlist, priority
	case viewing.KindList:
		v.List = list
	}
	if err := v.Validate(); err != nil {
		return Request{}, fmt.Errorf("make request: %w", err)
	}
	if kind == viewing.KindList {
		return Request{Operation: Lists, NewList: *list}, nil
	}
	if m.IDs.TMDB == 0 && (kind == viewing.KindWatchlist || !m.Placed()) {
		return Request{}, fmt.Errorf("make request for %s: %w", m.Label(), ErrUnidentified)
	}
	return r, nil
}

// NewListItem makes the request that puts a film or a series on the list with that id of the service's.
// Errors are those of [NewRequest]; an id that cannot stand in a path is one wrapping [viewing.ErrInvalid].
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

// historyInput is the body of add-to-history (contract 2.1).
type historyInput struct {
	Type          viewing.MediaType `json:"type"`
	ID            int64             `json:"id,omitempty"`
	Count         int               `json:"count"`
	WatchedAt     string            `json:"watchedAt"`
	TVShowID      int64             `json:"tvShowId,omitempty"`
	SeasonNumber  *int              `json:"seasonNumber,omitempty"`
	EpisodeNumber *int              `json:"episodeNumber,omitempty"`
}

// itemInput is the body of add-to-watchlist (contract 2.2), and of an item of a list.
type itemInput struct {
	Type     viewing.MediaType `json:"type"`
	ID       int64             `json:"id"`
	Priority *int              `json:"priority,omitempty"`
}

// listInput is the body of create-list (contract 2.3). It always names the visibility: the contract has no
// default, and a service's own might be public.
type listInput struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Visibility  string `json:"visibility"`
}

// encode writes the body of a request. The last byte is the closing brace, so that a request cut anywhere is
// no JSON.
func encode(r Request) []byte {
	var in any
	switch r.Operation {
	case History:
		h := historyInput{Type: r.Media.Type, Count: 1, WatchedAt: formatInstant(r.WatchedAt)}
		if r.Media.Placed() {
			h.TVShowID, h.SeasonNumber, h.EpisodeNumber = r.Media.Show.IDs.TMDB, r.Media.Season, r.Media.Episode
		} else {
			h.ID = r.Media.IDs.TMDB
		}
		in = h
	case Lists:
		l := listInput(r.NewList)
		l.Visibility = cmp.Or(l.Visibility, "PRIVATE")
		in = l
	default:
		in = itemInput{Type: r.Media.Type, ID: r.Media.IDs.TMDB, Priority: r.Priority}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(in) // numbers and texts always encode
	return bytes.TrimSpace(b.Bytes())
}

// formatInstant writes the instant in UTC, with milliseconds only where there are any: RFC 3339 with "Z", the
// date-time of the contract. [viewing.Event.Validate] allows years of four digits only.
func formatInstant(at viewing.Instant) string {
	t := at.Time()
	if t.Nanosecond() == 0 {
		return t.Format(time.RFC3339)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}
