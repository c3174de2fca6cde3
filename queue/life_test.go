package queue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/tracker/sandbox/pipetest"
	"github.com/filmspool/filmspool/queue/viewing"
)

// life is a state machine for rapid: the real queue on a real disk, the loop, the client and a
// faulty service, in a synctest bubble in which days pass at once. Only the clock of the queue is
// changed.
type life struct {
	dir      string
	skew     atomic.Int64 // of the queue's clock
	settings settings

	store  *queue.Store
	loop   *replay.Loop
	ended  []func() // stop the queue and the loop
	box    *sandbox.Service
	client *tracker.Client
	closed []func() // stop the client and the service

	events map[string]string // the mark of each acknowledged event, by event id
	marks  map[string]int    // number of reports by mark: item and time
	alien  map[string]int    // number of records of another device by mark
	crash  int
}

// settings are the user's settings and the capabilities of the service.
type settings struct {
	contractOnly, idempotent bool
	inDoubt                  doubt.Setting
}

// wrong is a broken promise. It is a panic, because only the goroutine that rapid started,
// outside the bubble, may fail the test.
type wrong string

func broke(format string, args ...any) { panic(wrong(fmt.Sprintf(format, args...))) }

func must(err error) {
	if err != nil {
		broke("%v", err)
	}
}

// TestLife combines everything that can happen between a source and the service. Every
// acknowledged viewing is delivered, or visible with a reason; none is recorded twice unless it
// was in doubt and the user had chosen "resend".
func TestLife(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "filmspool-life-")
		if err != nil {
			r.Fatal(err)
		}
		defer os.RemoveAll(dir)
		var failure any
		synctest.Test(t, func(*testing.T) { failure = live(r, dir) })
		switch what := failure.(type) {
		case nil:
		case wrong:
			r.Fatalf("broken promise: %s", string(what))
		default:
			panic(failure)
		}
	})
}

// live runs one state machine and returns the value of a panic.
func live(r *rapid.T, dir string) (failure any) {
	l := &life{dir: dir, events: map[string]string{}, marks: map[string]int{}, alien: map[string]int{}}
	defer func() {
		failure = recover()
		l.end(failure != nil)
	}()
	l.settings = settings{
		contractOnly: rapid.IntRange(0, 3).Draw(r, "contract only") == 3,
		inDoubt:      rapid.SampledFrom([]doubt.Setting{doubt.Hold, doubt.Hold, doubt.Resend, doubt.Assume}).Draw(r, "in doubt"),
	}
	l.settings.idempotent = !l.settings.contractOnly && rapid.IntRange(0, 2).Draw(r, "idempotent") == 0
	l.serve()
	l.begin()
	r.Repeat(map[string]func(*rapid.T){
		"watch": l.watch, "evening": l.doubtfulViewings, "another evening": l.doubtfulViewings, "stumble": l.stumble, "stumble when read": l.stumbleRead,
		"time": l.time, "time goes on": l.time, "clock": l.clock, "elsewhere": l.elsewhere,
		"wake":    func(*rapid.T) { l.loop.Wake() },
		"recheck": l.recheck,
		"restart": func(*rapid.T) { l.stop(); l.begin() },
		"crash":   func(*rapid.T) { l.kill(); l.begin() },
		"":        func(*rapid.T) { l.check() },
	})
	l.recover()
	return nil
}

// serve starts the service.
func (l *life) serve() {
	var err error
	l.box, err = sandbox.Open(context.Background(), sandbox.Options{
		Path: filepath.Join(l.dir, "sandbox.db"), ContractOnly: l.settings.contractOnly, SecretKey: "sk_lifelongsecret1", PublicKey: "pk_lifelongpublic",
	})
	must(err)
	listener, server := pipetest.Listen(), &http.Server{Handler: l.serviceHandler()}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // it ends by Close
	}()
	l.client, err = tracker.New(tracker.Options{BaseURL: "http://127.0.0.1/api/v1", Key: l.box.SecretKey(), Dial: listener.Dial})
	must(err)
	l.closed = []func(){l.client.Close, func() { server.Close(); <-served }, func() { l.box.Close() }}
}

