package connector_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestEveryKindOfEventIsCommitted(t *testing.T) {
	r := start(t, nil)
	c := r.client(chromium)
	three := 3
	if ack, err := c.Viewing(t.Context(), film(1)); err != nil || ack.Status != viewing.StatusQueued {
		t.Errorf("viewing: %+v, %v", ack, err)
	}
	wish := protocol.Watchlist{ID: uuid(2), Media: viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}}, Priority: &three}
	if _, err := c.Watchlist(t.Context(), wish); err != nil {
		t.Errorf("watchlist: %v", err)
	}
	if _, err := c.List(t.Context(), protocol.List{ID: uuid(3), Name: "Rainy", Visibility: "PRIVATE"}); err != nil {
		t.Errorf("list: %v", err)
	}
	var kinds []viewing.Kind
	for _, v := range r.sink.kept() {
		kinds = append(kinds, v.Kind)
	}
	if diff := cmp.Diff([]viewing.Kind{viewing.KindViewing, viewing.KindWatchlist, viewing.KindList}, kinds); diff != "" {
		t.Error(diff)
	}
}

// The promise above all others: no word of success before the disk has it.
func TestAckOnlyAfterCommitHasReturned(t *testing.T) {
	gated := &sink{entered: make(chan struct{}, 8), gate: make(chan struct{})}
	r := start(t, func(o *connector.Options) { o.Sink = gated })
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	s.say(frameOf(t, film(0)))
	<-gated.entered
	for n := 1; n <= 5; n++ { // several in flight at once
		s.say(frameOf(t, film(n)))
	}
	for range 3 {
		s.alive() // pongs come; an ack would have come before them
	}
	close(gated.gate)
	for n := range 6 {
		if got := s.hear(); got["type"] != "ack" || got["id"] != uuid(n) {
			t.Fatalf("answer %d: %v", n, got)
		}
	}
	if got := len(gated.batches); got != 2 || len(gated.batches[1].Events) != 5 {
		t.Errorf("%d batches, want one of 1 and one of 5", got)
	}
}

func TestOrderOfOneSocketIsKept(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	const n = 300
	var sender sync.WaitGroup
	sender.Go(func() {
		for i := range n {
			s.say(frameOf(t, film(i)))
		}
	})
	for i := range n {
		if got := s.hear(); got["type"] != "ack" || got["id"] != uuid(i) {
			t.Fatalf("answer %d: %v", i, got)
		}
	}
	sender.Wait()
	for i, v := range r.sink.kept() {
		if v.EventID != uuid(i) {
			t.Fatalf("place %d: %s", i, v.EventID)
		}
	}
	for _, batch := range r.sink.batches {
		if len(batch.Events) > 32 {
			t.Errorf("batch of %d", len(batch.Events))
		}
	}
}

func TestNoMoreThanTheLimitIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := &sink{entered: make(chan struct{}, 64), gate: make(chan struct{})}
		r := startInBubble(t, func(o *connector.Options) { o.Sink, o.Limits.InFlight = gated, 4 })
		_, token := r.pair(chromium)
		s := r.greeted(chromium, token)
		for n := range 4 {
			s.say(frameOf(t, film(n)))
		}
		s.alive() // four are in flight; the socket is still read
		var sender sync.WaitGroup
		var through atomic.Bool
		sender.Go(func() {
			s.say(frameOf(t, film(4))) // is read, and waits for a place
			s.say(`{"type":"ping"}`)   // is not
			s.say(`{"type":"ping"}`)
			through.Store(true)
		})
		synctest.Wait()
		if through.Load() {
			t.Error("the server reads on with five events unanswered")
		}
		close(gated.gate)
		count := map[any]int{}
		for range 7 {
			count[s.hear()["type"]]++
		}
		sender.Wait()
		if count["ack"] != 5 || count["pong"] != 2 {
			t.Errorf("answers %v", count)
		}
		for _, batch := range gated.batches {
			if len(batch.Events) > 4 {
				t.Errorf("batch of %d", len(batch.Events))
			}
		}
	})
}

