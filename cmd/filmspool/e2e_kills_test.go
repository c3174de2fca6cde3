//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/connectortest"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// inFlight is the number of concurrent requests.
const inFlight = 4

// killMode is a kind of service, which determines how requests without an answer are resolved.
type killMode struct {
	name         string
	contractOnly bool // the service has no history endpoint
	config       string
	reads        bool // its history is readable, which resolves nearly every doubt about a viewing
	idempotent   bool // it supports Idempotency-Key, which resolves every doubt
	stumbles     []string
	first        []string // the steps for the first kills
}

func killModes() []killMode {
	writes := []string{"POST /history", "POST /history", "POST /history", "POST /watchlist", "POST /lists"}
	all := append([]string{"GET /history", "GET /lists"}, append(writes, writes...)...)
	return []killMode{
		{name: "contract only, hold", contractOnly: true, stumbles: writes, first: []string{"recorded", "moment"}},
		{name: "read back", reads: true, stumbles: all, first: []string{"marked", "recorded"}},
		{name: "Idempotency-Key", config: "[accounts.default]\nidempotency = true\n", idempotent: true, stumbles: writes, first: []string{"answered", "settling"}},
	}
}

// The real daemon is killed at random moments and at each step of an entry, while browsers and
// the command line report viewings and the service fails sometimes. After a last start every
// acknowledged act is recorded once, or visible with a reason.
func TestKills(t *testing.T) {
	for _, mode := range killModes() {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			k := newKilling(t, mode)
			k.run(killsEach)
			k.audit()
		})
	}
}

// killing is the test in one mode.
type killing struct {
	*testing.T
	killMode
	h     *fixture
	box   *flaky
	diary *diary
	db    string

	steps   map[string]int // kills by step
	locked  int            // starts that found the folder locked
	doubts  int            // entries that kills interrupted, in total
	most    int            // maximum for one kill
	entries []queue.Entry  // in the end
}

func newKilling(t *testing.T, mode killMode) *killing {
	h := newFixture(t)
	h.configure("%s", mode.config)
	h.env = append(h.env, "FILMSPOOL_LOG_LEVEL=debug", quickReadBack+"=1")
	k := &killing{
		T: t, killMode: mode, h: h, diary: newDiary(h), steps: map[string]int{},
		box: newFlaky(t, h.dir, mode.contractOnly), db: filepath.Join(h.dir, "state", "filmspool.db"),
	}
	k.box.forgets = !mode.idempotent
	h.login(k.box.baseURL())
	return k
}

// run lets sources report and kills the daemon repeatedly; then the service recovers and the
// daemon finishes.
func (k *killing) run(kills int) {
	browsers := k.pairAll(2)
	ctx, stop := context.WithCancel(k.Context())
	defer stop()
	var sources sync.WaitGroup
	for _, o := range browsers {
		sources.Go(func() { k.diary.browse(ctx, o) })
	}
	sources.Go(func() { k.diary.typeIn(ctx) })
	steps := slices.Concat(k.first, []string{"moment", "start"}, crashSteps(), serviceSteps())
	limit := time.Now().Add(time.Duration(kills)*10*time.Second + patience)
	for n := 0; n < kills && !k.Failed(); {
		if time.Now().After(limit) {
			k.Errorf("only %d of %d kills within the time", n, kills)
			break
		}
		k.box.stumble(k.stumbles)
		if k.kill(steps[n%len(steps)]) {
			n++
		}
	}
	k.diary.address.Store(nil)
	stop()
	sources.Wait()
	k.recover()
}

// pairAll pairs browsers with a daemon that is not killed.
func (k *killing) pairAll(n int) (all []connectortest.Options) {
	daemon := k.h.start("run")
	for range n {
		all = append(all, k.h.pair(daemon))
	}
	daemon.end(os.Interrupt)
	return all
}

// victim is a daemon that will be killed.
type victim struct {
	cmd   *exec.Cmd
	ready chan string   // its address; closed without a value if it ended before
	ended chan struct{} // it has ended, and its output is complete
	log   bytes.Buffer  // its standard error; read it after the end
}

