package sandbox

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxCount        = 10_000 // viewings per request, so that no count fills the disk
	maxListName     = 200    // characters
	defaultPageSize = 20
	maxPageSize     = 100
)

// The media types of the contract.
const (
	movie   = "movie"
	episode = "episode"
	tv      = "tv"
)

type success struct {
	Success bool `json:"success"`
}

func recorded(e event) reply { return reply{http.StatusOK, success{true}, &e} }

// addViewing handles the history input (contract, section 2.1); its fields are read in the order of that table.
func (s *Service) addViewing(q *request) reply {
	h := HistoryItem{Type: q.oneOf("type", "", movie, episode)}
	if _, given := q.object["id"]; given || h.Type == movie {
		h.ID = q.required("id", 1)
	}
	count := q.numberOr("count", 1, maxCount)
	h.WatchedAt = q.instant("watchedAt", q.at)
	alias, show := q.integer("tmdbId", 1, maxInteger), q.integer("tvShowId", 1, maxInteger)
	season, number := q.integer("seasonNumber", 0, maxInteger), q.integer("episodeNumber", 1, maxInteger)
	if show == nil {
		show = alias
	}
	const needed = "is required for an episode without id"
	switch {
	case h.ID != 0:
	case show == nil:
		q.fail("tvShowId", needed)
	case alias != nil && *alias != *show:
		q.fail("tmdbId", "differs from tvShowId, whose alias it is")
	case season == nil:
		q.fail("seasonNumber", needed)
	case number == nil:
		q.fail("episodeNumber", needed)
	}
	if h.Type == episode {
		h.SeasonNumber = season
		h.TVShowID, h.EpisodeNumber = orZero(show), orZero(number)
	}
	return recorded(event{History: &h, Count: count})
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// addWatchlistItem handles the watchlist input (contract, section 2.2).
func (s *Service) addWatchlistItem(q *request) reply {
	return recorded(event{Watchlist: &WatchlistItem{
		Type: q.oneOf("type", "", movie, tv), ID: q.required("id", 1), Priority: q.integer("priority", -maxInteger, maxInteger),
	}})
}

// addList handles the list request (contract, section 2.3).
func (s *Service) addList(q *request) reply {
	l := List{ID: "lst_" + rand.Text(), Name: q.text("name"), CreatedAt: q.at, UpdatedAt: q.at}
	if strings.TrimSpace(l.Name) == "" || utf8.RuneCountInString(l.Name) > maxListName {
		q.fail("name", "must be there, and have at most 200 characters")
	}
	l.Description = q.text("description")
	l.Visibility = q.oneOf("visibility", "PRIVATE", "PRIVATE", "PUBLIC")
	return reply{http.StatusCreated, l, &event{List: &l}}
}

// addListItem adds an item to a list, even if it is there already: the documentation of the endpoint describes only
// its success.
func (s *Service) addListItem(q *request) reply {
	item := ListItem{List: q.PathValue("id"), Type: q.oneOf("type", "", movie, tv), ID: q.required("id", 1)}
	if q.fault == nil && !slices.ContainsFunc(s.records().Lists, func(l List) bool { return l.ID == item.List }) {
		q.fault = errNotFound
	}
	return recorded(event{ListItem: &item})
}

// removeHistory removes all viewings of one item: by its own identifier, or an episode by its place.
func (s *Service) removeHistory(q *request) reply {
	item := HistoryItem{Type: q.oneOf("type", "", movie, episode)}
	if _, given := q.object["id"]; given || item.Type == movie {
		item.ID = q.required("id", 1)
	} else {
		season := int64(0)
		item.TVShowID, season, item.EpisodeNumber = q.required("tvShowId", 1), q.required("seasonNumber", 0), q.required("episodeNumber", 1)
		item.SeasonNumber = &season
	}
	return recorded(event{Removed: &item})
}

func (s *Service) readMe(*request) reply {
	user := map[string]string{"id": s.identity.UserID, "name": "Sandbox", "username": "sandbox"}
	return reply{http.StatusOK, map[string]any{"user": user}, nil}
}

// paged returns the page of all that the query selects.
func paged[T any](q *request, all []T) reply {
	total, page, size := int64(len(all)), q.numberOr("page", 1, maxInteger/maxPageSize), q.numberOr("pageSize", defaultPageSize, maxPageSize)
	from := min((page-1)*size, total)
	items := append([]T{}, all[from:min(from+size, total)]...)
	pages := (total + size - 1) / size
	return reply{http.StatusOK, map[string]any{"success": true, "data": items, "pagination": map[string]any{
		"page": page, "pageSize": size, "total": total, "totalPages": pages, "hasMore": page < pages,
	}}, nil}
}

// readHistory returns viewings sorted by time, the newest first unless the query says otherwise.
func (s *Service) readHistory(q *request) reply {
	kind := q.oneOf("type", "", "", movie, tv, episode)
	order := q.oneOf("sort", "watchedAt:desc", "watchedAt:desc", "watchedAt:asc")
	items := slices.DeleteFunc(s.records().History, func(h HistoryItem) bool { return kind != "" && h.Type != kind })
	slices.SortStableFunc(items, func(a, b HistoryItem) int { return a.WatchedAt.Compare(b.WatchedAt) })
	if order == "watchedAt:desc" {
		slices.Reverse(items)
	}
	return paged(q, items)
}

func (s *Service) readLists(q *request) reply { return paged(q, s.records().Lists) }
