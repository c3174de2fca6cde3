package replay

import (
	"testing"
	"time"
)

func instantAt(s int) time.Time { return time.Unix(1_700_000_000+int64(s), 0) }

func TestGateWidth(t *testing.T) {
	g := newGate(8, most)
	g.width = 8
	var widths []int
	for range 4 {
		g.strike(1, instantAt(0))
		widths = append(widths, g.width)
	}
	for range 12 { // above the width at which trouble began: a round for each step
		g.good()
		widths = append(widths, g.width)
	}
	if want := []int{4, 2, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5}; !equal(widths, want) {
		t.Errorf("widths are %v, want %v", widths, want)
	}
	g.shut(instantAt(0))
	g.open()
	widths = nil
	for range 9 {
		widths = append(widths, g.width)
		g.good()
	}
	if want := []int{1, 2, 3, 4, 5, 6, 7, 8, 8}; !equal(widths, want) {
		t.Errorf("widths after a probe are %v, want %v", widths, want)
	}
}

func TestGateClosesForManyNotForOne(t *testing.T) {
	g := newGate(1, most)
	for range 20 {
		g.strike(1, instantAt(0))
		g.strike(2, instantAt(0))
	}
	if g.closed {
		t.Fatal("closed for the trouble of two entries")
	}
	g.strike(3, instantAt(0))
	if !g.closed || !g.probeAt().Equal(instantAt(1)) {
		t.Fatalf("closed is %v, probe at %s", g.closed, g.probeAt())
	}
	g.open()
	g.strike(3, instantAt(1))
	if g.closed {
		t.Fatal("closed again by an entry that is known")
	}
	g.strike(4, instantAt(1))
	if !g.closed || !g.probeAt().Equal(instantAt(3)) {
		t.Fatalf("a probe alone has ended the back-off: closed %v, probe at %s", g.closed, g.probeAt())
	}
	g.open()
	g.good()
	g.strike(5, instantAt(4))
	if g.closed || g.troubled() {
		t.Error("a good answer did not end the trouble")
	}
}

func TestGateIsTroubledAfterAWaitUntilAGoodAnswer(t *testing.T) {
	g := newGate(4, most)
	g.wait(instantAt(30))
	if g.room(instantAt(29), 0) != 0 || g.room(instantAt(30), 0) != 1 || !g.troubled() {
		t.Errorf("room %d and %d, troubled %v", g.room(instantAt(29), 0), g.room(instantAt(30), 0), g.troubled())
	}
	g.wait(instantAt(10)) // a shorter wait does not end the longer one
	if g.room(instantAt(29), 0) != 0 {
		t.Error("a second, shorter wait has ended the first")
	}
	g.good()
	if g.troubled() {
		t.Error("troubled after a good answer")
	}
}

func TestGateLateNewsDoesNotLengthenTheWait(t *testing.T) {
	g := newGate(4, most)
	g.shut(instantAt(0))
	for range 3 {
		g.shut(instantAt(0)) // the others that were under way
	}
	if !g.retryAt.Equal(instantAt(1)) {
		t.Errorf("probe at %s, want one second later", g.retryAt)
	}
}

// New work brings the next probe forward, once, and leaves the back-off as it was.
func TestGateHurriesForNewWork(t *testing.T) {
	g := newGate(4, most)
	at := func(what string, second int) {
		t.Helper()
		if !g.closed || !g.probeAt().Equal(instantAt(second)) {
			t.Errorf("%s: closed %v, probe at %s, want second %d", what, g.closed, g.probeAt(), second)
		}
	}
	g.shut(instantAt(0))
	g.failed(instantAt(1))
	g.failed(instantAt(3))
	at("two probes failed", 7)
	g.hurry(instantAt(3))
	at("a second after the last try", 4)
	g.hurry(instantAt(4))
	at("once more", 4)
	g.failed(instantAt(4))
	at("the hurried probe failed", 7)
	g.failed(instantAt(7))
	at("the regular one failed", 15)
	g.hurry(instantAt(10))
	at("at once, long after the last try", 10)
	g.failed(instantAt(15))
	at("it failed when the regular one was due", 31)
	g.hurry(instantAt(31))
	at("nothing to hurry", 31)
	g.wait(instantAt(40))
	at("the service asks for a wait", 40)
	g.ask(instantAt(41))
	at("a person asks", 41)
	g.failed(instantAt(41))
	at("the back-off began anew", 42)
}

func TestGateBeginsNarrow(t *testing.T) {
	g := newGate(4, most)
	if g.troubled() || g.room(instantAt(0), 0) != 1 || g.room(instantAt(0), 1) != 0 || g.room(instantAt(0), 2) != 0 {
		t.Errorf("troubled %v, room for %d, %d and %d", g.troubled(), g.room(instantAt(0), 0), g.room(instantAt(0), 1), g.room(instantAt(0), 2))
	}
	g.good()
	if got := g.room(instantAt(0), 1); got != 1 {
		t.Errorf("after a good answer there is room for %d more", got)
	}
	g.shut(instantAt(0))
	if got := g.room(instantAt(0), 0); got != 0 {
		t.Errorf("closed, with room for %d", got)
	}
}

// A probe that is answered ends the back-off, where no entry met trouble.
func TestGateOpensWithANewBackoff(t *testing.T) {
	g := newGate(4, most)
	g.shut(instantAt(0))
	g.failed(instantAt(1))
	g.open()
	if g.troubled() {
		t.Error("troubled after a probe was answered")
	}
	g.shut(instantAt(5))
	if !g.probeAt().Equal(instantAt(6)) {
		t.Errorf("the next probe is at %s", g.probeAt())
	}
}

func TestLongDelays(t *testing.T) {
	for wanted, want := range map[time.Duration]time.Duration{time.Minute: time.Minute, 24 * time.Hour: 24 * time.Hour, 25 * time.Hour: 24 * time.Hour} {
		if got := asked(wanted); got != want {
			t.Errorf("asked for %s, %s is kept", wanted, got)
		}
	}
	if got := fullJitter(1); got != 1 {
		t.Errorf("the shortest wait is %d ns", got)
	}
}

func TestDelays(t *testing.T) {
	for tries, want := range map[int]time.Duration{
		0: time.Second, 1: 2 * time.Second, 9: 512 * time.Second, 10: 15 * time.Minute, 1 << 40: 15 * time.Minute,
	} {
		if got := longest(tries); got != want {
			t.Errorf("longest(%d) = %s, want %s", tries, got, want)
		}
	}
	for range 1000 {
		if d := fullJitter(time.Second); d <= 0 || d > time.Second {
			t.Fatalf("jitter of %s is out of bounds", d)
		}
	}
}
