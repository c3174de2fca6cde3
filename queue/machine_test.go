package queue

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// modelEntry is what the model knows of one entry.
type modelEntry struct {
	before    viewing.State // where it stood before the user moved it
	id        int64
	event     string // that made it
	edited    bool
	account   string
	item      int64
	watched   int64 // milliseconds
	state     viewing.State
	nextAt    time.Time
	back      bool  // an elder kept it back when it was due
	leased    Entry // the lease given last
	leasedTo  time.Time
	void      bool // the user has taken that lease back
	attempts  int
	attempt   int64
	witnesses int
}

// blocks reports whether the entry keeps younger ones of its item back.
func (e *modelEntry) blocks() bool {
	return e.state == viewing.StatePending || e.state == viewing.StateSending || e.state == viewing.StateInDoubt
}

// modelEvent is an event that was acknowledged.
type modelEvent struct {
	content string
	entries []int64
}

// machine drives a store and a simple model side by side.
type machine struct {
	t       testing.TB
	store   *opened
	entries map[int64]*modelEntry
	events  map[string]*modelEvent
}

// draw makes an event of a small world, so that ids, items and times meet.
func draw(r *rapid.T) (source string, v viewing.Event) {
	source = rapid.SampledFrom([]string{"browser:b1", "browser:b2"}).Draw(r, "source")
	id := fmt.Sprint("e", rapid.IntRange(0, 12).Draw(r, "event"))
	v = film(id, rapid.Int64Range(0, 3).Draw(r, "item"), -rapid.IntRange(1, 20).Draw(r, "minutes"))
	v.Count = rapid.IntRange(1, 2).Draw(r, "count")
	if rapid.IntRange(0, 3).Draw(r, "seen again") == 0 {
		v.SameAs = fmt.Sprint("e", rapid.IntRange(0, 12).Draw(r, "same as"))
	}
	return source, v
}

// content tells equal events from others, as far as draw can make them differ.
func content(v viewing.Event) string {
	return fmt.Sprint(v.Media[0].IDs.TMDB, v.WatchedAt.Millis, v.Count, v.SameAs)
}

func (m *machine) commit(r *rapid.T) {
	source, v := draw(r)
	o := m.store.commitBatch(m.t, viewing.Batch{Source: source, Events: []viewing.Event{v}})[0]
	known := m.events[v.EventID]
	switch {
	case known != nil && known.content != content(v):
		m.want(o.Status == viewing.StatusConflict && o.Entries == nil, "conflict", o)
	case known != nil:
		m.want(o.Status == viewing.StatusDuplicate && slices.Equal(o.Entries, known.entries), "duplicate", o)
	case m.events[v.SameAs] != nil && m.same(v):
		m.want(o.Status == viewing.StatusQueued && slices.Equal(o.Entries, m.events[v.SameAs].entries), "witness", o)
		m.events[v.EventID] = &modelEvent{content(v), o.Entries}
		for _, id := range o.Entries {
			m.entries[id].witnesses++
		}
	default:
		m.want(o.Status == viewing.StatusQueued && len(o.Entries) == v.Count, "queued", o)
		m.events[v.EventID] = &modelEvent{content(v), o.Entries}
		for _, id := range o.Entries {
			m.add(id, source, v)
		}
	}
}

// same reports whether v is the playback that it names, and not another item
// that is marked after the named one has left.
func (m *machine) same(v viewing.Event) bool {
	item := v.Media[0].IDs.TMDB
	return item == 0 || slices.ContainsFunc(m.events[v.SameAs].entries, func(id int64) bool {
		e := m.entries[id]
		left := e.event == v.SameAs && !e.edited && e.state != viewing.StatePending && e.state != viewing.StateHeld && e.state != viewing.StateDropped
		return !left || e.item == 0 || e.item == item
	})
}

