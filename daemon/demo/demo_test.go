package demo

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestTour gives the whole tour: what it counts is what it did.
func TestTour(t *testing.T) {
	var story bytes.Buffer
	got, err := Run(t.Context(), Options{Story: &story, Once: true, Version: "test", Start: daemon.Start})
	if err != nil {
		t.Fatalf("%v\n%s", err, story.String())
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
	p := plan{
		watched:   []act{{browser, film(1, "", 0), at}, {library, film(2, "", 0), at}, {command, film(3, "", 0), at}},
		watchlist: []viewing.Media{film(9, "", 0)},
	}
	var r Result
	r.tally(p, sandbox.Records{
		// 1 once, 2 twice, 3 at another time, a list nobody asked for, no wish.
		History: []sandbox.HistoryItem{record(1, at), record(2, at), record(2, at), record(3, at.Add(time.Second))},
		Lists:   []sandbox.List{{}},
	})
	want := Result{Lists: 1, Lost: 2, Doubled: 3}
	want.History.Browser, want.History.Kodi = 1, 1
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
