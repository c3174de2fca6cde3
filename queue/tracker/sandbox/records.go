package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// Stamp is an instant in UTC. In JSON it is RFC 3339 with Z, with milliseconds only when they are not zero.
type Stamp struct{ time.Time }

// MarshalJSON gives the text form in quotes.
func (s Stamp) MarshalJSON() ([]byte, error) {
	layout := "2006-01-02T15:04:05Z"
	if s.Nanosecond() != 0 {
		layout = "2006-01-02T15:04:05.000Z"
	}
	return []byte(s.UTC().Format(`"` + layout + `"`)), nil
}

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
	// ID is the identifier of the film or of the episode itself; 0 when the episode was named by its place in
	// the series.
	ID int64 `json:"id,omitempty"`
	// TMDBID is ID under its other name.
	TMDBID        int64  `json:"tmdbId,omitempty"`
	TVShowID      int64  `json:"tvShowId,omitempty"`      // 0 when absent
	SeasonNumber  *int64 `json:"seasonNumber,omitempty"`  // nil when absent, 0 for specials
	EpisodeNumber int64  `json:"episodeNumber,omitempty"` // 0 when absent
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

// ListItemRecord is one item of a list.
type ListItemRecord struct {
	Record         int64  `json:"record"` // counts up in the order of recording
	List           string `json:"list"`   // the list's id
	Type           string `json:"type"`   // "movie" or "tv"
	ID             int64  `json:"id"`     // the item's identifier
	ReceivedAt     Stamp  `json:"receivedAt"`
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

// Records is all that was recorded so far, as one moment had it.
func (s *Service) Records(context.Context) (Records, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Records{
		History: append([]HistoryRecord{}, s.kept.History...), Watchlist: append([]WatchlistRecord{}, s.kept.Watchlist...),
		Lists: append([]ListRecord{}, s.kept.Lists...), ListItems: slices.Clone(s.kept.ListItems),
	}, nil
}

// own is what the service made for itself.
type own struct {
	UserID    string `json:"userId"`
	SecretKey string `json:"secretKey"`
	PublicKey string `json:"publicKey"`
}

// keptAnswer is the answer to an accepted request with an Idempotency-Key.
type keptAnswer struct {
	Key       string          `json:"key"`
	Operation string          `json:"operation"`
	BodySum   string          `json:"bodySum"` // SHA-256, in hex
	Status    int             `json:"status"`
	Body      json.RawMessage `json:"body"`
}

// event is what one accepted request changes. The file holds one event a line.
type event struct {
	Own       *own             `json:"own,omitempty"`
	History   *HistoryRecord   `json:"history,omitempty"`
	Count     int64            `json:"count,omitempty"` // of History
	Removed   *HistoryItem     `json:"removed,omitempty"`
	Watchlist *WatchlistRecord `json:"watchlist,omitempty"`
	List      *ListRecord      `json:"list,omitempty"`
	ListItem  *ListItemRecord  `json:"listItem,omitempty"`
	Answer    *keptAnswer      `json:"answer,omitempty"`
}

// openFile reads the events of the file, and cuts off a last one that was not written whole.
func (s *Service) openFile(path string) (err error) {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	for d := json.NewDecoder(f); ; {
		var e event
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil || e == (event{}) {
			return fmt.Errorf("%s is not the file of a sandbox", path)
		}
		s.apply(e)
		s.size = d.InputOffset()
	}
	if err := f.Truncate(s.size); err != nil {
		return err
	}
	s.file = f
	return nil
}

// record writes an event to the file, and then applies it.
func (s *Service) record(e event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("record: %w", err)
		}
		line = append([]byte("\n"), line...)
		if _, err = s.file.WriteAt(line, s.size); err == nil {
			err = s.file.Sync()
		}
		if err != nil {
			return errors.Join(fmt.Errorf("record: %w", err), s.file.Truncate(s.size))
		}
		s.size += int64(len(line))
	}
	s.apply(e)
	return nil
}

func (s *Service) apply(e event) {
	k := &s.kept
	if e.Own != nil {
		s.own = *e.Own
	}
	if e.History != nil || e.Removed != nil {
		s.byTime = nil
	}
	if e.History != nil {
		h := *e.History
		if n := len(k.History); n > 0 {
			h.Record = k.History[n-1].Record
		}
		for range e.Count {
			h.Record++
			k.History = append(k.History, h)
		}
	}
	if e.Removed != nil {
		k.History = slices.DeleteFunc(k.History, func(h HistoryRecord) bool { return h.same(*e.Removed) })
	}
	if w := e.Watchlist; w != nil {
		i := slices.IndexFunc(k.Watchlist, func(old WatchlistRecord) bool { return old.Type == w.Type && old.ID == w.ID })
		if i < 0 {
			w.Record = int64(len(k.Watchlist)) + 1
			k.Watchlist = append(k.Watchlist, *w)
		} else {
			k.Watchlist[i].UpdatedAt = w.UpdatedAt
			if w.Priority != nil {
				k.Watchlist[i].Priority = w.Priority
			}
		}
	}
	if e.List != nil {
		e.List.Record = int64(len(k.Lists)) + 1
		k.Lists = append(k.Lists, *e.List)
	}
	if e.ListItem != nil {
		e.ListItem.Record = int64(len(k.ListItems)) + 1
		k.ListItems = append(k.ListItems, *e.ListItem)
		if i := slices.IndexFunc(k.Lists, func(l ListRecord) bool { return l.ID == e.ListItem.List }); i >= 0 {
			k.Lists[i].ItemCount++
		}
	}
	if e.Answer != nil {
		s.answers[e.Answer.Key] = *e.Answer
	}
}

// same reports whether the viewing is of the item, by its own identifier where that has one, else by its place.
func (h HistoryItem) same(item HistoryItem) bool {
	if item.ID != 0 {
		return h.Type == item.Type && h.ID == item.ID
	}
	return h.Type == item.Type && h.TVShowID == item.TVShowID && h.EpisodeNumber == item.EpisodeNumber &&
		h.SeasonNumber != nil && item.SeasonNumber != nil && *h.SeasonNumber == *item.SeasonNumber
}
