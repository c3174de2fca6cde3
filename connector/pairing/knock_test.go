package pairing_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/connector/pairing"
)

const port = 43456

func commitment(nonce string) string {
	hash := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(hash[:])
}

// knock opens a knock of an Origin that will reveal nonce.
func knock(t rapid.TB, r *pairing.Registry, origin, nonce string) *pairing.Door {
	t.Helper()
	d, wait := r.Knock(pairing.Visitor{Label: "desk", Origin: origin, Browser: "chromium", Commitment: commitment(nonce), Port: port})
	if wait != 0 {
		t.Fatalf("%s has to wait for %v", origin, wait)
	}
	return d
}

// shown opens a knock and reveals its nonce; it is the last one of the list.
func shown(t rapid.TB, r *pairing.Registry, origin string) (*pairing.Door, pairing.Knock) {
	t.Helper()
	d := knock(t, r, origin, "n")
	if err := d.Reveal("n"); err != nil {
		t.Fatal(err)
	}
	list := r.Knocks()
	return d, list[len(list)-1]
}

func TestTwoClicksMakeOneToken(t *testing.T) {
	r := open(t, &shelf{})
	d := knock(t, r, origin, "mine")
	if len(r.Knocks()) != 0 {
		t.Error("a knock is listed before it has a number")
	}
	if err := d.Reveal("mine"); err != nil {
		t.Fatal(err)
	}
	k := r.Knocks()[0]
	if k.Number != pairing.CheckNumber("mine", d.Nonce, port) || k.Origin != origin || k.Label != "desk" || k.Browser != "chromium" {
		t.Errorf("listed as %+v", k)
	}
	if _, _, err := d.Pair(t.Context()); !errors.Is(err, pairing.ErrNotAccepted) {
		t.Errorf("without the click on the trusted side: %v", err)
	}
	for range 3 { // a person clicks as often as they like
		if err := r.AnswerKnock(k.ID, true); err != nil {
			t.Fatal(err)
		}
	}
	if yes := <-d.Answers(); !yes || !r.Knocks()[0].Accepted {
		t.Error("the click is not told")
	}
	id, token, err := d.Pair(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c, err := r.Check(token, origin); err != nil || c.ID != id || c.Label != "desk" || c.Browser != "chromium" {
		t.Errorf("client %+v, %v", c, err)
	}
	if _, _, err := d.Pair(t.Context()); !errors.Is(err, pairing.ErrKnockOver) || len(r.Knocks()) != 0 {
		t.Errorf("a second token: %v", err)
	}
}

// Both sides compute what the example of the protocol says.
func TestCheckNumberOfTheExample(t *testing.T) {
	text, err := os.ReadFile("../protocol/testdata/knock.json")
	if err != nil {
		t.Fatal(err)
	}
	var example struct {
		Nonce, Commitment, Answer, Number string
		Port                              int
	}
	if err := json.Unmarshal(text, &example); err != nil {
		t.Fatal(err)
	}
	if got := pairing.CheckNumber(example.Nonce, example.Answer, example.Port); got != example.Number || commitment(example.Nonce) != example.Commitment {
		t.Errorf("number %s of %+v", got, example)
	}
	if pairing.CheckNumber(example.Nonce, example.Answer, example.Port+1) == example.Number {
		t.Error("the port is no part of the number")
	}
}

func TestAnotherNonceThanTheCommittedOneEndsTheKnock(t *testing.T) {
	r := open(t, &shelf{})
	d := knock(t, r, origin, "mine")
	if err := d.Reveal("chosen later"); !errors.Is(err, pairing.ErrCommitment) {
		t.Errorf("got %v", err)
	}
	if err := d.Reveal("mine"); !errors.Is(err, pairing.ErrKnockOver) || len(r.Knocks()) != 0 {
		t.Errorf("the right one after it: %v", err)
	}
}

// A nonce is revealed once: who could reveal again could look for a number.
func TestANumberStays(t *testing.T) {
	r := open(t, &shelf{})
	d, k := shown(t, r, origin)
	if err := d.Reveal("n"); !errors.Is(err, pairing.ErrKnockOver) || r.Knocks()[0] != k {
		t.Errorf("revealed twice: %v, %+v", err, r.Knocks())
	}
}

func TestKnocksThatMustWait(t *testing.T) {
	at := func(n int) string { return fmt.Sprint("moz-extension://", n) }
	tests := map[string]struct {
		before func(t *testing.T, r *pairing.Registry)
		want   time.Duration
	}{
		"one is open": {func(t *testing.T, r *pairing.Registry) { knock(t, r, origin, "n") }, 2 * time.Minute},
		"three of others are open": {func(t *testing.T, r *pairing.Registry) {
			for i := range 3 {
				knock(t, r, at(i), "n")
				time.Sleep(time.Second)
			}
		}, 117 * time.Second},
		"ten in an hour": {func(t *testing.T, r *pairing.Registry) {
			for range 10 {
				knock(t, r, origin, "n").Leave()
				time.Sleep(time.Second)
			}
		}, time.Hour - 10*time.Second},
		"ten in this hour, after ten in the last": {func(t *testing.T, r *pairing.Registry) {
			for range 2 {
				time.Sleep(time.Hour)
				for range 10 {
					knock(t, r, origin, "n").Leave()
				}
			}
		}, time.Hour},
		"sixty of all in an hour": {func(t *testing.T, r *pairing.Registry) {
			for i := range 60 {
				knock(t, r, at(i), "n").Leave()
			}
		}, time.Hour},
		"refused": {func(t *testing.T, r *pairing.Registry) {
			_, k := shown(t, r, origin)
			time.Sleep(time.Minute)
			if err := r.AnswerKnock(k.ID, false); err != nil {
				t.Fatal(err)
			}
		}, time.Hour},
		"refused after all": {func(t *testing.T, r *pairing.Registry) {
			d, k := shown(t, r, origin)
			for _, accept := range []bool{true, false} {
				if err := r.AnswerKnock(k.ID, accept); err != nil {
					t.Fatal(err)
				}
				if got := <-d.Answers(); got != accept {
					t.Errorf("told %v", got)
				}
			}
			if _, _, err := d.Pair(t.Context()); !errors.Is(err, pairing.ErrKnockOver) {
				t.Errorf("paired: %v", err)
			}
		}, time.Hour},
		"another was refused": {func(t *testing.T, r *pairing.Registry) {
			_, k := shown(t, r, at(1))
			if err := r.AnswerKnock(k.ID, false); err != nil {
				t.Fatal(err)
			}
		}, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := open(t, &shelf{})
				tc.before(t, r)
				knockAgain := func() time.Duration {
					_, wait := r.Knock(pairing.Visitor{Origin: origin})
					return wait
				}
				if got := knockAgain(); got != tc.want {
					t.Fatalf("has to wait for %v, want %v", got, tc.want)
				}
				if tc.want > 0 {
					time.Sleep(tc.want - 1)
					if knockAgain() == 0 {
						t.Error("it need not wait to the end")
					}
					time.Sleep(1)
					if got := knockAgain(); got != 0 {
						t.Errorf("after that it has to wait for %v", got)
					}
				}
			})
		})
	}
}

