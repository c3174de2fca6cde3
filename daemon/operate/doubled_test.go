package operate

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestAStrangersRecordIsToldFromOurs: it lies within half the running time of ours, and
// no entry of ours explains it.
func TestAStrangersRecordIsToldFromOurs(t *testing.T) {
	at := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	film := func(id int64, minutes ...int) (all []tracker.HistoryItem) {
		for _, m := range minutes {
			all = append(all, tracker.HistoryItem{Type: "movie", ID: id, WatchedAt: at.Add(time.Duration(m) * time.Minute)})
		}
		return all
	}
	ours := queue.Entry{Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}, WatchedAt: entry.Moment{Instant: viewing.At(at)}}
	day := ours
	day.WatchedAt.Precision = viewing.Day
	for name, c := range map[string]struct {
		entry   queue.Entry
		history []tracker.HistoryItem
		told    []time.Time
		want    bool
	}{
		"ours alone":               {ours, film(603, 0), nil, false},
		"ours, cut to the minute":  {ours, film(603, 0, 0), nil, false},
		"a stranger's beside ours": {ours, film(603, 0, 5), nil, true},
		"half the running time":    {ours, film(603, 0, -50), nil, true},
		"another evening":          {ours, film(603, 0, 51), nil, false},
		"another film":             {ours, append(film(603, 0), film(604, 5)...), nil, false},
		"told by another entry":    {ours, film(603, 0, 5), []time.Time{at.Add(5 * time.Minute)}, false},
		"ours is not there":        {ours, film(603, 5), nil, false},
		"only the day is known":    {day, film(603, 0, 5), nil, false},
	} {
		if got := twice(c.entry, 100*time.Minute, c.history, c.told); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestADamagedEntryIsNotLookedFor: nobody knows which film it was, so the service is not asked.
func TestADamagedEntryIsNotLookedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	store := running(t, path)
	batch := viewing.Batch{Source: viewing.SourceCLI, Events: []viewing.Event{{
		EventID: "a", Kind: viewing.KindViewing, Count: 1, WatchedAt: viewing.At(time.Now()),
		Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}},
	}}}
	if _, err := store.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`DROP TRIGGER entries_sealed; UPDATE entries SET state = 'delivered', media = '{'`); err != nil {
		t.Fatal(err)
	}
	ours, err := store.Entries(t.Context(), entry.Filter{State: viewing.StateDelivered, Kind: viewing.KindViewing})
	if err != nil || len(ours) != 1 || ours[0].Media != nil {
		t.Fatalf("%+v, %v", ours, err)
	}
	if n, err := (Operator{Store: store}).Doubled(t.Context(), "", nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
