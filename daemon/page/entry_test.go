package page

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestEveryStateOffersWhatFits: what is finished for good offers nothing, and what a
// person must decide offers a way out.
func TestEveryStateOffersWhatFits(t *testing.T) {
	film := &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 1}}
	for state, want := range map[viewing.State]can{
		viewing.StatePending:   {Retry: true, Hold: true, Drop: true, Time: true, Fix: true},
		viewing.StateSending:   {},
		viewing.StateDelivered: {Undo: true},
		viewing.StateHeld:      {Release: true, Drop: true, Time: true, Fix: true},
		viewing.StateInDoubt:   {Settle: true, Drop: true},
		viewing.StateRejected:  {Retry: true, Drop: true, Time: true, Fix: true},
		viewing.StateDropped:   {Release: true},
		viewing.StateMerged:    {},
	} {
		if got := canDo(entry.Entry{State: state, Reason: viewing.ReasonUser, Kind: viewing.KindViewing, Media: film}); got != want {
			t.Errorf("%s: %+v, want %+v", state, got, want)
		}
	}
	ahead := entry.Moment{Instant: viewing.At(time.Now().Add(time.Hour))}
	for name, c := range map[string]struct {
		e    entry.Entry
		want can
	}{
		"nobody knows what it is": {entry.Entry{State: viewing.StateHeld, Reason: viewing.ReasonUnresolved, Kind: viewing.KindViewing, Media: &viewing.Media{Type: viewing.Movie}}, can{Drop: true, Time: true, Fix: true}},
		"in the future":           {entry.Entry{State: viewing.StateHeld, Reason: viewing.ReasonFuture, Kind: viewing.KindViewing, Media: film, WatchedAt: ahead}, can{Drop: true, Time: true, Fix: true}},
		"its time has come":       {entry.Entry{State: viewing.StateHeld, Reason: viewing.ReasonFuture, Kind: viewing.KindViewing, Media: film}, can{Release: true, Drop: true, Time: true, Fix: true}},
		"dropped by its source":   {entry.Entry{State: viewing.StateDropped, Reason: "its source took it back", Kind: viewing.KindViewing, Media: film}, can{}},
		"a list":                  {entry.Entry{State: viewing.StateDelivered, Kind: viewing.KindList, List: &viewing.List{Name: "x"}}, can{}},
	} {
		if got := canDo(c.e); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
