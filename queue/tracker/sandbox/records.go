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

// Records holds all records, each kind in the order of recording.
type Records struct {
	History   []HistoryItem   `json:"history"`
	Watchlist []WatchlistItem `json:"watchlist"`
	Lists     []List          `json:"lists"`
	ListItems []ListItem      `json:"listItems,omitempty"`
}

// HistoryItem is one viewing; a request with count 3 adds three.
type HistoryItem struct {
	Type string `json:"type"` // "movie" or "episode"
	// ID is the identifier of the film or of the episode itself; 0 when the episode was named by its place in
	// the series.
	ID            int64     `json:"id,omitempty"`
	TVShowID      int64     `json:"tvShowId,omitempty"`      // 0 when absent
	SeasonNumber  *int64    `json:"seasonNumber,omitempty"`  // nil when absent, 0 for specials
	EpisodeNumber int64     `json:"episodeNumber,omitempty"` // 0 when absent
	WatchedAt     time.Time `json:"watchedAt"`               // in UTC
}

// WatchlistItem is one item on the watchlist.
type WatchlistItem struct {
	Type     string `json:"type"` // "movie" or "tv"
	ID       int64  `json:"id"`
	Priority *int64 `json:"priority,omitempty"`
}

// List is the contract's list object (section 2.3).
type List struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Visibility  string    `json:"visibility"` // "PRIVATE" or "PUBLIC"
	ItemCount   int       `json:"itemCount"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}

// ListItem is one item that was put on a list.
type ListItem struct {
	List string `json:"list"` // the list's id
	Type string `json:"type"` // "movie" or "tv"
	ID   int64  `json:"id"`
}

// identity holds the user and the keys that were generated for a file.
type identity struct {
	UserID    string `json:"userId"`
	SecretKey string `json:"secretKey"`
	PublicKey string `json:"publicKey"`
}

// storedResponse is the response to the first request with an Idempotency-Key.
type storedResponse struct {
	Key     string          `json:"key"`
	Request string          `json:"request"` // the operation, and the SHA-256 of the body
	Status  int             `json:"status"`
	Body    json.RawMessage `json:"body"`
}

// event is the change made by one accepted request. The file has one event per line.
type event struct {
	Identity  *identity       `json:"own,omitempty"`
	History   *HistoryItem    `json:"history,omitempty"`
	Count     int64           `json:"count,omitempty"` // of History
	Removed   *HistoryItem    `json:"removed,omitempty"`
	Watchlist *WatchlistItem  `json:"watchlist,omitempty"`
	List      *List           `json:"list,omitempty"`
	ListItem  *ListItem       `json:"listItem,omitempty"`
	Answer    *storedResponse `json:"answer,omitempty"`
}

// Records returns all records.
func (s *Service) Records(context.Context) (Records, error) { return s.records(), nil }

// records returns a copy of all records.
func (s *Service) records() Records {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Records{
		History: append([]HistoryItem{}, s.recorded.History...), Watchlist: append([]WatchlistItem{}, s.recorded.Watchlist...),
		Lists: append([]List{}, s.recorded.Lists...), ListItems: slices.Clone(s.recorded.ListItems),
	}
}

// openFile reads the events of the file, and removes an incomplete last one.
func (s *Service) openFile(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for d := json.NewDecoder(f); ; {
		var e event
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil || e == (event{}) {
			return errors.Join(fmt.Errorf("%s is not the file of a sandbox", path), f.Close())
		}
		s.apply(e)
		s.size = d.InputOffset()
	}
	s.file = f
	if err := f.Truncate(s.size); err != nil {
		return errors.Join(err, f.Close())
	}
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

// apply updates the state in memory with an event.
func (s *Service) apply(e event) {
	k := &s.recorded
	if e.Identity != nil {
		s.identity = *e.Identity
	}
	if e.History != nil {
		k.History = append(k.History, slices.Repeat([]HistoryItem{*e.History}, int(e.Count))...)
	}
	if e.Removed != nil {
		k.History = slices.DeleteFunc(k.History, func(h HistoryItem) bool { return h.isSameItem(*e.Removed) })
	}
	if w := e.Watchlist; w != nil {
		i := slices.IndexFunc(k.Watchlist, func(old WatchlistItem) bool { return old.Type == w.Type && old.ID == w.ID })
		if i < 0 {
			k.Watchlist = append(k.Watchlist, *w)
		} else if w.Priority != nil {
			k.Watchlist[i].Priority = w.Priority
		}
	}
	if e.List != nil {
		k.Lists = append(k.Lists, *e.List)
	}
	if e.ListItem != nil {
		k.ListItems = append(k.ListItems, *e.ListItem)
		i := slices.IndexFunc(k.Lists, func(l List) bool { return l.ID == e.ListItem.List })
		k.Lists[i].ItemCount++
	}
	if e.Answer != nil {
		s.responses[e.Answer.Key] = *e.Answer
	}
}

// isSameItem reports whether the viewing is of the item: by the identifier if item has one, else by the place.
func (h HistoryItem) isSameItem(item HistoryItem) bool {
	if item.ID != 0 {
		return h.Type == item.Type && h.ID == item.ID
	}
	return h.Type == item.Type && h.TVShowID == item.TVShowID && h.EpisodeNumber == item.EpisodeNumber &&
		h.SeasonNumber != nil && *h.SeasonNumber == *item.SeasonNumber
}