// add takes a new entry into the model.
func (m *machine) add(id int64, source string, v viewing.Event) {
	m.want(m.entries[id] == nil, "a new id", id)
	e := &modelEntry{
		id: id, event: v.EventID, account: "default", item: v.Media[0].IDs.TMDB, watched: v.WatchedAt.Millis,
		state: viewing.StatePending, nextAt: v.WatchedAt.Time(), witnesses: 1,
	}
	if source == "browser:b2" {
		e.account = "second"
	}
	if e.item == 0 {
		e.state = viewing.StateHeld
	}
	m.entries[id] = e
}

// due are the entries that may be leased now.
func (m *machine) due(account string) (due []*modelEntry) {
	now := m.store.clock.now()
	for _, e := range m.entries {
		if e.account != account || e.state != viewing.StatePending || e.nextAt.After(now) || e.leasedTo.After(now) {
			continue
		}
		if m.keptBack(e) {
			e.back = true
			continue
		}
		due = append(due, e)
	}
	return due
}

// mayPrecede reports whether e can be leased before other. Where an elder kept an
// entry back, it may be due from the time of its playback on.
func (e *modelEntry) mayPrecede(other *modelEntry) bool {
	at := e.nextAt
	if watched := time.UnixMilli(e.watched); e.back && watched.Before(at) {
		at = watched
	}
	return cmp.Or(at.Compare(other.nextAt), cmp.Compare(e.id, other.id)) <= 0
}

// inTurn reports whether so many of due were leased, in an order that they may have.
func (m *machine) inTurn(leased []Entry, due []*modelEntry, n int) bool {
	for _, got := range leased {
		e := m.entries[got.ID]
		i := slices.Index(due, e)
		if i < 0 {
			return false
		}
		due = slices.Delete(due, i, i+1)
		if slices.ContainsFunc(due, func(other *modelEntry) bool { return !e.mayPrecede(other) }) {
			return false
		}
	}
	return len(leased) == n || len(leased) < n && len(due) == 0
}

// keptBack reports whether an elder of the same item is unfinished.
func (m *machine) keptBack(e *modelEntry) bool {
	for _, elder := range m.entries {
		older := cmp.Or(cmp.Compare(elder.watched, e.watched), cmp.Compare(elder.id, e.id)) < 0
		if elder.account == e.account && elder.item == e.item && elder.item != 0 && elder.blocks() && older {
			return true
		}
	}
	return false
}

func (m *machine) lease(r *rapid.T) {
	account := rapid.SampledFrom([]string{"default", "second"}).Draw(r, "account")
	n := rapid.IntRange(1, 4).Draw(r, "number")
	due := m.due(account)
	leased, err := m.store.Lease(m.t.Context(), account, n, time.Minute)
	m.want(err == nil && m.inTurn(leased, slices.Clone(due), n), fmt.Sprintf("%d of %v", n, due), ids(leased), err)
	for _, e := range leased {
		m.entries[e.ID].leased = e
		m.entries[e.ID].leasedTo = m.store.clock.now().Add(time.Minute)
		m.entries[e.ID].void = false
	}
}

// choose draws one entry that fits, or skips the step.
func (m *machine) choose(r *rapid.T, fits func(*modelEntry) bool) *modelEntry {
	var some []int64
	for _, id := range slices.Sorted(maps.Keys(m.entries)) {
		if fits(m.entries[id]) {
			some = append(some, id)
		}
	}
	if len(some) == 0 {
		r.Skip("no such entry")
	}
	return m.entries[rapid.SampledFrom(some).Draw(r, "entry")]
}

// sending tries any lease ever given: only the last one of an entry that is
// still pending holds.
func (m *machine) sending(r *rapid.T) {
	e := m.choose(r, func(e *modelEntry) bool { return e.leased.ID != 0 })
	attempt, err := m.store.Sending(m.t.Context(), e.leased)
	if e.state != viewing.StatePending || e.leased.Lease == 0 || e.void {
		m.want(errors.Is(err, ErrLeaseLost), "a lost lease", err)
		return
	}
	m.want(err == nil, "sending", err)
	e.state, e.attempt, e.leasedTo = viewing.StateSending, attempt, time.Time{}
	e.attempts++
}

