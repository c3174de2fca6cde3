package sandbox

import (
	"cmp"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxCount        = 10_000 // viewings of one request, so that no number fills the disk
	maxListName     = 200    // characters
	maxItems        = 50     // of a question about several
	defaultPageSize = 20
	maxPageSize     = 100
)

// The kinds of media, in the contract's words.
const (
	movie   = "movie"
	episode = "episode"
	tv      = "tv"
)

type success struct {
	Success bool `json:"success"`
}

func recorded(e event) (reply, error) {
	return reply{http.StatusOK, success{true}, &e}, nil
}

// addViewing takes the history input (contract, section 2.1); its fields are read in the order of that table.
func (s *Service) addViewing(q request) (reply, error) {
	if string(q.object["type"]) == `"tv"` {
		q.fail("type", "a series is no history entry: send its episodes")
	}
	h := HistoryRecord{ReceivedAt: q.at, IdempotencyKey: q.key}
	h.Type = q.oneOf("type", movie, episode)
	if _, given := q.object["id"]; given || h.Type == movie {
		h.ID = q.required("id", 1)
	}
	h.TMDBID = h.ID
	count := int64(1)
	if n := q.integer("count", 1); n != nil {
		count = *n
	}
	if count > maxCount {
		q.fail("count", "must be at most 10000")
	}
	h.WatchedAt = q.instant("watchedAt", q.at)
	placed := h.Type == episode && h.ID == 0 // then the place decides which episode it is
	h.TVShowID = seriesOf(q.fields, placed)
	h.SeasonNumber = q.integer("seasonNumber", 0)
	if placed && h.SeasonNumber == nil {
		q.fail("seasonNumber", "is required for an episode without id")
	}
	if number := q.integer("episodeNumber", 1); number != nil {
		h.EpisodeNumber = *number
	} else if placed {
		q.fail("episodeNumber", "is required for an episode without id")
	}
	if h.Type == movie {
		h.TVShowID, h.SeasonNumber, h.EpisodeNumber = 0, nil, 0
	}
	return recorded(event{History: &h, Count: count})
}

// seriesOf is tvShowId or its alias tmdbId, 0 when absent. Where it decides, both must agree.
func seriesOf(f *fields, decides bool) int64 {
	alias, show := f.integer("tmdbId", 1), f.integer("tvShowId", 1)
	switch {
	case decides && alias != nil && show != nil && *alias != *show:
		f.fail("tmdbId", "differs from tvShowId, whose alias it is")
	case show != nil:
		return *show
	case alias != nil:
		return *alias
	case decides:
		f.fail("tvShowId", "is required: an episode needs id, or tvShowId, seasonNumber and episodeNumber")
	}
	return 0
}

// addWish takes the watchlist input (contract, section 2.2).
func (s *Service) addWish(q request) (reply, error) {
	return recorded(event{Watchlist: &WatchlistRecord{
		Type: q.oneOf("type", movie, tv), ID: q.required("id", 1), Priority: q.integer("priority", -maxInteger),
		ReceivedAt: q.at, UpdatedAt: q.at, IdempotencyKey: q.key,
	}})
}

// addList takes the list request (contract, section 2.3).
func (s *Service) addList(q request) (reply, error) {
	l := List{ID: "lst_" + rand.Text(), Name: q.text("name"), Visibility: "PRIVATE", CreatedAt: q.at, UpdatedAt: q.at}
	switch {
	case strings.TrimSpace(l.Name) == "":
		q.fail("name", "is required")
	case utf8.RuneCountInString(l.Name) > maxListName:
		q.fail("name", "must have at most 200 characters")
	}
	l.Description = q.text("description")
	if _, given := q.object["visibility"]; given {
		l.Visibility = q.oneOf("visibility", "PRIVATE", "PUBLIC")
	}
	return reply{http.StatusCreated, l, &event{List: &ListRecord{List: l, ReceivedAt: q.at, IdempotencyKey: q.key}}}, nil
}

// addListItem puts an item on a list. One that is there already is put there again: the endpoint is documented
// by its success alone.
func (s *Service) addListItem(q request) (reply, error) {
	item := ListItemRecord{List: q.PathValue("id"), Type: q.oneOf("type", movie, tv), ID: q.required("id", 1), ReceivedAt: q.at, IdempotencyKey: q.key}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.kept.Lists, func(l ListRecord) bool { return l.ID == item.List }) {
		return reply{}, errNotFound
	}
	return recorded(event{ListItem: &item})
}

// queryNumber is a number of the query, otherwise when absent. It must be there if otherwise is below the least.
func (q request) queryNumber(name string, otherwise, least, most int64) int64 {
	n, text := otherwise, q.URL.Query().Get(name)
	if text != "" {
		n, _ = strconv.ParseInt(text, 10, 64) // 0 for no number
	}
	if n < least || n > most || text != "" && text != strconv.FormatInt(n, 10) {
		q.fail(name, fmt.Sprintf("must be a whole number from %d to %d", least, most))
	}
	return n
}

// removeHistory removes every viewing of one item: by its own identifier, or an episode by its place.
func (s *Service) removeHistory(q request) (reply, error) {
	item := HistoryItem{Type: q.URL.Query().Get("type")}
	if item.Type != movie && item.Type != episode {
		q.fail("type", "must be movie or episode")
	}
	if item.Type == movie || q.URL.Query().Has("id") {
		item.ID = q.queryNumber("id", 0, 1, maxInteger)
	} else {
		item.TVShowID = q.queryNumber("tvShowId", 0, 1, maxInteger)
		season := q.queryNumber("seasonNumber", -1, 0, maxInteger)
		item.SeasonNumber = &season
		item.EpisodeNumber = q.queryNumber("episodeNumber", 0, 1, maxInteger)
	}
	return recorded(event{Removed: &item})
}

