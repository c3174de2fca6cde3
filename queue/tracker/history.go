package tracker

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// HistoryItem is one record of a viewing as the service returns it. Missing numbers are 0 or nil.
type HistoryItem struct {
	Type            string
	ID, TMDBID      int64
	ShowID          int64
	Season, Episode *int
	WatchedAt       time.Time // zero when missing or unreadable
}

// Reading is the whole history of one type.
type Reading struct {
	Items []HistoryItem
	// Complete says that all pages were read and the history did not change meanwhile. Only then does a missing
	// record prove anything.
	Complete bool
	// Bound says that the history has more pages than are read: a retry would stop there, too.
	Bound bool
}

// AllHistory reads the history of one type, at most 500 pages of 100 records. If the service has no such endpoint,
// the error wraps [ErrNoEndpoint]; every error is a [Verdict].
func (c *Client) AllHistory(ctx context.Context, t viewing.MediaType) (Reading, error) {
	var r Reading
	var err error
	r.Complete, r.Bound, err = c.readPages(ctx, History, url.Values{"sort": {"watchedAt:desc"}, "type": {string(t)}}, func(f fields) {
		r.Items = append(r.Items, historyItem(f))
	})
	if err != nil {
		return Reading{}, err
	}
	return r, nil
}

func historyItem(f fields) HistoryItem {
	return HistoryItem{
		Type: f.text("type"), ID: f.positive("id"), TMDBID: f.positive("tmdbId"), ShowID: f.positive("tvShowId"),
		Season: f.intPtr("seasonNumber"), Episode: f.intPtr("episodeNumber"), WatchedAt: f.instant("watchedAt"),
	}
}

// DeleteHistory removes all viewings of an item from the history (DELETE /history). The API cannot remove a single
// viewing.
func (c *Client) DeleteHistory(ctx context.Context, m viewing.Media) Verdict {
	q := url.Values{"type": {string(m.Type)}}
	switch {
	case m.Placed():
		q.Set("tvShowId", strconv.FormatInt(m.Show.IDs.TMDB, 10))
		q.Set("seasonNumber", strconv.Itoa(*m.Season))
		q.Set("episodeNumber", strconv.Itoa(*m.Episode))
	case m.IDs.TMDB > 0:
		q.Set("id", strconv.FormatInt(m.IDs.TMDB, 10))
	default:
		return Verdict{Outcome: Rejected, Problem: viewing.Say("noIdentifier")}
	}
	v, _ := c.do(ctx, call{op: History, method: http.MethodDelete, query: q})
	return v
}

// Likeness says whether a record belongs to an item.
type Likeness int

// The likenesses.
const (
	Unclear Likeness = iota // they identify the item in different forms
	Same
	Different
)

// Compare compares the record's item with m: an episode by series, season and number if m has them, else by the
// identifier of the film or episode itself. A record without tvShowId may have the series' identifier in tmdbId.
func (h HistoryItem) Compare(m viewing.Media) Likeness {
	show := h.ShowID
	if show == 0 {
		show = h.TMDBID
	}
	switch {
	case h.Type != "" && h.Type != string(m.Type):
		return Different
	case m.IDs.TMDB > 0 && h.ID == m.IDs.TMDB:
		return Same
	case !m.Placed() && (m.IDs.TMDB == 0 || h.ID == 0 && h.TMDBID == 0):
		return Unclear
	case !m.Placed() && h.TMDBID == m.IDs.TMDB:
		return Same
	case !m.Placed():
		return Different
	case show == 0 || h.Season == nil || h.Episode == nil || *h.Episode == 0:
		return Unclear
	case show == m.Show.IDs.TMDB && *h.Season == *m.Season && *h.Episode == *m.Episode:
		return Same
	case h.ShowID == 0 && h.ID == h.TMDBID:
		return Unclear // tmdbId is the episode's, not the series'
	default:
		return Different
	}
}
