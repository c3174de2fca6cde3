package replay

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// importOnDay returns an imported viewing of which only the day is known.
func importOnDay(film int64, at time.Time) viewing.Event {
	v := filmAgo(film, 0)
	v.Class = viewing.ClassImport
	v.WatchedAt = viewing.At(at)
	v.WatchedAt.Precision = viewing.Day
	return v
}

// An imported viewing that the service already has is merged, not sent.
func TestImportsAreMergedWithTheServicesHistory(t *testing.T) {
	for name, c := range map[string]struct {
		record time.Duration // time of the service's record before the end of the import's day
		day    bool
		want   viewing.State
	}{
		"the same playback":   {9 * time.Hour, false, viewing.StateMerged},
		"another on that day": {3 * time.Hour, false, viewing.StateDelivered},
		"a day that has one":  {time.Hour, true, viewing.StateMerged},
		"a day that has none": {-time.Hour, true, viewing.StateDelivered},
		"the day before":      {25 * time.Hour, true, viewing.StateDelivered},
	} {
		t.Run(name, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) {
				midnight := time.Now().UTC().Truncate(24 * time.Hour).Add(-100 * 24 * time.Hour)
				b.recordByOtherDevice(1, midnight.Add(-c.record))
				v := importOnDay(1, midnight.Add(-12*time.Hour))
				if !c.day {
					v.WatchedAt = viewing.At(midnight.Add(-9*time.Hour - 10*time.Minute))
				}
				b.commit(v)
				b.advance(time.Minute)
				b.expectEnd(1, c.want, "")
			})
		})
	}
}

func TestHistoryHas(t *testing.T) {
	at := time.Date(2020, 3, 1, 20, 0, 0, 0, time.UTC)
	one, two := 1, 2
	ep := func(n int) viewing.Media {
		return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 9}}, Season: &one, Episode: &n}
	}
	film := func(id int64) viewing.Media { return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: id}} }
	h := newHistory([]tracker.HistoryItem{
		{Type: "movie", ID: 1, WatchedAt: at},
		{Type: "movie", TMDBID: 2, WatchedAt: at},
		{Type: "movie", ID: 3},
		{Type: "episode", ShowID: 9, Season: &one, Episode: &two, WatchedAt: at},
		{Type: "episode", TMDBID: 9, ID: 77, Season: &one, Episode: &one, WatchedAt: at},
	}, doubt.Exact)
	for name, c := range map[string]struct {
		m       viewing.Media
		at      time.Time
		runtime time.Duration
		want    bool
	}{
		"by its id":                   {film(1), at.Add(time.Minute), 0, true},
		"by its tmdbId":               {film(2), at, 0, true},
		"at another time":             {film(1), at.Add(time.Hour), 0, false},
		"within half of a long film":  {film(1), at.Add(time.Hour), 3 * time.Hour, true},
		"beyond half of a short film": {film(1), at.Add(time.Minute), time.Minute, false},
		"without a time":              {film(3), at, 0, false},
		"another film":                {film(9), at, 0, false},
		"an episode":                  {ep(2), at, 0, true},
		"an episode by its series":    {ep(1), at, 0, true},
		"another episode":             {ep(3), at, 0, false},
	} {
		if got := h.Has(c.m, viewing.At(c.at), c.runtime); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestReadHistory(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.recordByOtherDevice(1, time.Now())
		h, err := ReadHistory(b.Context(), b.client, "")
		if err != nil || !h.Has(viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 1}}, viewing.At(time.Now()), 0) {
			b.Errorf("%+v, %v", h, err)
		}
		if _, err := ReadHistory(b.Context(), b.client, "arrival"); err.Error() != "history.arrival" {
			b.Error(err)
		}
		b.interceptWith(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"items":[],"total":5}`) }))
		if _, err := ReadHistory(b.Context(), b.client, ""); err.Error() != "history.cut" {
			b.Error(err)
		}
		b.interceptWith(http.NotFoundHandler())
		if _, err := ReadHistory(b.Context(), b.client, ""); !errors.Is(err, tracker.ErrNoEndpoint) {
			b.Error(err)
		}
	})
}