// serviceHandler removes the Idempotency-Key if the service does not support it; otherwise the
// sandbox would hide duplicate requests.
func (l *life) serviceHandler() http.Handler {
	if l.settings.idempotent {
		return l.box.Handler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Idempotency-Key")
		l.box.Handler().ServeHTTP(w, r)
	})
}

// begin opens the queue and starts the writer and the loop.
func (l *life) begin() {
	ctx := context.Background()
	var err error
	l.store, err = queue.OpenAt(ctx, queue.Options{Path: filepath.Join(l.dir, "queue.db")}, func() time.Time {
		return time.Now().Add(time.Duration(l.skew.Load()))
	})
	must(err)
	o := replay.Options{
		Account: "default", Outbox: l.store, Service: l.client, InstallationID: l.store.InstallationID(),
		InDoubt: l.settings.inDoubt, Idempotent: l.settings.idempotent,
	}
	l.loop = replay.New(o)
	l.ended = []func(){runUntilStopped(l.store.Run), runUntilStopped(l.loop.Run)}
}

// runUntilStopped calls run in a goroutine; stop cancels it and waits.
func runUntilStopped(run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	return func() {
		cancel()
		must(<-ended)
	}
}

// stop stops the loop, then the queue.
func (l *life) stop() {
	l.ended[1]()
	l.ended[0]()
	l.ended = nil
	must(l.store.Close())
}

// kill closes the queue before the loop, so that the outcome of a running request is not
// recorded.
func (l *life) kill() {
	l.crash++
	l.ended[0]()
	must(l.store.Close())
	l.ended[1]()
	l.ended = nil
}

// end releases everything, also after a failure.
func (l *life) end(failed bool) {
	if failed {
		defer func() { _ = recover() }() // the first failure is the one that counts
	}
	defer func() {
		for _, free := range l.closed {
			free()
		}
	}()
	if l.ended != nil {
		l.stop()
	}
}

// item returns one of a few items, so that some are watched again.
func item(n int) viewing.Media {
	if n > 3 {
		season := 1
		return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: &season, Episode: &n}
	}
	return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(600 + n)}}
}

func mark(m viewing.Media, at time.Time) string {
	return fmt.Sprintf("%s at %s", m.Key(), at.UTC().Format(time.RFC3339))
}

// epoch is when the viewings begin, independently of the clock.
func epoch() time.Time { return time.Date(1999, 12, 1, 20, 0, 0, 0, time.UTC) }

// watch commits some viewings, and some of them again.
func (l *life) watch(r *rapid.T) {
	b := viewing.Batch{Source: "browser:1"}
	for range rapid.IntRange(1, 4).Draw(r, "viewings") {
		m, at := item(rapid.IntRange(1, 6).Draw(r, "item")), epoch().Add(time.Duration(rapid.IntRange(0, 300).Draw(r, "minute"))*time.Minute)
		id := fmt.Sprint("event-", len(l.events)+len(b.Events))
		b.Events = append(b.Events, viewing.Event{Kind: viewing.KindViewing, EventID: id, Count: 1, Media: []viewing.Media{m}, WatchedAt: viewing.At(at)})
	}
	for again := range 2 {
		outcomes, err := l.store.Commit(context.Background(), b)
		must(err)
		for i, o := range outcomes {
			want := []viewing.Status{viewing.StatusQueued, viewing.StatusDuplicate}[again]
			if o.Status != want {
				broke("event %s is %s, want %s", o.EventID, o.Status, want)
			}
			if v := b.Events[i]; again == 0 {
				l.events[v.EventID] = mark(v.Media[0], v.WatchedAt.Time())
				l.marks[l.events[v.EventID]]++
			}
		}
		if !rapid.Bool().Draw(r, "commit again") {
			return
		}
	}
}

