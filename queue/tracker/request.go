package tracker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Operation is one write operation. Its value is the path under the base
// address, but for [ListItems].
type Operation string

// The operations.
const (
	History   Operation = "history"   // contract 4.1
	Watchlist Operation = "watchlist" // contract 4.2
	Lists     Operation = "lists"     // contract 4.3
	// ListItems is beyond the contract: a service may lack it. Its path is
	// lists/{id}/items.
	ListItems Operation = "list items"
)

// ErrUnidentified is wrapped by the error of [NewRequest] for an item that
// has no identifier the service takes.
var ErrUnidentified = errors.New("item has no identifier of the service")

// Request is one request to the service, ready to be sent.
type Request struct {
	Operation Operation
	// Body is the exact JSON that will be sent.
	Body []byte
	// IdempotencyKey is sent in the header of that name; empty sends none.
	IdempotencyKey string
	// List is the service's id of the list; [ListItems] only.
	List string
	// Resend says that this request may have reached the service before with
	// the same IdempotencyKey. A 409 then leaves the doubt where it was.
	Resend bool
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

// watchlistInput is the body of add-to-watchlist (contract 2.2).
type watchlistInput struct {
	Type     viewing.MediaType `json:"type"`
	ID       int64             `json:"id"`
	Priority *int              `json:"priority,omitempty"`
}

// listInput is the body of create-list (contract 2.3).
type listInput struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Visibility  string `json:"visibility"`
}

// NewRequest makes the request that tells the service of one entry. Only
// the arguments of its kind are used. What the field rules refuse is an error
// wrapping [viewing.ErrInvalid]; an item the service cannot name is one
// wrapping [ErrUnidentified].
func NewRequest(kind viewing.Kind, m viewing.Media, watchedAt viewing.Instant, list *viewing.List, priority *int) (Request, error) {
	v := viewing.Viewing{Kind: kind, EventID: "request"}
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
	switch kind {
	case viewing.KindViewing:
		return newHistory(m, watchedAt)
	case viewing.KindWatchlist:
		return newWatchlist(m, priority)
	default:
		return newList(*list)
	}
}

func newHistory(m viewing.Media, at viewing.Instant) (Request, error) {
	watched, err := formatInstant(at)
	if err != nil {
		return Request{}, err
	}
	in := historyInput{Type: m.Type, Count: 1, WatchedAt: watched}
	switch {
	case m.Placed():
		in.TVShowID, in.SeasonNumber, in.EpisodeNumber = m.Show.IDs.TMDB, m.Season, m.Episode
	case m.IDs.TMDB > 0:
		in.ID = m.IDs.TMDB
	default:
		return Request{}, fmt.Errorf("make request for %s: %w", m.Label(), ErrUnidentified)
	}
	return encode(History, in)
}

func newWatchlist(m viewing.Media, priority *int) (Request, error) {
	if m.IDs.TMDB == 0 {
		return Request{}, fmt.Errorf("make request for %s: %w", m.Label(), ErrUnidentified)
	}
	return encode(Watchlist, watchlistInput{Type: m.Type, ID: m.IDs.TMDB, Priority: priority})
}

// listItemInput is the body of an item of a list. Where it stands is left to
// the service.
type listItemInput struct {
	Type viewing.MediaType `json:"type"`
	ID   int64             `json:"id"`
}

// NewListItem makes the request that puts a film or a series on the list with
// that id of the service's. Errors are those of [NewRequest]; an id that cannot
// stand in a path is one wrapping [viewing.ErrInvalid].
func NewListItem(list string, m viewing.Media) (Request, error) {
	v := viewing.Viewing{Kind: viewing.KindListItem, EventID: "request", InList: "list", Media: []viewing.Media{m}}
	if err := v.Validate(); err != nil {
		return Request{}, fmt.Errorf("make request: %w", err)
	}
	if list == "" || list == "." || list == ".." || len(list) > maxListID {
		return Request{}, fmt.Errorf("make request: %w", &viewing.FieldError{Field: "list", Problem: "the service's id of it is not known"})
	}
	if m.IDs.TMDB == 0 {
		return Request{}, fmt.Errorf("make request for %s: %w", m.Label(), ErrUnidentified)
	}
	r, err := encode(ListItems, listItemInput{Type: m.Type, ID: m.IDs.TMDB})
	r.List = list
	return r, err
}

// maxListID bounds the ids of lists, in bytes.
const maxListID = 500

// newList always says the visibility: the contract names no default, and a
// service's own might be public.
func newList(l viewing.List) (Request, error) {
	in := listInput{Name: l.Name, Description: l.Description, Visibility: l.Visibility}
	if in.Visibility == "" {
		in.Visibility = "PRIVATE"
	}
	return encode(Lists, in)
}

// encode writes plain JSON: <, > and & stand for themselves, and the last
// byte is the closing brace, so that a request cut anywhere is no JSON.
func encode(op Operation, in any) (Request, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(in); err != nil {
		return Request{}, fmt.Errorf("encode %s request: %w", op, err)
	}
	return Request{Operation: op, Body: bytes.TrimSpace(b.Bytes())}, nil
}

// formatInstant is the instant in UTC, with milliseconds only where there
// are any: RFC 3339 with "Z", the date-time of the contract.
func formatInstant(at viewing.Instant) (string, error) {
	t := at.Time()
	if t.Year() < 0 || t.Year() > 9999 {
		return "", fmt.Errorf("make request: %w", &viewing.FieldError{Field: "watchedAt", Problem: "must lie in the years 0 to 9999"})
	}
	if t.Nanosecond() == 0 {
		return t.Format(time.RFC3339), nil
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00"), nil
}