func (s *Service) readMe(request) (reply, error) {
	user := map[string]string{"id": s.own.UserID, "name": "Sandbox", "username": "sandbox"}
	return reply{http.StatusOK, map[string]any{"user": user}, nil}, nil
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

func data(v any) (reply, error) {
	return reply{http.StatusOK, wrapped{Success: true, Data: v}, nil}, nil
}

// paged answers with the page of all that the query asks for.
func paged[T any](q request, all []T) (reply, error) {
	total := int64(len(all))
	p := pagination{Page: q.queryNumber("page", 1, 1, 1e9), PageSize: q.queryNumber("pageSize", defaultPageSize, 1, maxPageSize), Total: total}
	if q.fault != nil {
		return reply{}, q.fault
	}
	p.TotalPages = (total + p.PageSize - 1) / p.PageSize
	p.HasMore = p.Page < p.TotalPages
	from := min((p.Page-1)*p.PageSize, total)
	items := append([]T{}, all[from:min(from+p.PageSize, total)]...)
	return reply{http.StatusOK, wrapped{true, items, &p}, nil}, nil
}

// readHistory answers with viewings by their time, the newest first unless the query sorts otherwise.
func (s *Service) readHistory(q request) (reply, error) {
	kind, order := q.URL.Query().Get("type"), q.URL.Query().Get("sort")
	if !slices.Contains([]string{"", movie, tv, episode}, kind) {
		q.fail("type", "must be one of movie, tv, episode")
	}
	if !slices.Contains([]string{"", "watchedAt:desc", "watchedAt:asc"}, order) {
		q.fail("sort", "must be watchedAt:desc or watchedAt:asc")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byTime == nil {
		s.byTime = slices.Clone(s.kept.History)
		slices.SortStableFunc(s.byTime, func(a, b HistoryRecord) int {
			return cmp.Or(a.WatchedAt.Compare(b.WatchedAt.Time), cmp.Compare(a.Record, b.Record))
		})
	}
	items := []HistoryItem{}
	for _, h := range s.byTime {
		if kind == "" || h.Type == kind {
			items = append(items, h.HistoryItem)
		}
	}
	if order != "watchedAt:asc" {
		slices.Reverse(items)
	}
	return paged(q, items)
}

func (s *Service) readLists(q request) (reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lists := []List{}
	for _, l := range s.kept.Lists {
		lists = append(lists, l.List)
	}
	return paged(q, lists)
}

// items are the objects of a question about several.
func (q request) items() []*fields {
	var list []object
	if !q.read("items", &list, "must be an array of objects") {
		q.fail("items", "is required")
	}
	if len(list) > maxItems {
		q.fail("items", "must not be more than 50")
	}
	items := make([]*fields, 0, maxItems)
	for i, o := range list {
		items = append(items, &fields{object: o, within: fmt.Sprintf("items[%d].", i)})
	}
	return items
}

// catalogueFile is small, and the same for everybody: enough to see what a service that knows more would answer.
//
//go:embed catalogue.json
var catalogueFile []byte

// title is one item of the catalogue.
type title struct {
	Type   string `json:"type"`
	TMDBID int64  `json:"tmdbId"`
	IMDBID string `json:"imdbId"`
	Title  string `json:"title"`
	Year   int64  `json:"year"`
}

// match is what an item is taken for.
type match struct {
	title
	Confidence string `json:"matchConfidence"`
}

func readCatalogue() (all []title) {
	if err := json.Unmarshal(catalogueFile, &all); err != nil {
		panic(err) // it is compiled in
	}
	return all
}

// find looks up the item that f asks about: by its IMDb identifier, or by its title and type. It is sure of a
// title only with its year.
func (s *Service) find(f *fields) (found match, ok bool) {
	imdb, name := f.text("imdbId"), strings.TrimSpace(f.text("title"))
	if imdb == "" && name == "" {
		f.fail("imdbId", "is required, or title and type")
	}
	kind, year := "", int64(0)
	if imdb == "" {
		kind = f.oneOf("type", movie, tv)
		if y := f.integer("year", 1); y != nil {
			year = *y
		}
	}
	for _, t := range s.catalogue {
		named := imdb == "" && t.Type == kind && strings.EqualFold(t.Title, name)
		switch {
		case imdb != "" && t.IMDBID == imdb, named && t.Year == year:
			return match{t, "high"}, true
		case named && !ok:
			found, ok = match{t, "medium"}, true
		}
	}
	return found, ok
}

func (s *Service) resolveOne(q request) (reply, error) {
	found, ok := s.find(q.fields)
	if !ok {
		return reply{}, &refusal{http.StatusNotFound, "NOT_FOUND", "nothing is known of it"}
	}
	return data(found)
}

func (s *Service) resolveMany(q request) (reply, error) {
	all := map[string]match{}
	for i, f := range q.items() {
		found, ok := s.find(f)
		if f.fault != nil {
			return reply{}, f.fault
		}
		if ok {
			all[cmp.Or(f.text("imdbId"), strconv.Itoa(i))] = found
		}
	}
	return data(all)
}