// recheck rechecks everything in doubt.
func (l *life) recheck(*rapid.T) {
	_, err := l.store.Operate(context.Background(), entry.Order{
		Verb: entry.VerbRecheck, Selection: entry.Selection{Filter: entry.Filter{State: viewing.StateInDoubt}},
	})
	must(err)
	l.loop.Wake()
}

// stumble arms faults of every kind for the requests that record viewings.
func (l *life) stumble(r *rapid.T) {
	l.arm(r, "POST /history", []string{
		"drop-after", "drop-after", "drop-before", "drop-before", "late:4m", "late:4m", "late:3s", "cut", "reset", "delay:40s", "html", "empty",
		"status:503", "bare:503", "bare:500", "retry-after:45", "status:401", "bare:404", "status:422", "bare:408",
	})
}

// doubtfulViewings commits a good viewing, and then some that end in doubt.
func (l *life) doubtfulViewings(r *rapid.T) {
	l.watch(r)
	time.Sleep(time.Second)
	for range rapid.IntRange(1, 3).Draw(r, "bad") {
		l.arm(r, "POST /history", []string{"late:4m", "late:4m", "late:3s", "drop-after", "drop-before", "cut", "delay:40s"})
	}
	l.watch(r)
	time.Sleep(rapid.SampledFrom([]time.Duration{time.Second, 40 * time.Second, 3 * time.Minute}).Draw(r, "passes"))
}

// stumbleRead arms faults for the requests that read.
func (l *life) stumbleRead(r *rapid.T) {
	if l.settings.contractOnly {
		r.Skip("there is nothing to read")
	}
	match := rapid.SampledFrom([]string{"GET /history", "GET /me"}).Draw(r, "read")
	l.arm(r, match, []string{"status:503", "html", "empty", "cut", "reset", "delay:40s", "bare:404", "retry-after:45"})
}

func (l *life) arm(r *rapid.T, match string, faults []string) {
	must(l.box.Arm(sandbox.Fault{
		Match: match, Fault: rapid.SampledFrom(faults).Draw(r, "fault"), Times: rapid.IntRange(1, 4).Draw(r, "times"),
	}))
}

func (l *life) time(r *rapid.T) {
	time.Sleep(rapid.SampledFrom([]time.Duration{
		time.Millisecond, time.Second, 40 * time.Second, 40 * time.Second, 6 * time.Minute, 3 * time.Hour, 30 * time.Hour,
	}).Draw(r, "passes"))
}

// clock changes the queue's clock.
func (l *life) clock(r *rapid.T) {
	by := rapid.SampledFrom([]time.Duration{-time.Hour, -time.Minute, time.Minute, time.Hour, 26 * time.Hour}).Draw(r, "set by")
	l.skew.Add(int64(by))
}

// elsewhere records a viewing on another device of the user, at another time.
func (l *life) elsewhere(r *rapid.T) {
	m, at := item(rapid.IntRange(1, 6).Draw(r, "item")), epoch().Add(30*time.Hour+time.Duration(len(l.alien))*time.Hour)
	in := map[string]any{"type": m.Type, "count": 1, "watchedAt": at}
	if m.Placed() {
		in["tvShowId"], in["seasonNumber"], in["episodeNumber"] = m.Show.IDs.TMDB, m.Season, m.Episode
	} else {
		in["id"] = m.IDs.TMDB
	}
	body, err := json.Marshal(in)
	must(err)
	post := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/api/v1/history", bytes.NewReader(body))
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("X-Api-Key", l.box.SecretKey())
	answer := httptest.NewRecorder()
	func() {
		defer func() { _ = recover() }() // an armed fault may close a connection that a recorder does not have
		l.box.Handler().ServeHTTP(answer, post)
	}()
	if answer.Code == http.StatusBadRequest {
		broke("%s is refused: %s", body, answer.Body)
	}
	l.alien[mark(m, at)]++
}

