package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Stamp is an instant in UTC. In JSON it is RFC 3339 with Z, with
// milliseconds only when they are not zero.
type Stamp struct{ time.Time }

// MarshalJSON gives the text form in quotes.
func (s Stamp) MarshalJSON() ([]byte, error) {
	layout := "2006-01-02T15:04:05Z"
	if s.Nanosecond() != 0 {
		layout = "2006-01-02T15:04:05.000Z"
	}
	return []byte(s.UTC().Format(`"` + layout + `"`)), nil
}

func stampOf(millis int64) Stamp { return Stamp{time.UnixMilli(millis).UTC()} }

// Records is all that was recorded, each kind in the order of recording.
type Records struct {
	History   []HistoryRecord   `json:"history"`
	Watchlist []WatchlistRecord `json:"watchlist"`
	Lists     []ListRecord      `json:"lists"`
	ListItems []ListItemRecord  `json:"listItems,omitempty"`
}

// HistoryItem is one viewing as the service's own reads give it.
type HistoryItem struct {
	Type string `json:"type"` // "movie" or "episode"
	// ID is the identifier of the film or of the episode itself; 0 when the
	// episode was told by its place in the series.
	ID int64 `json:"id,omitempty"`
	// TMDBID is ID under its other name.
	TMDBID        int64  `json:"tmdbId,omitempty"`
	TVShowID      int64  `json:"tvShowId,omitempty"`      // 0 when not told
	SeasonNumber  *int64 `json:"seasonNumber,omitempty"`  // nil when not told, 0 for specials
	EpisodeNumber int64  `json:"episodeNumber,omitempty"` // 0 when not told
	WatchedAt     Stamp  `json:"watchedAt"`
}

// HistoryRecord is one viewing; a request with count 3 leaves three.
type HistoryRecord struct {
	Record int64 `json:"record"` // counts up in the order of recording
	HistoryItem
	ReceivedAt     Stamp  `json:"receivedAt"` // when the request came in
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

// WatchlistRecord is one item on the watchlist.
type WatchlistRecord struct {
	Record         int64  `json:"record"` // counts up in the order of recording
	Type           string `json:"type"`   // "movie" or "tv"
	ID             int64  `json:"id"`     // the item's identifier
	Priority       *int64 `json:"priority,omitempty"`
	ReceivedAt     Stamp  `json:"receivedAt"` // when the first request for it came in
	UpdatedAt      Stamp  `json:"updatedAt"`  // when the last one did
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

// List is the contract's list object (section 2.3).
type List struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Visibility  string `json:"visibility"` // "PRIVATE" or "PUBLIC"
	ItemCount   int    `json:"itemCount"`
	CreatedAt   Stamp  `json:"createdAt"`
	UpdatedAt   Stamp  `json:"updatedAt"`
}

// ListRecord is one list.
type ListRecord struct {
	Record int64 `json:"record"` // counts up in the order of recording
	List
	ReceivedAt     Stamp  `json:"receivedAt"`
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

// Records is all that was recorded so far, as one moment had it.
func (s *Service) Records(ctx context.Context) (Records, error) {
	var r Records
	err := s.store.inTx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if r.History, err = queryAll(ctx, tx, selectHistory+" ORDER BY id", scanHistory); err != nil {
			return err
		}
		if r.Watchlist, err = queryAll(ctx, tx, selectWatchlist+" ORDER BY id", scanWatchlist); err != nil {
			return err
		}
		if r.Lists, err = queryAll(ctx, tx, selectLists+" ORDER BY id", scanList); err != nil {
			return err
		}
		r.ListItems, err = queryAll(ctx, tx, selectListItems+" ORDER BY id", scanListItem)
		return err
	})
	if err != nil {
		return Records{}, fmt.Errorf("read records: %w", err)
	}
	return r, nil
}

// queryAll reads every row, so that the one connection is free again. It
// never gives nil, which JSON would write as null.
func queryAll[T any](ctx context.Context, tx *sql.Tx, query string, scan func(*sql.Rows) (T, error), args ...any) ([]T, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

const selectHistory = `SELECT id, type, coalesce(item, 0), coalesce(show, 0), season, coalesce(episode, 0), watched_at, received_at, idempotency_key FROM history`

func scanHistory(rows *sql.Rows) (r HistoryRecord, err error) {
	var watched, received int64
	err = rows.Scan(&r.Record, &r.Type, &r.ID, &r.TVShowID, &r.SeasonNumber, &r.EpisodeNumber, &watched, &received, &r.IdempotencyKey)
	r.TMDBID, r.WatchedAt, r.ReceivedAt = r.ID, stampOf(watched), stampOf(received)
	return r, err
}

const selectWatchlist = `SELECT id, type, item, priority, received_at, updated_at, idempotency_key FROM watchlist`

func scanWatchlist(rows *sql.Rows) (r WatchlistRecord, err error) {
	var received, updated int64
	err = rows.Scan(&r.Record, &r.Type, &r.ID, &r.Priority, &received, &updated, &r.IdempotencyKey)
	r.ReceivedAt, r.UpdatedAt = stampOf(received), stampOf(updated)
	return r, err
}

const selectLists = `SELECT id, public_id, name, description, visibility, received_at, idempotency_key,
	(SELECT count(*) FROM list_items WHERE list = public_id) FROM lists`

func scanList(rows *sql.Rows) (r ListRecord, err error) {
	var received int64
	err = rows.Scan(&r.Record, &r.ID, &r.Name, &r.Description, &r.Visibility, &received, &r.IdempotencyKey, &r.ItemCount)
	r.ReceivedAt = stampOf(received)
	r.CreatedAt, r.UpdatedAt = r.ReceivedAt, r.ReceivedAt
	return r, err
}
