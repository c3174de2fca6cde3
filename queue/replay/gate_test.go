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

func TestDelays(t *testing.T) {
	for tries, want := range map[int]time.Duration{
		0: time.Second, 1: 2 * time.Second, 9: 512 * time.Second, 10: 15 * time.Minute, 1 << 40: 15 * time.Minute,
	} {
		if got := longest(tries); got != want {
			t.Errorf("longest(%d) = %s, want %s", tries, got, want)
		}
	}
	if got := probeDelay(lastProbeStep()); got != probeCap || probeDelay(lastProbeStep()-1) >= probeCap {
		t.Errorf("last probe step %d waits %s", lastProbeStep(), got)
	}
	for range 1000 {
		if d := fullJitter(time.Second); d <= 0 || d > time.Second {
			t.Fatalf("jitter of %s is out of bounds", d)
		}
	}
}