func TestAKnockOnAFullDiskIsOver(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	d, k := shown(t, r, origin)
	if err := r.AnswerKnock(k.ID, true); err != nil {
		t.Fatal(err)
	}
	keep.fail = errors.New("disk full")
	if _, _, err := d.Pair(t.Context()); !errors.Is(err, keep.fail) || len(r.Knocks()) != 0 {
		t.Errorf("got %v", err)
	}
}

// step is one thing that happens, to the visitor of that number.
type step struct {
	act     string
	visitor int
	origin  string // that knocks
	good    bool   // the nonce is the right one, the person says yes
	wait    time.Duration
}

// visitor is a knock, and what was done with it.
type visitor struct {
	*pairing.Door
	origin, nonce, id        string
	until                    time.Time
	revealed, accepted, over bool
}

func (v *visitor) open() bool { return !v.over && time.Now().Before(v.until) }

// house is a registry with its visitors.
type house struct {
	*testing.T
	registry *pairing.Registry
	visitors []*visitor
	failure  string
}

// expect notes a failure; it must not end the bubble.
func (h *house) expect(good bool, what string, args ...any) {
	if !good && h.failure == "" {
		h.failure = fmt.Sprintf(what, args...)
	}
}

// do takes one step.
func (h *house) do(s step) {
	if s.act == "wait" {
		time.Sleep(s.wait)
		return
	}
	if s.act == "knock" || len(h.visitors) == 0 {
		h.knock(s.origin)
		return
	}
	switch v := h.visitors[s.visitor%len(h.visitors)]; s.act {
	case "reveal":
		h.reveal(v, s.good)
	case "answer":
		h.answer(v, s.good)
	case "confirm":
		h.confirm(v)
	case "leave":
		v.Leave()
		v.over = true
	}
}

