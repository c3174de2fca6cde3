package page

import (
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestPagesAndCommandsSayTheSame: why an entry stands where it does has one wording in
// English, for each state and reason.
func TestPagesAndCommandsSayTheSame(t *testing.T) {
	s, _ := newSite(t, fakeAPI())
	v := &visit{Speech: s.words.In("en"), site: s}
	classes := []string{"", string(viewing.ClassLive), string(viewing.ClassMarked), string(viewing.ClassImport), "HTTP 422: no"}
	for _, state := range viewing.States() {
		for _, reason := range append(viewing.Reasons(), classes...) {
			e := entry.Entry{ID: 7, State: state, Reason: reason, Account: "a"}
			if state == viewing.StatePending {
				continue
			}
			want, _ := control.Advice(e)
			if got := why(v, control.Explanation{Explanation: entry.Explanation{Entry: e}}, nil); got != want {
				t.Errorf("%s (%s): the page says %q, the command %q", state, reason, got, want)
			}
		}
	}
	for _, a := range []control.Account{
		{Name: "a", State: account.OK}, {Name: "a", State: account.Paused}, {Name: "a", State: account.Offline, Reason: "It is away."},
	} {
		x := entry.Explanation{Entry: entry.Entry{State: viewing.StatePending, Account: "a"}}
		want, _ := control.WaitingFor(x, a, time.Now())
		if got := why(v, control.Explanation{Explanation: x, Why: want}, []control.Account{a}); got != want {
			t.Errorf("%s: the page says %q, the command %q", a.State, got, want)
		}
	}
	x := control.Explanation{Explanation: entry.Explanation{Entry: entry.Entry{State: viewing.StatePending, Account: "a", NextAt: time.Now().Add(time.Hour)}}}
	fine := []control.Account{{Name: "a", State: account.OK}}
	if got, want := why(v, x, fine), "It is sent at "+v.Value(x.NextAt)+"."; got != want {
		t.Errorf("put off: %q, want %q", got, want)
	}
	x.Ahead = entry.Entry{ID: 3, State: viewing.StateInDoubt}
	if got := why(v, x, fine); got != "Entry 3 comes first (in doubt)." {
		t.Errorf("behind another: %q", got)
	}
}

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
	for name, c := range map[string]struct {
		e    entry.Entry
		want can
	}{
		"nobody knows what it is": {entry.Entry{State: viewing.StateHeld, Reason: viewing.ReasonUnresolved, Kind: viewing.KindViewing, Media: &viewing.Media{Type: viewing.Movie}}, can{Drop: true, Time: true, Fix: true}},
		"in the future":           {entry.Entry{State: viewing.StateHeld, Reason: viewing.ReasonFuture, Kind: viewing.KindViewing, Media: film}, can{Drop: true, Time: true, Fix: true}},
		"dropped by its source":   {entry.Entry{State: viewing.StateDropped, Reason: "its source took it back", Kind: viewing.KindViewing, Media: film}, can{}},
		"a list":                  {entry.Entry{State: viewing.StateDelivered, Kind: viewing.KindList, List: &viewing.List{Name: "x"}}, can{}},
	} {
		if got := canDo(c.e); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestLifeIsToldInOrder: what was seen, decided, asked and answered, by time.
func TestLifeIsToldInOrder(t *testing.T) {
	s, _ := newSite(t, fakeAPI())
	at := func(minute int) time.Time { return time.Date(2026, 3, 1, 20, minute, 0, 0, time.UTC) }
	life := lifeOf(&visit{Speech: s.words.In("en"), site: s}, control.Explanation{Explanation: entry.Explanation{
		Events: []entry.Witness{
			{At: at(0), Source: "browser:b1", Seen: viewing.Event{Origin: viewing.Origin{URL: "https://a.example/x", Site: "a.example"}}},
			{At: at(4), Source: "kodi:/x", Seen: viewing.Event{Origin: viewing.Origin{URL: "javascript:x", Path: "/films/x.mkv"}}},
		},
		Steps:    []entry.Step{{At: at(1), What: "rule", Detail: "It goes."}, {At: at(3), What: "unheard of", Detail: "So."}},
		Requests: []entry.Attempt{{Number: 1, At: at(2), Status: 503, Error: "away"}},
	}})
	want := []moved{
		{at(0), "Browser told of it", told{"a.example. ", "en"}, "https://a.example/x"},
		{at(1), "Rule", told{"It goes.", "en"}, ""},
		{at(2), "Request 1", told{"HTTP 503. away", "en"}, ""},
		{at(3), "unheard of", told{"So.", "en"}, ""},
		{at(4), "Kodi /x told of it", told{"/films/x.mkv. ", "en"}, ""},
	}
	if !slices.Equal(life, want) {
		t.Errorf("%+v", life)
	}
}
