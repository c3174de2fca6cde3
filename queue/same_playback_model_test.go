package queue

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// playbackTruth is one real playback.
type playbackTruth struct {
	item   int64
	minute int // its end
}

// sightingReport is one report of a playback by a source.
type sightingReport struct {
	playback int // the index of the real playback
	source   string
	skew     int // seconds
	late     int // when it is reported: minutes after the end
	class    viewing.Class
	known    bool // the source knows the running time
}

// scenario is one run of the model: the real playbacks, and the reports of several sources while
// the queue sends, restarts, and is used.
type scenario struct {
	t       testing.TB
	store   *opened
	runtime int // minutes, of every item
	truth   []playbackTruth
	reports []sightingReport
	sent    map[int64]bool // entries that have left
}

// drawTruth draws playbacks. Those of one item are at least one running time apart.
func drawTruth(r *rapid.T, runtime int) []playbackTruth {
	var truth []playbackTruth
	for item := range rapid.IntRange(1, 3).Draw(r, "items") {
		minute := -600
		for range rapid.IntRange(1, 4).Draw(r, "playbacks") {
			minute += runtime + rapid.IntRange(3, 60).Draw(r, "apart")
			truth = append(truth, playbackTruth{int64(item + 1), minute})
		}
	}
	return truth
}

// drawSightings draws the reports: in chronological order, each source at its own time, or, with
// lag, some of them much later.
func drawSightings(r *rapid.T, truth []playbackTruth, lag int) []sightingReport {
	var all []sightingReport
	for i := range truth {
		for _, source := range []string{chrome, living, player, "kodi:/attic"} {
			if !rapid.Bool().Draw(r, "seen") {
				continue
			}
			s := sightingReport{playback: i, source: source, skew: rapid.IntRange(-60, 60).Draw(r, "skew"), known: rapid.Bool().Draw(r, "known")}
			if source == living || source == "kodi:/attic" {
				s.class = rapid.SampledFrom([]viewing.Class{viewing.ClassLive, viewing.ClassBulk, viewing.ClassReview}).Draw(r, "class")
			}
			s.late = rapid.IntRange(0, lag).Draw(r, "late")
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b sightingReport) int {
		return cmp.Compare(truth[a.playback].minute+a.late, truth[b.playback].minute+b.late)
	})
	return all
}

// viewing returns a report as an event.
func (e *scenario) viewing(n int, s sightingReport) viewing.Event {
	p := e.truth[s.playback]
	v := film(fmt.Sprint("event-", n), p.item, p.minute)
	v.WatchedAt = viewing.At(v.WatchedAt.Time().Add(time.Duration(s.skew) * time.Second))
	v.Class = s.class
	if s.known {
		v.Origin.Runtime = e.runtime * 60
	}
	return v
}

// live commits all reports, with other actions in between.
func (e *scenario) live(r *rapid.T) {
	for n, s := range e.reports {
		v := e.viewing(n, s)
		o := e.store.commitFrom(e.t, s.source, v)
		if o.Status != viewing.StatusQueued || len(o.Entries) == 0 {
			e.t.Fatalf("committed %+v: %+v", s, o)
		}
		if again := e.store.commitFrom(e.t, s.source, v); again.Status != viewing.StatusDuplicate {
			e.t.Fatalf("committed again %+v: %+v", s, again)
		}
		switch rapid.IntRange(0, 4).Draw(r, "then") {
		case 0:
			e.send(r)
		case 1:
			e.store = e.store.reopen(e.t)
		case 2:
			e.release(r)
		}
	}
}

// send sends some entries.
func (e *scenario) send(r *rapid.T) {
	for _, l := range e.store.due(e.t) {
		if e.sent[l.ID] && l.Attempts == 0 {
			e.t.Fatalf("entry %d leaves twice", l.ID)
		}
		attempt := e.store.send(e.t, l)
		end := rapid.SampledFrom([]viewing.State{viewing.StateDelivered, viewing.StateDelivered, viewing.StateInDoubt, viewing.StatePending}).Draw(r, "end")
		e.sent[l.ID] = e.sent[l.ID] || end != viewing.StatePending
		e.store.settle(e.t, Settlement{Entry: l.ID, Attempt: attempt, State: end, NotSent: end == viewing.StatePending})
	}
}