func (h *house) knock(origin string) {
	v := &visitor{origin: origin, nonce: fmt.Sprint(len(h.visitors)), until: time.Now().Add(2 * time.Minute)}
	d, wait := h.registry.Knock(pairing.Visitor{Origin: origin, Commitment: commitment(v.nonce), Port: port})
	if wait > 0 {
		return
	}
	all := 0
	for _, other := range h.visitors {
		if other.open() {
			all++
			h.expect(other.origin != origin, "two knocks of %s are open", origin)
		}
	}
	h.expect(all < 3, "%d knocks were open", all)
	v.Door = d
	h.visitors = append(h.visitors, v)
}

func (h *house) reveal(v *visitor, truly bool) {
	nonce, want := v.nonce, error(nil)
	if !truly {
		nonce, want = "another", pairing.ErrCommitment
	}
	if !v.open() || v.revealed {
		want = pairing.ErrKnockOver
	}
	h.expect(errors.Is(v.Reveal(nonce), want), "reveal is not answered by %v", want)
	v.over = v.over || errors.Is(want, pairing.ErrCommitment)
	if want != nil {
		return
	}
	v.revealed = true
	for _, k := range h.registry.Knocks() {
		if k.Origin == v.origin {
			v.id = k.ID
		}
	}
}

func (h *house) answer(v *visitor, accept bool) {
	want := pairing.ErrKnockOver
	if v.open() && v.revealed {
		want = nil
		v.accepted, v.over = accept, !accept
	}
	h.expect(errors.Is(h.registry.AnswerKnock(v.id, accept), want), "the answer is not answered by %v", want)
}

func (h *house) confirm(v *visitor) {
	before := len(h.registry.List())
	want := error(nil)
	switch {
	case !v.open():
		want = pairing.ErrKnockOver
	case !v.accepted:
		want = pairing.ErrNotAccepted
	}
	_, token, err := v.Pair(h.Context())
	h.expect(errors.Is(err, want) && (err == nil) == (token != ""), "confirm: %v with token %q, want %v", err, token, want)
	if want == nil {
		v.over = true
		before++
		_, err := h.registry.Check(token, v.origin)
		h.expect(err == nil, "the token is not its visitor's: %v", err)
	}
	h.expect(len(h.registry.List()) == before, "%d clients, want %d", len(h.registry.List()), before)
}

// Whatever is done, and in whatever order: a token is given to a knock that was
// revealed and accepted, within its time, once, to its Origin.
func TestNoTokenWithoutBothClicks(t *testing.T) {
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			rapid.SampledFrom([]string{"knock", "reveal", "answer", "confirm", "knock", "reveal", "answer", "confirm", "leave", "wait"}).Draw(t, "act"),
			rapid.IntRange(0, 9).Draw(t, "visitor"), rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "origin"),
			rapid.IntRange(0, 3).Draw(t, "good") > 0, time.Duration(rapid.IntRange(1, 150).Draw(t, "seconds")) * time.Second,
		}
	}), 1, 60)
	rapid.Check(t, func(rt *rapid.T) {
		plan, failure := steps.Draw(rt, "steps"), ""
		synctest.Test(t, func(t *testing.T) {
			h := &house{T: t, registry: open(t, &shelf{})}
			for _, s := range plan {
				h.do(s)
			}
			failure = h.failure
		})
		if failure != "" {
			rt.Fatal(failure)
		}
	})
}
