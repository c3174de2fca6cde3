package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// An undo is possible only if it deletes no other viewing.
func TestUndoDeletesNothingElse(t *testing.T) {
	at := time.Date(2026, 3, 1, 20, 15, 30, 0, time.UTC)
	e := queue.Entry{ID: 1, Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}, WatchedAt: entry.Moment{Instant: viewing.At(at)}}
	film := func(id int64, at time.Time) tracker.HistoryItem {
		return tracker.HistoryItem{Type: "movie", ID: id, WatchedAt: at}
	}
	mine, other := film(603, at), film(7, at)
	local := func(t time.Time) string { return t.Local().Format(time.DateTime) } // as it is shown
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

// Every entry that needs a decision has a command for it.
func TestEveryDecisionHasACommand(t *testing.T) {
	for _, c := range []struct {
		state           viewing.State
		reason, command string
	}{
		{"in_doubt", "", "filmspool fix 7 --delivered"},
		{"rejected", "", "filmspool fix 7 --help"},
		{"delivered", "", "filmspool undo 7"},
		{"held", viewing.ReasonUnresolved, "filmspool fix 7 --help"},
		{"held", viewing.ReasonBulk, "filmspool send 7"},
		{"held", viewing.ReasonUser, "filmspool send 7"},
		{"held", viewing.ReasonFuture, "filmspool fix 7 --help"},
		{"dropped", viewing.ReasonFiltered, "filmspool send 7"},
		{"dropped", "", "filmspool send 7"}, // by the user
	} {
		e := queue.Entry{ID: 7, Kind: viewing.KindViewing, State: c.state, Reason: c.reason}
		if c.reason == viewing.ReasonFuture {
			e.WatchedAt.Instant = viewing.At(time.Now().Add(time.Hour))
		}
		why, hint := control.Advice(e)
		if speech := locale.In(""); why.Code == "" || !strings.Contains(speech.Message(hint), c.command) {
			t.Errorf("%s (%s): %q, %q; want %s", c.state, c.reason, why, hint, c.command)
		}
	}
	// The time is no longer in the future.
	e := queue.Entry{ID: 7, Kind: viewing.KindViewing, State: viewing.StateHeld, Reason: viewing.ReasonFuture}
	e.WatchedAt.Instant = viewing.At(time.Now().Add(-time.Hour))
	if _, hint := control.Advice(e); !strings.Contains(locale.In("").Message(hint), "filmspool send 7") {
		t.Error(hint)
	}
	// The error for a verb that does not fit has the same command, or one that leads to it.
	for state, want := range map[viewing.State]string{"delivered": "filmspool undo 7", "sending": "filmspool show 7", "pending": "filmspool show 7"} {
		err := queueFault(&queue.StateError{Verb: "hold", ID: 7, State: state})
		if f, ok := errors.AsType[*control.Fault](err); !ok || !strings.Contains(locale.In("").Message(f.Hint), want) {
			t.Errorf("%s: %+v", state, err)
		}
	}
}

// Resume ends pauses by the user, but not those that end only with another answer of the service.
func TestResumeEndsOnlyPausesByTheUser(t *testing.T) {
	store := running(t, filepath.Join(t.TempDir(), "queue.db"))
	for reason, ends := range map[string]bool{account.PausedUser: true, "of a later version": true, account.PausedKey: false, account.PausedAddress: false} {
		d := &core{store: store}
		d.o.Config.Accounts = map[string]config.Account{"anna": {}}
		must(t, store.UpdateAccount(t.Context(), "anna", func(a *account.Row) { a.Pause = account.Pause{Reason: reason} }))
		if _, err := d.Resume(t.Context(), control.Pause{}); err != nil {
			t.Fatal(err)
		}
		a, err := store.Account(t.Context(), "anna")
		if err != nil || (a.Pause.Reason == "") != ends {
			t.Errorf("%s: paused for %q then, %v", reason, a.Pause.Reason, err)
		}
	}
}

// running returns a queue with a running writer until the test ends.
func running(t *testing.T, path string) *queue.Store {
	t.Helper()
	store, err := queue.Open(t.Context(), queue.Options{Path: path})
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- store.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ran, store.Close()); err != nil {
			t.Error(err)
		}
	})
	return store
}

// Every field of the API has a method of the same name; the compiler does not check that.
func TestEveryCallHasAMethod(t *testing.T) {
	for question := range reflect.TypeFor[control.API]().Fields() {
		if _, found := reflect.TypeFor[*Daemon]().MethodByName(question.Name); !found {
			t.Errorf("a daemon has no answer to %s", question.Name)
		}
	}
	c := offline{newCore(testOptions(t))}.Control()
	if _, err := c.Pair(t.Context()); !errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) {
		t.Errorf("while nothing runs: %v", err)
	}
}
