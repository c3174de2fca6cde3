package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestUndoOnlyWhereNothingGoesAlong goes through all that a reading can show.
func TestUndoOnlyWhereNothingGoesAlong(t *testing.T) {
	at := time.Date(2026, 3, 1, 20, 15, 30, 0, time.UTC)
	e := queue.Entry{ID: 1, Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}, WatchedAt: entry.Moment{Instant: viewing.At(at)}}
	film := func(id int64, at time.Time) tracker.HistoryItem {
		return tracker.HistoryItem{Type: "movie", ID: id, WatchedAt: at}
	}
	mine, other := film(603, at), film(7, at)
	local := func(t time.Time) string { return t.Local().Format(time.DateTime) } // as a person reads it
	for name, c := range map[string]struct {
		items   []tracker.HistoryItem
		partial bool
		bound   bool
		keeps   doubt.Precision
		others  int
		there   bool
		why     string
	}{
		"ours alone":             {items: []tracker.HistoryItem{mine, other}, there: true},
		"gone":                   {items: []tracker.HistoryItem{other}},
		"nothing at all":         {},
		"gone, and another ours": {others: 1},
		"one more":               {items: []tracker.HistoryItem{mine, film(603, at.AddDate(1, 0, 0))}, why: "all 2 viewings of it: " + local(at) + ", " + local(at.AddDate(1, 0, 0))},
		"another's":              {items: []tracker.HistoryItem{film(603, at.Add(time.Hour))}, why: "it is of " + local(at.Add(time.Hour))},
		"another's that day":     {items: []tracker.HistoryItem{film(603, at.Add(time.Hour))}, keeps: doubt.Day, there: true},
		"to the minute":          {items: []tracker.HistoryItem{film(603, at.Truncate(time.Minute))}, keeps: doubt.Minute, there: true},
		"unlearned minute":       {items: []tracker.HistoryItem{film(603, at.Truncate(time.Minute))}, why: "not sent from here"},
		"time of arrival":        {items: []tracker.HistoryItem{mine}, keeps: doubt.Arrival, why: "not sent from here"},
		"whose of two":           {items: []tracker.HistoryItem{mine}, others: 1, why: "it is unclear which"},
		"cannot be compared":     {items: []tracker.HistoryItem{mine, {Type: "movie"}}, why: "1 viewings there"},
		"too long":               {items: []tracker.HistoryItem{mine}, partial: true, bound: true, why: "too long to be read whole"},
		"not whole":              {items: []tracker.HistoryItem{mine}, partial: true, why: "changed while it was read"},
	} {
		t.Run(name, func(t *testing.T) {
			there, why := undoable(e, c.keeps, tracker.Reading{Items: c.items, Complete: !c.partial, Bound: c.bound}, c.others)
			if there != c.there || c.why == "" && why.Code != "" || !strings.Contains(locale.In("").Message(why), c.why) {
				t.Errorf("there %v, %q; want %v, %q", there, why, c.there, c.why)
			}
		})
	}
}
