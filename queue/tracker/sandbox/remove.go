package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// removed is the reply to DELETE /history.
type removed struct {
	Success bool  `json:"success"`
	Removed int64 `json:"removed"` // viewings; 0 when there was none
}

// removeHistory takes every viewing of one item away.
func (s *Service) removeHistory(ctx context.Context, q question) (answer, error) {
	where, args, err := removalOf(q.query)
	if err != nil {
		return answer{}, err
	}
	reply := removed{Success: true}
	err = s.store.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, "DELETE FROM history WHERE "+where, args...)
		if err == nil {
			reply.Removed, err = result.RowsAffected()
		}
		return err
	})
	if err != nil {
		return answer{}, fmt.Errorf("remove viewings: %w", err)
	}
	return jsonAnswer(http.StatusOK, reply)
}

// removalOf reads which item is meant: by its own identifier, or an episode
// by its place.
func removalOf(query url.Values) (where string, args []any, err error) {
	kind := query.Get("type")
	if kind != movie && kind != episode {
		return "", nil, invalid("type", "must be movie or episode")
	}
	if kind == movie || query.Has("id") {
		id, err := atLeast(query, "id", 1)
		return "type = ? AND item = ?", []any{kind, id}, err
	}
	show, err := atLeast(query, "tvShowId", 1)
	if err != nil {
		return "", nil, err
	}
	season, err := atLeast(query, "seasonNumber", 0)
	if err != nil {
		return "", nil, err
	}
	number, err := atLeast(query, "episodeNumber", 1)
	return "show = ? AND season = ? AND episode = ?", []any{show, season, number}, err
}

// atLeast reads a number that must be given.
func atLeast(query url.Values, name string, least int64) (int64, error) {
	if !query.Has(name) {
		return 0, invalid(name, "is required")
	}
	n, why := wholeNumber(query.Get(name))
	if why == "" && n < least {
		why = "must be at least " + strconv.FormatInt(least, 10)
	}
	if why != "" {
		return 0, invalid(name, why)
	}
	return n, nil
}
