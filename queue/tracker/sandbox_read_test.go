package tracker_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

func episodeOf(show int64, season, number int) viewing.Media {
	return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: show}}, Season: &season, Episode: &number}
}

func filmOf(id int64) viewing.Media {
	return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: id}}
}

// open makes a client of a fresh sandbox.
func open(t *testing.T, contractOnly bool) (*sandbox.Service, *tracker.Client) {
	t.Helper()
	s, base := openSandbox(t, contractOnly)
	c, err := tracker.New(tracker.Options{BaseURL: base, Key: s.SecretKey()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return s, c
}

// record sends a viewing, which must arrive.
func record(t *testing.T, c *tracker.Client, m viewing.Media, at time.Time) {
	t.Helper()
	r, err := tracker.NewRequest(viewing.KindViewing, m, viewing.At(at), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Send(t.Context(), r); v.Fate != tracker.Delivered {
		t.Fatalf("%+v", v)
	}
}

func TestSandboxIsReadBackWhole(t *testing.T) {
	_, c := open(t, false)
	at := time.Date(2026, 3, 1, 19, 0, 0, 250e6, time.UTC)
	for i := range 3 {
		record(t, c, filmOf(int64(i+1)), at.Add(time.Duration(i)*time.Hour))
	}
	record(t, c, episodeOf(1396, 0, 7), at)
	films, err := c.AllHistory(t.Context(), viewing.Movie)
	if err != nil || !films.Complete || len(films.Items) != 3 {
		t.Fatalf("%d films, complete %v, %v", len(films.Items), films.Complete, err)
	}
	if i := slices.IndexFunc(films.Items, func(h tracker.HistoryItem) bool { return h.Of(filmOf(3)) == tracker.Alike }); i < 0 ||
		!films.Items[i].WatchedAt.Equal(at.Add(2*time.Hour)) {
		t.Errorf("the film is not in %+v", films.Items)
	}
	episodes, err := c.AllHistory(t.Context(), viewing.Episode)
	if err != nil || !episodes.Complete || len(episodes.Items) != 1 || episodes.Items[0].Of(episodeOf(1396, 0, 7)) != tracker.Alike {
		t.Errorf("%+v, %v", episodes, err)
	}
	again, err := c.AllHistory(t.Context(), viewing.Movie)
	if err != nil || again.Print != films.Print || again.Print == episodes.Print {
		t.Errorf("prints %s, %s, %s, %v", films.Print, again.Print, episodes.Print, err)
	}
}

func TestSandboxOfTheContractHasNothingToRead(t *testing.T) {
	_, c := open(t, true)
	_, me := c.Me(t.Context())
	_, history := c.AllHistory(t.Context(), viewing.Movie)
	_, _, lists := c.Lists(t.Context())
	for name, err := range map[string]error{"me": me, "history": history, "lists": lists} {
		if !errors.Is(err, tracker.ErrNoEndpoint) {
			t.Errorf("%s: %v", name, err)
		}
	}
	record(t, c, filmOf(603), time.Now())
}
