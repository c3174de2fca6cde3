package demo

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

// The tour delivers everything that it produces.
func TestTour(t *testing.T) {
	var story bytes.Buffer
	got, err := Run(t.Context(), Options{Story: &story, Once: true, Version: "test"})
	if err != nil {
		t.Fatalf("%v\n%s", err, story.String())
	}
	if strings.Contains(story.String(), "says: \n") || strings.Contains(story.String(), "says:  ") {
		t.Errorf("it says nothing:\n%s", story.String())
	}
	want := Result{Watchlist: 1, Lists: 1, OfflineHeld: 5}
	want.History.Browser, want.History.Kodi, want.History.CLI = 3, 3, 2
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("count (-want +got):\n%s\n%s", diff, story.String())
	}
}

func TestTallyFindsLostAndDoubled(t *testing.T) {
	at := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	record := func(id int64, at time.Time) sandbox.HistoryItem {
		return sandbox.HistoryItem{Type: "movie", ID: id, WatchedAt: at}
	}
	to := &tour{watched: map[string]*int{}}
	to.acknowledged(film(1, "", 0), at, &to.result.History.Browser)
	to.acknowledged(film(2, "", 0), at, &to.result.History.Kodi)
	to.acknowledged(film(3, "", 0), at, &to.result.History.CLI)
	to.tally(sandbox.Records{
		// Film 1 once, 2 twice, 3 at another time, one list too many, no watchlist item.
		History: []sandbox.HistoryItem{record(1, at), record(2, at), record(2, at), record(3, at.Add(time.Second))},
		Lists:   []sandbox.List{{}, {}},
	})
	want := Result{Lists: 2, Lost: 2, Doubled: 3}
	want.History.Browser, want.History.Kodi = 1, 1
	if diff := cmp.Diff(want, to.result); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