func TestOutcomes(t *testing.T) {
	reply := func(status viewing.Status, reason string) func(viewing.Batch) ([]viewing.Outcome, error) {
		return func(b viewing.Batch) ([]viewing.Outcome, error) {
			list := outcomes(b, status)
			list[0].Reason = reason
			return list, nil
		}
	}
	fail := func(err error) func(viewing.Batch) ([]viewing.Outcome, error) {
		return func(viewing.Batch) ([]viewing.Outcome, error) { return nil, err }
	}
	tests := []struct {
		name      string
		answer    func(viewing.Batch) ([]viewing.Outcome, error)
		ack       viewing.Status
		code      protocol.Code
		retryable bool
	}{
		{"queued", nil, "queued", "", false},
		{"duplicate", reply(viewing.StatusDuplicate, ""), "duplicate", "", false},
		{"dropped", reply(viewing.StatusDropped, "site left out"), "dropped", "", false},
		{"conflict", reply(viewing.StatusConflict, ""), "", protocol.Conflict, false},
		{"unknown status", reply("maybe", ""), "", protocol.Internal, true},
		{"storage", fail(errors.New("disk full at /secret")), "", protocol.Storage, true},
		{"full", fail(fmt.Errorf("take event: %w", connector.ErrFull)), "", protocol.QueueFull, true},
		{"invalid", fail(&viewing.FieldError{Field: "media.year", Problem: "is odd"}), "", protocol.BadMessage, false},
		{"no outcome", func(viewing.Batch) ([]viewing.Outcome, error) { return []viewing.Outcome{}, nil }, "", protocol.Internal, true},
		{"outcome of another", func(viewing.Batch) ([]viewing.Outcome, error) {
			return []viewing.Outcome{{EventID: uuid(99), Status: viewing.StatusQueued}}, nil
		}, "", protocol.Internal, true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := start(t, func(o *connector.Options) { o.Sink = &sink{answer: tc.answer} })
			ack, err := r.client(chromium).Viewing(t.Context(), film(1))
			if ack.Status != tc.ack {
				t.Errorf("ack %+v, want %q", ack, tc.ack)
			}
			var refused *protocol.Error
			if tc.code == "" {
				if err != nil {
					t.Error(err)
				}
			} else if !errors.As(err, &refused) || refused.Code != tc.code || refused.Retryable != tc.retryable {
				t.Errorf("error %v, want %s retryable %v", err, tc.code, tc.retryable)
			} else if refused.ID != uuid(1) {
				t.Errorf("error of %q", refused.ID)
			}
		})
	}
}

// One event that the sink finds invalid must not take its batch with it.
func TestABadApple(t *testing.T) {
	gated := &sink{entered: make(chan struct{}, 16), gate: make(chan struct{})}
	gated.answer = func(b viewing.Batch) ([]viewing.Outcome, error) {
		for _, v := range b.Events {
			if v.EventID == uuid(2) {
				return nil, &viewing.FieldError{Field: "media", Problem: "is odd"}
			}
		}
		return nil, nil
	}
	r := start(t, func(o *connector.Options) { o.Sink = gated })
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	s.say(frameOf(t, film(0)))
	<-gated.entered
	for n := 1; n < 4; n++ {
		s.say(frameOf(t, film(n)))
	}
	s.alive()
	close(gated.gate)
	var got []string
	for range 4 {
		m := s.hear()
		got = append(got, fmt.Sprintf("%v %v", m["type"], m["id"]))
	}
	want := []string{"ack " + uuid(0), "ack " + uuid(1), "error " + uuid(2), "ack " + uuid(3)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// An id in capitals is the same event; the answer repeats it as it was sent.
func TestAnswersRepeatTheIDAsSent(t *testing.T) {
	r := start(t, nil)
	m := film(1)
	m.ID = "5F0C6B1E-7D0A-4A57-9A64-0C0F5B3F9D11"
	if ack, err := r.client(chromium).Viewing(t.Context(), m); err != nil || ack.ID != m.ID {
		t.Errorf("%+v, %v", ack, err)
	}
	if got := r.sink.kept()[0].EventID; got != "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11" {
		t.Errorf("event id %q", got)
	}
}

// What was read is kept even if the browser has gone before the answer.
func TestEventsOfASocketThatHasGoneAreKept(t *testing.T) {
	gated := &sink{entered: make(chan struct{}, 8), gate: make(chan struct{})}
	r := start(t, func(o *connector.Options) { o.Sink = gated })
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	s.say(frameOf(t, film(0)))
	<-gated.entered
	s.say(frameOf(t, film(1)))
	s.alive() // both have been read
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	close(gated.gate)
	<-gated.entered // the second batch
	r.stop()
	if kept := gated.kept(); len(kept) != 2 {
		t.Errorf("kept %d of 2", len(kept))
	}
}

func TestStatusIsAnswered(t *testing.T) {
	r := start(t, nil)
	got, err := r.client(chromium).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got.ID = ""
	if diff := cmp.Diff(protocol.Status{Online: true, Pending: 7, Attention: 2}, got); diff != "" {
		t.Error(diff)
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	r := start(t, nil)
	const clients, each = 6, 40
	var all sync.WaitGroup
	for i := range clients {
		c := r.client(chromium)
		all.Go(func() {
			for n := range each {
				if _, err := c.Viewing(context.Background(), film(i*each+n)); err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
	if kept := r.sink.kept(); len(kept) != clients*each {
		t.Errorf("kept %d", len(kept))
	}
}

func TestClientWaitsForItsOwnAnswers(t *testing.T) {
	r := start(t, nil)
	c := r.client(chromium)
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			ack, err := c.Viewing(context.Background(), film(n))
			if err != nil || ack.ID != uuid(n) {
				t.Errorf("%d: %+v, %v", n, ack, err)
			}
		})
	}
	all.Wait()
	var refused *client.RefusedError
	if _, err := r.dialAs("https://evil.example", "", ""); !errors.As(err, &refused) || refused.StatusCode != 403 || refused.Code != "ORIGIN_NOT_ALLOWED" {
		t.Errorf("hostile origin: %v", err)
	}
}