// launch starts the daemon. If step is one of the program's, the daemon kills itself there.
func (k *killing) launch(step string) *victim {
	v := &victim{cmd: k.h.command(context.WithoutCancel(k.Context()), "run"), ready: make(chan string, 1), ended: make(chan struct{})}
	if slices.Contains(crashSteps(), step) {
		v.cmd.Env = append(v.cmd.Env, fmt.Sprintf("%s=%s:%d", crashAt, step, 1+rand.IntN(6)))
	}
	v.cmd.Stderr = io.MultiWriter(&k.h.said, &v.log)
	out := &firstLine{lines: v.ready, said: &k.h.said}
	v.cmd.Stdout = out
	if err := v.cmd.Start(); err != nil {
		k.Fatal(err)
	}
	go func() {
		_ = v.cmd.Wait() // the state shows how it ended
		out.end()
		close(v.ended)
	}()
	return v
}

// firstLine sends the address in the first line that is written to it.
type firstLine struct {
	lines chan string
	said  *transcript
	sent  bool
}

func (l *firstLine) Write(p []byte) (int, error) {
	if _, address, ok := strings.Cut(strings.TrimSpace(string(p)), "http://"); ok && !l.sent {
		l.sent = true
		l.lines <- address
	}
	return l.said.Write(p)
}

// end is called after the last write.
func (l *firstLine) end() { close(l.lines) }

// killed reports whether it was killed.
func (v *victim) killed() bool {
	state, ok := v.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && state.Signaled() && state.Signal() == syscall.SIGKILL
}

// kill runs the daemon until it reaches a step and kills it there. It returns false if the daemon
// could not start because a command had locked the folder.
func (k *killing) kill(step string) bool {
	v := k.launch(step)
	if step == "start" {
		k.within(v, time.Duration(rand.IntN(60))*time.Millisecond)
	} else if address, ok := <-v.ready; ok {
		k.diary.address.Store(&address)
		step = k.live(v, step)
	}
	_ = v.cmd.Process.Kill() // it may have ended by itself
	<-v.ended
	k.diary.address.Store(nil)
	if !v.killed() {
		if code := v.cmd.ProcessState.ExitCode(); !strings.Contains(v.log.String(), "in use by another") {
			k.Errorf("the daemon ended by itself with %d:\n%s", code, v.log.String())
		}
		k.locked++
		return false
	}
	k.steps[step]++
	k.countInDoubt(step)
	return true
}

// live waits until the daemon reaches the step, and returns the step it reached.
func (k *killing) live(v *victim, step string) string {
	const enough = 3 * time.Second
	for before := k.diary.acknowledged(); k.diary.acknowledged() < before+5 && !k.within(v, 10*time.Millisecond); {
		// Before that a kill has no effect.
	}
	switch {
	case step == "moment":
		k.within(v, time.Duration(20+rand.IntN(500))*time.Millisecond)
	case slices.Contains(serviceSteps(), step):
		trap := k.box.set(step)
		defer k.box.free(trap)
		select {
		case <-trap.sprung:
		case <-time.After(enough):
			return "moment"
		}
		_ = v.cmd.Process.Kill() // while the request is stopped
		<-v.ended
	default:
		if !k.within(v, enough) {
			return "moment"
		}
	}
	return step
}

