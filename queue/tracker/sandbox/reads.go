package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

const (
	defaultPageSize = 20
	maxPageSize     = 100
	maxPage         = 1_000_000_000 // so that no offset overflows
	maxStatusItems  = 50
)

// question is what a read may look at.
type question struct {
	query  url.Values
	object object // nil for GET
}

// wrapped is the reply around data; pagination is left out where there is none.
type wrapped struct {
	Success    bool        `json:"success"`
	Data       any         `json:"data"`
	Pagination *pagination `json:"pagination,omitempty"`
}

type pagination struct {
	Page       int64 `json:"page"`
	PageSize   int64 `json:"pageSize"`
	Total      int64 `json:"total"`
	TotalPages int64 `json:"totalPages"`
	HasMore    bool  `json:"hasMore"`
}

// page reads the query's page and pageSize.
func pageOf(query url.Values) (p pagination, err error) {
	if p.Page, err = number(query, "page", 1, maxPage); err != nil {
		return p, err
	}
	p.PageSize, err = number(query, "pageSize", defaultPageSize, maxPageSize)
	return p, err
}

func number(query url.Values, name string, otherwise, most int64) (int64, error) {
	if !query.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, invalid(name, fmt.Sprintf("must be a whole number from 1 to %d", most))
	}
	return n, nil
}

func (p pagination) of(total int64) *pagination {
	p.Total = total
	p.TotalPages = (total + p.PageSize - 1) / p.PageSize
	p.HasMore = p.Page < p.TotalPages
	return &p
}

func (p pagination) offset() int64 { return (p.Page - 1) * p.PageSize }

func (s *Service) readMe(context.Context, question) (answer, error) {
	type user struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Username string `json:"username"`
	}
	return jsonAnswer(http.StatusOK, map[string]user{"user": {ID: s.userID, Name: "Sandbox", Username: "sandbox"}})
}

// shownViewing is one item of GET /history.
type shownViewing struct {
	HistoryItem
	RewatchCount *int64 `json:"rewatchCount,omitempty"` // nil when minimal
}

// viewingsOfSame counts all viewings of the item of row h.
const viewingsOfSame = `(SELECT count(*) FROM history o WHERE o.type = h.type AND (o.item = h.item
	OR h.item IS NULL AND o.show = h.show AND o.season = h.season AND o.episode = h.episode))`

const selectShown = `SELECT h.type, coalesce(h.item, 0), coalesce(h.show, 0), h.season, coalesce(h.episode, 0), h.watched_at, `

func (s *Service) readHistory(ctx context.Context, q question) (answer, error) {
	kind, order, minimal, err := historyQuery(q.query)
	if err != nil {
		return answer{}, err
	}
	p, err := pageOf(q.query)
	if err != nil {
		return answer{}, err
	}
	rewatches := viewingsOfSame + " - 1"
	if minimal {
		rewatches = "NULL"
	}
	query := selectShown + rewatches + " FROM history h WHERE ?1 IN ('', h.type) ORDER BY h.watched_at " + order + ", h.id " + order + " LIMIT ?2 OFFSET ?3"
	var items []shownViewing
	var total int64
	err = s.store.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM history WHERE ?1 IN ('', type)", kind).Scan(&total); err != nil {
			return err
		}
		items, err = queryAll(ctx, tx, query, scanShown, kind, p.PageSize, p.offset())
		return err
	})
	if err != nil {
		return answer{}, fmt.Errorf("read history: %w", err)
	}
	return jsonAnswer(http.StatusOK, wrapped{Success: true, Data: items, Pagination: p.of(total)})
}

func scanShown(rows *sql.Rows) (v shownViewing, err error) {
	var watched int64
	err = rows.Scan(&v.Type, &v.ID, &v.TVShowID, &v.SeasonNumber, &v.EpisodeNumber, &watched, &v.RewatchCount)
	v.TMDBID, v.WatchedAt = v.ID, stampOf(watched)
	return v, err
}

// historyQuery reads the query of GET /history; kind is "" for every type.
func historyQuery(query url.Values) (kind, order string, minimal bool, err error) {
	kind, order = query.Get("type"), "DESC"
	switch kind {
	case "", movie, tv, episode:
	default:
		return "", "", false, invalid("type", "must be one of movie, tv, episode")
	}
	switch query.Get("sort") {
	case "", "watchedAt:desc":
	case "watchedAt:asc":
		order = "ASC"
	default:
		return "", "", false, invalid("sort", "must be watchedAt:desc or watchedAt:asc")
	}
	if text := query.Get("minimal"); text != "" {
		if minimal, err = strconv.ParseBool(text); err != nil {
			return "", "", false, invalid("minimal", "must be true or false")
		}
	}
	return kind, order, minimal, nil
}

