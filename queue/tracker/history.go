package tracker

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// HistoryItem is one record of a viewing as the service shows it. Numbers that it leaves out are 0, or nil.
type HistoryItem struct {
	Type            string
	ID, TMDBID      int64
	ShowID          int64
	Season, Episode *int
	WatchedAt       time.Time // zero when there is none that can be read
}

// Reading is the whole history of one type.
type Reading struct {
	Items []HistoryItem
	// Complete says that all pages were read and nothing moved meanwhile. Only then does it prove anything
	// that a record is not among the items.
	Complete bool
	// Bound says that the history is longer than what is read: another try would end there, too.
	Bound bool
}

// AllHistory reads every page of one type, at most 500 of 100 records. Without such an endpoint the
// error wraps [ErrNoEndpoint]; every error is a [Verdict].
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

// DeleteHistory removes all viewings of an item from the history (DELETE /history): the service's own request
// names an item, not a viewing.
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
		return Verdict{Fate: Rejected, Problem: viewing.Say("noIdentifier")}
	}
	v, _ := c.do(ctx, call{op: History, method: http.MethodDelete, query: q})
	return v
}

// Likeness is whether a record is of an item.
type Likeness int

// The likenesses.
const (
	Unclear Likeness = iota // they name the item in different forms
	Alike
	Different
)

// Of compares the record's item with m: an episode by series, season and number where m has them, else by the
// identifier of the film or episode itself. A record without the series' own identifier may have it as tmdbId.
func (h HistoryItem) Compare(m viewing.Media) Likeness {
	show := h.ShowID
	if show == 0 {
		show = h.TMDBID
	}
	switch {
	case h.Type != "" && h.Type != string(m.Type):
		return Different
	case m.IDs.TMDB > 0 && h.ID == m.IDs.TMDB:
		return Alike
	case !m.Placed() && (m.IDs.TMDB == 0 || h.ID == 0 && h.TMDBID == 0):
		return Unclear
	case !m.Placed() && h.TMDBID == m.IDs.TMDB:
		return Alike
	case !m.Placed():
		return Different
	case show == 0 || h.Season == nil || h.Episode == nil || *h.Episode == 0:
		return Unclear
	case show == m.Show.IDs.TMDB && *h.Season == *m.Season && *h.Episode == *m.Episode:
		return Alike
	case h.ShowID == 0 && h.ID == h.TMDBID:
		return Unclear // tmdbId is the episode's, not the series'
	default:
		return Different
	}
}
