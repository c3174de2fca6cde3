package tracker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

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

// itemInput is the body of add-to-watchlist (contract 2.2), and of an item of a
// list. Where that stands is left to the service.
type itemInput struct {
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

// encode writes the body of a request. It is plain JSON: <, > and & stand for
// themselves, and the last byte is the closing brace, so that a request cut
// anywhere is no JSON.
func encode(r Request) ([]byte, error) {
	var in any
	switch r.Operation {
	case History:
		in = newHistory(r.Media, r.WatchedAt)
	case Watchlist, ListItems:
		in = itemInput{Type: r.Media.Type, ID: r.Media.IDs.TMDB, Priority: r.Priority}
	case Lists:
		in = newList(r.NewList)
	default:
		return nil, fmt.Errorf("%q is not an operation of the service", r.Operation)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(in); err != nil {
		return nil, fmt.Errorf("encode %s request: %w", r.Operation, err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func newHistory(m viewing.Media, at viewing.Instant) historyInput {
	in := historyInput{Type: m.Type, Count: 1, WatchedAt: formatInstant(at)}
	if m.Placed() {
		in.TVShowID, in.SeasonNumber, in.EpisodeNumber = m.Show.IDs.TMDB, m.Season, m.Episode
	} else {
		in.ID = m.IDs.TMDB
	}
	return in
}

// newList always says the visibility: the contract names no default, and a
// service's own might be public.
func newList(l viewing.List) listInput {
	in := listInput{Name: l.Name, Description: l.Description, Visibility: l.Visibility}
	if in.Visibility == "" {
		in.Visibility = "PRIVATE"
	}
	return in
}

// formatInstant is the instant in UTC, with milliseconds only where there
// are any: RFC 3339 with "Z", the date-time of the contract. The rules of
// [viewing.Event.Validate] leave years of four digits alone.
func formatInstant(at viewing.Instant) string {
	t := at.Time()
	if t.Nanosecond() == 0 {
		return t.Format(time.RFC3339)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}