// check checks the invariants that hold at any time.
func (l *life) check() {
	have := l.records()
	for mark, times := range have {
		if times > l.marks[mark]+l.alien[mark] && l.settings.inDoubt != doubt.Resend {
			broke("%s is recorded %d times, reported %d times", mark, times, l.marks[mark])
		}
	}
}

// records returns the number of records of the service by mark.
func (l *life) records() map[string]int {
	records, err := l.box.Records(context.Background())
	must(err)
	have := map[string]int{}
	for _, h := range records.History {
		m := viewing.Media{Type: viewing.MediaType(h.Type), IDs: viewing.IDs{TMDB: h.ID}}
		if m.Type == viewing.Episode {
			season, episode := int(*h.SeasonNumber), int(h.EpisodeNumber)
			m = viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: h.TVShowID}}, Season: &season, Episode: &episode}
		}
		have[mark(m, h.WatchedAt)]++
	}
	return have
}

// recover removes all faults, lets some days pass, and checks everything.
func (l *life) recover() {
	l.box.Disarm()
	l.skew.Store(0)
	time.Sleep(3 * 24 * time.Hour)
	synctest.Wait()
	l.check()
	have, delivered, asked, stuck := l.records(), map[string]int{}, map[string]bool{}, map[string]bool{}
	entries := l.entries()
	for _, e := range entries {
		if e.State == viewing.StateInDoubt {
			stuck[e.Media.Key()] = true
		}
	}
	for _, e := range entries {
		l.visible(e, stuck[e.Media.Key()])
		explained, err := l.store.Explain(context.Background(), e.ID)
		must(err)
		if slices.ContainsFunc(explained.Steps, func(s entry.Step) bool {
			return s.Code == "doubt.stopped" || s.Code == "read-back" || s.Args["state"] == "in_doubt" || s.Cause != nil && strings.Contains(s.Cause.Error(), "sent again")
		}) {
			asked[mark(*e.Media, e.WatchedAt.Time())] = true
		}
		if e.State == viewing.StateDelivered {
			delivered[mark(*e.Media, e.WatchedAt.Time())]++
		}
		delete(l.events, e.EventID)
	}
	for id := range l.events {
		broke("event %s was acknowledged and is gone", id)
	}
	for mark, times := range have {
		if times > l.marks[mark]+l.alien[mark] && !asked[mark] {
			broke("%s is recorded %d times, and none was in doubt", mark, times)
		}
	}
	for mark, n := range delivered {
		if have[mark] < n && l.settings.inDoubt != doubt.Assume {
			broke("%s is delivered %d times and recorded %d times", mark, n, have[mark])
		}
	}
	l.stop()
}

// entries returns all entries.
func (l *life) entries() []queue.Entry {
	var all []queue.Entry
	for f := (entry.Filter{Limit: 500}); ; {
		page, err := l.store.Entries(context.Background(), f)
		must(err)
		if all = append(all, page...); len(page) < f.Limit {
			return all
		}
		f.Below = page[len(page)-1].ID
	}
}

// visible checks that an entry is delivered, or visible with a reason. An entry may wait for an
// older one of its item that is in doubt (stuck).
func (l *life) visible(e queue.Entry, stuck bool) {
	switch {
	case e.State == viewing.StateDelivered:
	case e.State == viewing.StatePending && stuck:
	case (e.State == viewing.StateInDoubt || e.State == viewing.StateHeld || e.State == viewing.StateRejected) && e.Reason != "":
	default:
		explained, err := l.store.Explain(context.Background(), e.ID)
		broke("entry %d is %s (%q) days after the last fault; settings %+v, health %+v, skew %v; %+v, %v",
			e.ID, e.State, e.Reason, l.settings, l.loop.Health(), time.Duration(l.skew.Load()), explained, err)
	}
}
