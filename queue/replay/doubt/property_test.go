package doubt

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// one is one entry in doubt in a random world.
type one struct {
	watched time.Time
	arrives time.Duration // after the attempt; negative: never
	fate    fate
}

// TestNoGroupIsLostOrDoubled draws a service, viewings it is known to have,
// and several doubts about one item, some of them at one time, and judges
// them together as replay does.
func TestNoGroupIsLostOrDoubled(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := &service{keeps: rapid.SampledFrom([]Precision{Exact, Minute, Day, Arrival}).Draw(r, "keeps")}
		learned := Learn(drawAnchors(r, s))
		if finer(learned, s.keeps) {
			r.Fatalf("learned %q of a service that keeps %q", learned, s.keeps)
		}
		doubts := drawDoubts(r)
		foreign := rapid.SliceOfN(rapid.IntRange(-5, 5), 0, 3).Draw(r, "other devices, hours away")
		for _, h := range foreign {
			if h != 0 {
				s.add(ours, watched().Add(time.Duration(h)*time.Hour), attempt(), false)
			}
		}
		var readings []Reading
		recorded := map[int]bool{}
		for _, at := range []time.Duration{firstLook, firstLook + between, firstLook + 2*between, firstLook + 3*between} {
			for i, d := range doubts {
				if d.arrives >= 0 && d.arrives <= at && !recorded[i] {
					s.add(ours, d.watched, attempt().Add(d.arrives), true)
					recorded[i] = true
				}
			}
			reading := s.read(attempt().Add(at))
			reading.Anchor = len(s.of(anchor)) > 0
			readings = append(readings, reading)
			settle(doubts, learned, readings)
		}
		judge(r, doubts)
	})
}

// drawAnchors gives the service viewings that it has answered with success.
func drawAnchors(r *rapid.T, s *service) (anchors []Anchor) {
	for i := range rapid.IntRange(0, 4).Draw(r, "anchors") {
		at := attempt().Add(-time.Duration(i+1)*50*time.Hour - time.Duration(rapid.IntRange(1, 3_599_999).Draw(r, "ms"))*time.Millisecond)
		if rapid.Bool().Draw(r, "whole minute") {
			at = at.Truncate(time.Minute)
		}
		sent := at.Add(time.Duration(rapid.SampledFrom([]int{1_001, 90_007, 400_013, 90_000_017}).Draw(r, "sent after, ms")) * time.Millisecond)
		item := anchor
		if i > 0 {
			item = another + i
		}
		s.add(item, at, sent, false)
		anchors = append(anchors, Anchor{Watched: at, Sent: sent, Shown: s.of(item)})
	}
	return anchors
}

func drawDoubts(r *rapid.T) []*one {
	doubts := make([]*one, rapid.IntRange(1, 4).Draw(r, "doubts"))
	for i := range doubts {
		minutes := rapid.SampledFrom([]int{0, 0, 3, 600}).Draw(r, "minutes later")
		arrives := rapid.SampledFrom([]time.Duration{-1, 0, 4 * time.Minute, firstLook + 10*time.Second}).Draw(r, "arrives")
		doubts[i] = &one{watched: watched().Add(time.Duration(minutes) * time.Minute), arrives: arrives, fate: stay}
	}
	return doubts
}

// finer reports whether a is a finer way than b; unknown is not.
func finer(a, b Precision) bool {
	all := ways()
	return a != Unknown && slices.Index(all[:], a) < slices.Index(all[:], b)
}

// settle judges all doubts by the newest readings, each on its own.
func settle(doubts []*one, keeps Precision, readings []Reading) {
	decided := make([]fate, len(doubts))
	for i, d := range doubts {
		e := Evidence{Watched: d.watched, LastByte: attempt(), Keeps: keeps, Taken: len(readings), Readings: readings[max(0, len(readings)-2):]}
		for j, other := range doubts {
			switch {
			case j == i:
			case other.fate == delivered:
				e.Claimed = append(e.Claimed, other.watched)
			case other.fate == again:
				// It is no longer in doubt, and was shown not to be there.
			case j < i:
				e.Elder = append(e.Elder, other.watched)
			default:
				e.Younger = append(e.Younger, other.watched)
			}
		}
		decided[i] = stay
		if d.fate == stay {
			decided[i] = decide(e).fate
		}
	}
	for i, d := range doubts {
		if d.fate == stay {
			d.fate = decided[i]
		}
	}
}

// judge holds the ends against what happened. Doubts of one time are alike:
// only their numbers count.
func judge(r *rapid.T, doubts []*one) {
	arrived, taken, repeated, all := map[time.Time]int{}, map[time.Time]int{}, map[time.Time]int{}, map[time.Time]int{}
	for _, d := range doubts {
		all[d.watched]++
		if d.arrives >= 0 {
			arrived[d.watched]++
		}
		switch d.fate {
		case delivered:
			taken[d.watched]++
		case again:
			repeated[d.watched]++
		}
	}
	for at, n := range all {
		said := fmt.Sprintf("at %s of %d: %d arrived, %d delivered, %d again", at, n, arrived[at], taken[at], repeated[at])
		if taken[at] > arrived[at] {
			r.Fatalf("lost: %s", said)
		}
		if repeated[at] > n-arrived[at] {
			r.Fatalf("doubled: %s", said)
		}
	}
}