func (s *Service) readLists(ctx context.Context, q question) (answer, error) {
	p, err := pageOf(q.query)
	if err != nil {
		return answer{}, err
	}
	var records []ListRecord
	var total int64
	err = s.store.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM lists").Scan(&total); err != nil {
			return err
		}
		records, err = queryAll(ctx, tx, selectLists+" ORDER BY id LIMIT ? OFFSET ?", scanList, p.PageSize, p.offset())
		return err
	})
	if err != nil {
		return answer{}, fmt.Errorf("read lists: %w", err)
	}
	lists := make([]List, 0, len(records))
	for _, r := range records {
		lists = append(lists, r.List)
	}
	return jsonAnswer(http.StatusOK, wrapped{Success: true, Data: lists, Pagination: p.of(total)})
}

// statusItem is one item that POST /media/status asks about.
type statusItem struct {
	kind                        string
	item, show, season, episode int64 // item 0: known by its place
}

func (i statusItem) key() string {
	if i.item == 0 {
		return fmt.Sprintf("episode:%d:%d:%d", i.show, i.season, i.episode)
	}
	return fmt.Sprintf("%s:%d", i.kind, i.item)
}

// mediaStatus is what is known of an item. A series has no watched: without
// a catalogue nobody knows whether it was seen whole.
type mediaStatus struct {
	Watched           *bool  `json:"watched,omitempty"`
	RewatchCount      *int64 `json:"rewatchCount,omitempty"`
	WatchedAt         *Stamp `json:"watchedAt,omitempty"` // the latest
	InWatchlist       bool   `json:"inWatchlist"`
	WatchlistPriority *int64 `json:"watchlistPriority,omitempty"`
}

func (s *Service) readStatus(ctx context.Context, q question) (answer, error) {
	items, err := parseStatusItems(q.object)
	if err != nil {
		return answer{}, err
	}
	found := map[string]mediaStatus{}
	err = s.store.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, item := range items {
			if found[item.key()], err = statusOf(ctx, tx, item); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return answer{}, fmt.Errorf("read status: %w", err)
	}
	return jsonAnswer(http.StatusOK, wrapped{Success: true, Data: found})
}

// parseItems reads the items of a question about several.
func parseItems(o object, most int) (list []json.RawMessage, err error) {
	f := &fields{object: o}
	if raw := f.raw("items"); raw == nil {
		f.fail("items", "is required")
	} else if json.Unmarshal(raw, &list) != nil {
		f.fail("items", "must be an array")
	} else if len(list) > most {
		f.fail("items", fmt.Sprintf("must not be more than %d", most))
	}
	return list, f.fault
}

func parseStatusItems(o object) ([]statusItem, error) {
	list, err := parseItems(o, maxStatusItems)
	if err != nil {
		return nil, err
	}
	items := make([]statusItem, 0, len(list))
	for i, raw := range list {
		item, err := parseStatusItem(fmt.Sprintf("items[%d]", i), raw)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func parseStatusItem(name string, raw json.RawMessage) (statusItem, error) {
	o, err := decodeObject(raw)
	if err != nil {
		return statusItem{}, invalid(name, "must be an object")
	}
	f := &fields{object: o, within: name + "."}
	kind := f.requiredOf("type", movie, tv, episode)
	item := f.integer("id", 1)
	placed := kind == episode && item == nil
	show := series(f, placed)
	if kind != episode && item == nil {
		item = show // tmdbId is the film's or the series' own here
	}
	season, number := place(f, "seasonNumber", 0, placed), place(f, "episodeNumber", 1, placed)
	if item == nil && !placed {
		f.fail("id", "is required")
	}
	return statusItem{kind: kind, item: value(item), show: value(show), season: value(season), episode: value(number)}, f.fault
}

// value is what p points to, 0 for nothing.
func value(p *int64) int64 {
	if p == nil {
		return 0
	}
	return *p
}

func statusOf(ctx context.Context, tx *sql.Tx, i statusItem) (m mediaStatus, err error) {
	if i.kind != tv {
		if err := m.addViewings(ctx, tx, i); err != nil {
			return m, err
		}
	}
	err = tx.QueryRowContext(ctx, "SELECT priority FROM watchlist WHERE type = ? AND item = ?", i.kind, i.item).Scan(&m.WatchlistPriority)
	if errors.Is(err, sql.ErrNoRows) {
		return m, nil
	}
	m.InWatchlist = err == nil
	return m, err
}

func (m *mediaStatus) addViewings(ctx context.Context, tx *sql.Tx, i statusItem) error {
	where, args := "item = ?2", []any{i.kind, i.item}
	if i.item == 0 {
		where, args = "show = ?2 AND season = ?3 AND episode = ?4", []any{i.kind, i.show, i.season, i.episode}
	}
	var viewings int64
	var latest *int64
	err := tx.QueryRowContext(ctx, "SELECT count(*), max(watched_at) FROM history WHERE type = ?1 AND "+where, args...).Scan(&viewings, &latest)
	if err != nil {
		return err
	}
	watched, rewatches := viewings > 0, max(viewings-1, 0)
	m.Watched, m.RewatchCount = &watched, &rewatches
	if latest != nil {
		at := stampOf(*latest)
		m.WatchedAt = &at
	}
	return nil
}
