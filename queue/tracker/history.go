package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"unique"

	"github.com/filmspool/filmspool/queue/viewing"
)

// AllHistory reads every page of one type, at most 500 of 100 records and
// 64 MiB. Without such an endpoint the error wraps [ErrNoEndpoint]; every
// error is a [ReadError].
func (c *Client) AllHistory(ctx context.Context, t viewing.MediaType) (Reading, error) {
	found, err := readPages(ctx, c, History, newest(t), historyItem)
	if err != nil {
		return Reading{}, err
	}
	return Reading{Items: found.items, Complete: found.whole, Bound: found.bound, Print: Fingerprint(found.items)}, nil
}

func newest(t viewing.MediaType) url.Values {
	return url.Values{"sort": {"watchedAt:desc"}, "type": {string(t)}}
}

// historyItem is what is kept of a record, and the size of its text.
func historyItem(f fields) (HistoryItem, int) {
	kind := oddKind
	if raw := f.get("type"); len(raw) <= maxNumber {
		kind = unique.Make(textOf(raw)).Value()
	}
	return HistoryItem{
		Type: kind, ID: f.positive("id"), TMDBID: f.positive("tmdbId"), ShowID: f.positive("tvShowId"),
		Season: f.place("seasonNumber"), Episode: f.place("episodeNumber"), WatchedAt: f.instant("watchedAt"),
	}, 0
}

// oddKind stands for a type that is too long to be one.
const oddKind = "?"

// MediaStatus asks about identified items (POST /media/status); the answer
// has those that the service knows, by [viewing.Media.Key].
func (c *Client) MediaStatus(ctx context.Context, items []viewing.Media) (map[string]ItemStatus, error) {
	if len(items) > MaxStatusItems {
		return nil, fmt.Errorf("ask for status: %d items, at most %d may be asked about at once", len(items), MaxStatusItems)
	}
	type item struct {
		Type    viewing.MediaType `json:"type"`
		ID      int64             `json:"id,omitempty"`
		TMDBID  int64             `json:"tmdbId,omitempty"`
		Season  *int              `json:"seasonNumber,omitempty"`
		Episode *int              `json:"episodeNumber,omitempty"`
	}
	asked := make([]item, len(items))
	for i, m := range items {
		asked[i] = item{Type: m.Type, ID: m.IDs.TMDB, TMDBID: m.IDs.TMDB}
		if m.Placed() {
			asked[i] = item{Type: m.Type, TMDBID: m.Show.IDs.TMDB, Season: m.Season, Episode: m.Episode}
		} else if m.Type == viewing.Episode {
			asked[i].TMDBID = 0 // that would be the series'
		}
	}
	body, err := json.Marshal(map[string]any{"items": asked})
	if err != nil {
		return nil, errors.New("ask for status: " + err.Error())
	}
	found, err := c.ask(ctx, call{op: mediaStatus, body: body})
	if err != nil {
		return nil, err
	}
	return readStatuses(found, items), nil
}

func readStatuses(body json.RawMessage, items []viewing.Media) map[string]ItemStatus {
	all, _ := readObject(body)
	if data, ok := all.object("data"); ok {
		all = data
	}
	statuses := map[string]ItemStatus{}
	for _, m := range items {
		if f, ok := all.object(m.Key()); ok {
			statuses[m.Key()] = ItemStatus{Watched: f.truth("watched"), WatchedAt: f.instant("watchedAt"), InWatchlist: f.truth("inWatchlist")}
		}
	}
	return statuses
}

// DeleteHistory takes all viewings of an item out of the history (DELETE
// /history): the service's own request names an item, not a viewing.
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
		return Verdict{Fate: Rejected, Problem: "The item has no identifier of the service."}
	}
	return c.act(ctx, call{op: History, method: http.MethodDelete, query: q, key: c.key})
}

// Lists reads all lists (GET /lists); complete says that all pages were read
// and nothing moved meanwhile.
func (c *Client) Lists(ctx context.Context) (lists []RemoteList, complete bool, err error) {
	found, err := readPages(ctx, c, Lists, nil, remoteList)
	return found.items, found.whole, err
}

// maxListText bounds each text of a list, in bytes; ours are shorter. Of a
// longer one nothing is kept, so that such a list is never taken for ours.
const maxListText = 16 << 10

// remoteList is what is kept of a list, and the size of its texts.
func remoteList(f fields) (RemoteList, int) {
	var l RemoteList
	ok := true
	for name, into := range map[string]*string{"name": &l.Name, "description": &l.Description, "visibility": &l.Visibility} {
		text, brief := f.brief(name, maxListText)
		*into, ok = text, ok && brief
	}
	l.ID = f.identifier("id")
	if !ok || len(l.ID) > maxListText {
		return RemoteList{}, 0
	}
	return l, len(l.ID) + len(l.Name) + len(l.Description) + len(l.Visibility)
}