func (m *machine) release(r *rapid.T) {
	e := m.choose(r, func(e *modelEntry) bool { return e.state == viewing.StatePending && e.leased.Lease != 0 })
	m.want(m.store.Release(m.t.Context(), []Entry{e.leased}) == nil, "a release")
	e.leased.Lease, e.leasedTo = 0, time.Time{}
}

func (m *machine) settle(r *rapid.T) {
	e := m.choose(r, func(e *modelEntry) bool { return e.state == viewing.StateSending })
	s := Settlement{
		Entry: e.id, Attempt: e.attempt,
		State:   rapid.SampledFrom([]viewing.State{viewing.StatePending, viewing.StateDelivered, viewing.StateInDoubt, viewing.StateRejected, viewing.StateHeld}).Draw(r, "end"),
		NotSent: rapid.Bool().Draw(r, "not sent"),
		NextAt:  m.store.clock.now().Add(time.Duration(rapid.IntRange(0, 2).Draw(r, "put off")) * time.Minute),
	}
	m.store.settle(m.t, s)
	e.state, e.nextAt, e.back, e.leased.Lease = s.State, m.store.clock.now(), false, 0
	if s.State == viewing.StatePending { // of any other state it is not told when
		e.nextAt = s.NextAt
	}
	if s.NotSent {
		e.attempts--
	}
}

func (m *machine) wait(r *rapid.T) {
	m.store.clock.advance(time.Duration(rapid.IntRange(1, 90).Draw(r, "seconds")) * time.Second)
}

// reopen is a restart: what was being sent is in doubt, leases are void.
func (m *machine) reopen(*rapid.T) {
	m.store = m.store.reopen(m.t)
	for _, e := range m.entries {
		if e.state == viewing.StateSending {
			e.state = viewing.StateInDoubt
		}
		e.leasedTo = time.Time{}
	}
}

// check compares everything.
func (m *machine) check(*rapid.T) {
	counts := m.store.checkCounters(m.t)
	var want entry.Counts
	for _, e := range m.entries {
		*slot(&want, e.state)++
	}
	m.want(counts == want, fmt.Sprintf("counts %+v", want), counts)
	listed, err := m.store.Entries(m.t.Context(), entry.Filter{Limit: 1000})
	m.want(err == nil && len(listed) == len(m.entries), fmt.Sprint(len(m.entries), " entries"), len(listed), err)
	for _, got := range listed {
		e := m.entries[got.ID]
		m.want(e != nil && got.State == e.state && got.Account == e.account && got.Attempts == e.attempts, fmt.Sprintf("%+v", e), got)
	}
}

// want stops the run when the store differs from the model.
func (m *machine) want(ok bool, what string, got ...any) {
	if !ok {
		m.t.Helper()
		m.t.Fatalf("the model has %s, the store %+v", what, got)
	}
}

// inRapid makes a failure of rapid's run one of the test's helpers.
type inRapid struct {
	testing.TB
	r *rapid.T
}

func (t inRapid) Helper()                           {}
func (t inRapid) Fatal(args ...any)                 { t.r.Fatal(args...) }
func (t inRapid) Fatalf(format string, args ...any) { t.r.Fatalf(format, args...) }

func TestStoreAgainstModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tb := inRapid{t, r}
		m := &machine{
			t: tb, store: open(tb, filepath.Join(t.TempDir(), "queue.db"), newClock()),
			entries: map[int64]*modelEntry{}, events: map[string]*modelEvent{},
		}
		defer func() { m.store.stop() }()
		r.Repeat(map[string]func(*rapid.T){
			"commit": m.commit, "lease": m.lease, "sending": m.sending, "settle": m.settle,
			"release": m.release, "wait": m.wait, "reopen": m.reopen,
			"operate": m.operate, "recall": m.recall, "settle by hand": m.settleByHand, "edit": m.edit, "": m.check,
		})
		for id, e := range m.entries {
			seen := len(m.store.explained(tb, id).Events)
			m.want(seen == e.witnesses, fmt.Sprint(e.witnesses, " events"), seen)
		}
	})
}