// within reports whether the daemon has ended within d.
func (k *killing) within(v *victim, d time.Duration) bool {
	select {
	case <-v.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// countInDoubt counts the requests that the kill interrupted: entries still marked as sending, or
// put in doubt at a later start.
func (k *killing) countInDoubt(step string) {
	all := k.count(`SELECT (SELECT count(*) FROM entries WHERE state = 'sending') +
		(SELECT count(*) FROM steps WHERE code = 'doubt.stopped')`)
	left := all - k.doubts
	k.doubts, k.most = all, max(k.most, left)
	if left > inFlight {
		k.Errorf("a kill (%s) left %d entries under way, at most %d may be", step, left, inFlight)
	}
}

// count executes a query for a number on the queue's file.
func (k *killing) count(query string) int {
	db, err := readOnly(k.db)
	if err != nil {
		k.Fatal(err)
	}
	defer db.Close()
	text, err := columnOf(db, query)
	if err != nil || len(text) != 1 {
		k.Fatalf("%s: %q, %v", query, text, err)
	}
	n, err := strconv.Atoi(text[0])
	if err != nil {
		k.Fatal(err)
	}
	return n
}

// recover runs the daemon with a working service until everything is finished.
func (k *killing) recover() {
	k.box.recover()
	daemon := k.h.start("run")
	unfinished := k.unfinished()
	await(k.Fatalf, k.h.dir, "the end of all that was unfinished",
		func() (int, error) { return k.count(unfinished), nil }, func(n int) bool { return n == 0 })
	var err error
	k.entries, err = k.h.entries()
	must(k.T, err)
	daemon.end(os.Interrupt)
}

// unfinished returns the query for entries that should soon change.
func (k *killing) unfinished() string {
	if k.idempotent {
		return `SELECT count(*) FROM entries WHERE state IN ('pending', 'sending', 'in_doubt')`
	}
	// A pending entry may wait for an older one of its item that is in doubt.
	query := `SELECT count(*) FROM entries AS n WHERE state IN ('pending', 'sending') AND NOT EXISTS (
		SELECT 1 FROM entries AS e WHERE e.item_key = n.item_key AND e.state = 'in_doubt' AND (e.happened_at, e.id) < (n.happened_at, n.id))`
	if k.reads { // after several attempts the next read is an hour later
		query += ` OR state = 'in_doubt' AND EXISTS (SELECT 1 FROM doubts AS d WHERE d.entry = n.id AND d.look_at < (unixepoch() + 60) * 1000)`
	}
	return query
}

// audit compares the acknowledgements with the queue and the service.
func (k *killing) audit() {
	records, err := k.box.service.Records(k.Context())
	if err != nil {
		k.Fatal(err)
	}
	have, states, reasons := recorded(records), map[string]int{}, map[string]int{}
	lost, doubled := 0, 0
	byID := map[string]queue.Entry{}
	for _, e := range k.entries {
		byID[e.EventID], byID[fmt.Sprintf("entry %d", e.ID)] = e, e
		states[string(e.State)]++
		if e.State == "in_doubt" {
			reasons[e.Reason]++
		}
	}
	for id, mark := range k.diary.acked {
		e, ok := byID[id]
		switch {
		case !ok:
			lost++
			k.Errorf("%s was acknowledged and is gone", mark)
		case !k.accounted(e, have[mark]):
			lost++
			k.Errorf("%s is %s (%q) and %d times at the service", mark, e.State, e.Reason, have[mark])
		}
	}
	if open := states["in_doubt"]; k.reads && open > 10+len(k.diary.acked)/20 {
		k.Errorf("%d entries are still in doubt although the service can be read back: %v", open, reasons)
	}
	for mark, times := range have {
		if times > 1 {
			doubled++
			k.Errorf("%s is %d times at the service", mark, times)
		}
		if !k.diary.reported[mark] {
			k.Errorf("%s was never reported", mark)
		}
	}
	var by []string
	total := 0
	for _, step := range slices.Sorted(maps.Keys(k.steps)) {
		by = append(by, fmt.Sprintf("%s %d", step, k.steps[step]))
		total += k.steps[step]
	}
	k.Logf("%s: %d kills (%s), %d starts met a lock; %d acknowledged, %d at the service, states %v; %d lost, %d doubled; kills left %d under way, at most %d at once",
		k.name, total, strings.Join(by, ", "), k.locked, len(k.diary.acked), len(have), states, lost, doubled, k.doubts, k.most)
}

// accounted reports whether an entry's state and the service's records agree.
func (k *killing) accounted(e queue.Entry, times int) bool {
	switch e.State {
	case "delivered":
		return times == 1
	case "in_doubt":
		return times <= 1 && e.Reason != "" && !k.idempotent
	case "pending":
		// Watchlist items may be repeated.
		return (times == 0 || e.Kind == viewing.KindWatchlist) && !k.idempotent
	default:
		return false
	}
}
