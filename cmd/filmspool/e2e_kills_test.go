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

// inFlight is how many requests are under way at once.
const inFlight = 4

// killMode is a kind of service, which decides how a request without an answer is settled.
type killMode struct {
	name         string
	contractOnly bool // the service shows nothing of its history
	config       string
	reads        bool // its history can be read back, which settles nearly every doubt about a viewing
	idempotent   bool // it honours Idempotency-Key, which settles every doubt
	stumbles     []string
	first        []string // the steps to be killed at before all others
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

// TestKills kills the real daemon with -9, at random moments and at each step
// of an entry's way, while browsers and the command line report viewings and
// the service stumbles. After a last, quiet start every acknowledged act is
// recorded once, or visible with a reason.
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
	h     *household
	box   *flaky
	diary *diary
	db    string

	steps   map[string]int // kills by step
	locked  int            // starts that found the folder in use
	doubts  int            // entries that kills left under way, in all
	most    int            // the most that one kill did
	entries []queue.Entry  // in the end
}

func newKilling(t *testing.T, mode killMode) *killing {
	h := newHousehold(t)
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

// run lets sources report and kills the daemon again and again; then the service
// is well and the daemon finishes.
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

// pairAll pairs browsers with a daemon that nobody kills.
func (k *killing) pairAll(n int) (all []connectortest.Options) {
	daemon := k.h.start("run")
	for range n {
		all = append(all, k.h.pair(daemon))
	}
	daemon.end(os.Interrupt)
	return all
}

// victim is a daemon that is going to be killed.
type victim struct {
	cmd   *exec.Cmd
	ready chan string   // its address; closed without one when it ended before
	ended chan struct{} // it has ended, and its output is complete
	log   bytes.Buffer  // its standard error; read it after the end
}

// launch starts the daemon; step, when it is one of the program's, makes it
// kill itself there, early on.
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
		_ = v.cmd.Wait() // how it ended is read from its state
		out.end()
		close(v.ended)
	}()
	return v
}

// firstLine sends on the address in the first line that is written to it.
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

// killed reports whether it ended by a kill.
func (v *victim) killed() bool {
	state, ok := v.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && state.Signaled() && state.Signal() == syscall.SIGKILL
}

// kill runs the daemon until it comes to a step, and kills it there. It
// is false when the daemon could not start because a command had the folder.
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

// live waits until the daemon has come to the step, and returns the step it came to.
func (k *killing) live(v *victim, step string) string {
	const enough = 3 * time.Second
	for before := k.diary.acknowledged(); k.diary.acknowledged() < before+5 && !k.within(v, 10*time.Millisecond); {
		// A kill before that would have nothing to lose.
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
		_ = v.cmd.Process.Kill() // while the request stands still
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

// countInDoubt counts the requests that the kill cut: entries that are still
// marked as sending, or were put in doubt when the queue was opened since.
func (k *killing) countInDoubt(step string) {
	all := k.count(`SELECT (SELECT count(*) FROM entries WHERE state = 'sending') +
		(SELECT count(*) FROM steps WHERE code = 'doubt.stopped')`)
	left := all - k.doubts
	k.doubts, k.most = all, max(k.most, left)
	if left > inFlight {
		k.Errorf("a kill (%s) left %d entries under way, at most %d may be", step, left, inFlight)
	}
}

// count asks the queue's file for a number.
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

// recover runs the daemon once more, with a service that is well, until all is finished.
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

// unfinished is the query for the entries that should soon change by themselves.
func (k *killing) unfinished() string {
	if k.idempotent {
		return `SELECT count(*) FROM entries WHERE state IN ('pending', 'sending', 'in_doubt')`
	}
	// A pending entry may wait for an elder of its item that is in doubt.
	query := `SELECT count(*) FROM entries AS n WHERE state IN ('pending', 'sending') AND NOT EXISTS (
		SELECT 1 FROM entries AS e WHERE e.item_key = n.item_key AND e.state = 'in_doubt' AND (e.happened_at, e.id) < (n.happened_at, n.id))`
	if k.reads { // what was looked for often enough has an hour until the next time
		query += ` OR state = 'in_doubt' AND EXISTS (SELECT 1 FROM doubts AS d WHERE d.entry = n.id AND d.look_at < (unixepoch() + 60) * 1000)`
	}
	return query
}

// audit compares what was acknowledged with the queue and with the service.
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
		// What it waits for was seen before. A wish may be repeated.
		return (times == 0 || e.Kind == viewing.KindWatchlist) && !k.idempotent
	default:
		return false
	}
}