// release releases one held entry.
func (e *scenario) release(r *rapid.T) {
	held, err := e.store.Entries(e.t.Context(), entry.Filter{State: viewing.StateHeld})
	if err != nil || len(held) == 0 {
		return
	}
	one := rapid.SampledFrom(held).Draw(r, "held")
	if one.Reason == viewing.ReasonFuture { // its time has to come first
		return
	}
	if _, err := e.store.order(e.t.Context(), entry.VerbRelease, entry.Selection{IDs: []int64{one.ID}}, false); err != nil {
		e.t.Fatal(err)
	}
}

// requests releases everything and returns the number of entries by item that were or will be
// sent.
func (e *scenario) requests() map[int64]int {
	e.store.clock.advance(time.Hour) // now no time is in the future
	if _, err := e.store.order(e.t.Context(), entry.VerbRelease, entry.Selection{All: true}, false); err != nil {
		e.t.Fatal(err)
	}
	listed, err := e.store.Entries(e.t.Context(), entry.Filter{Limit: 1000})
	if err != nil {
		e.t.Fatal(err)
	}
	n := map[int64]int{}
	for _, l := range listed {
		if l.State != viewing.StateMerged {
			n[l.Media.IDs.TMDB]++
		} else if e.sent[l.ID] {
			e.t.Fatalf("entry %d was sent and is merged", l.ID)
		}
	}
	e.store.checkCounters(e.t)
	return n
}

// wanted returns, by item, how many playbacks were reported, and the maximum that one source
// reported.
func (e *scenario) wanted() (seen, most map[int64]int) {
	seen, most = map[int64]int{}, map[int64]int{}
	once, by := map[int]bool{}, map[string]int{}
	for _, s := range e.reports {
		item := e.truth[s.playback].item
		if !once[s.playback] {
			once[s.playback] = true
			seen[item]++
		}
		name := fmt.Sprint(s.source, item)
		by[name]++
		most[item] = max(most[item], by[name])
	}
	return seen, most
}

// checkScenarios runs many scenarios.
func checkScenarios(t *testing.T, draw func(r *rapid.T, e *scenario), check func(e *scenario, item int64, requests, seen, most int)) {
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "filmspool-merge-")
		if err != nil {
			r.Fatal(err)
		}
		defer os.RemoveAll(dir)
		e := &scenario{t: rapidTB{t, r}, sent: map[int64]bool{}}
		e.store = open(e.t, filepath.Join(dir, "queue.db"), newClock())
		defer func() { e.store.stop() }()
		draw(r, e)
		e.live(r)
		requests := e.requests()
		seen, most := e.wanted()
		for item := range seen {
			check(e, item, requests[item], seen[item], most[item])
		}
	})
}

// TestModelEveryPlaybackIsOneRequest: if sources report playbacks before the next one of the item
// ends, there are as many requests as playbacks.
func TestModelEveryPlaybackIsOneRequest(t *testing.T) {
	checkScenarios(t, func(r *rapid.T, e *scenario) {
		e.runtime = rapid.IntRange(2, 150).Draw(r, "running time")
		e.truth = drawTruth(r, max(e.runtime, 40)) // 40 minutes if no source reports it
		e.reports = drawSightings(r, e.truth, 3)
	}, func(e *scenario, item int64, requests, seen, most int) {
		if requests != seen {
			e.t.Fatalf("item %d: %d requests for %d playbacks; %+v of %+v", item, requests, seen, e.reports, e.truth)
		}
	})
}

// TestModelNoPlaybackIsLost: however close the playbacks, and whenever they are reported, there
// are never fewer requests than any one source reported playbacks.
func TestModelNoPlaybackIsLost(t *testing.T) {
	checkScenarios(t, func(r *rapid.T, e *scenario) {
		e.runtime = rapid.IntRange(1, 30).Draw(r, "running time")
		e.truth = drawTruth(r, 0)
		e.reports = drawSightings(r, e.truth, 600)
	}, func(e *scenario, item int64, requests, seen, most int) {
		if requests < most {
			e.t.Fatalf("item %d: %d requests, and one source saw it %d times; %+v of %+v", item, requests, most, e.reports, e.truth)
		}
		if requests > len(e.reports) {
			e.t.Fatalf("item %d: %d requests of %d sightings", item, requests, len(e.reports))
		}
	})
}

// rapidTB lets the helpers of the tests fail a run of rapid.
type rapidTB struct {
	testing.TB
	r *rapid.T
}

func (t rapidTB) Helper()                           {}
func (t rapidTB) Fatal(args ...any)                 { t.r.Fatal(args...) }
func (t rapidTB) Fatalf(format string, args ...any) { t.r.Fatalf(format, args...) }
