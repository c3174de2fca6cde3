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
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// gatedSink makes every Commit wait until its gate is closed.
func gatedSink() *sink {
	return &sink{entered: make(chan struct{}, 64), gate: make(chan struct{})}
}

// An event is acknowledged only after its commit has returned. Events sent during a commit form one
// batch, in order.
func TestAckOnlyAfterCommit(t *testing.T) {
	gated := gatedSink()
	r := start(t, func(o *connector.Options) { o.Sink = gated })
	_, token := r.pair(chromium)
	s := r.connect(chromium, token)
	s.send(frameOf(t, film(0)))
	<-gated.entered
	for n := 1; n <= 5; n++ {
		s.send(frameOf(t, film(n)))
	}
	for range 3 {
		s.ping() // pongs come; an ack would have come before them
	}
	close(gated.gate)
	for n := range 6 {
		if got := s.receive(); got["type"] != "ack" || got["id"] != uuid(n) || got["status"] != "queued" {
			t.Fatalf("answer %d: %v", n, got)
		}
	}
	if got := len(gated.batches); got != 2 || len(gated.batches[1].Events) != 5 {
		t.Errorf("%d batches, want one of 1 and one of 5", got)
	}
	for i, v := range gated.kept() {
		if v.EventID != uuid(i) {
			t.Errorf("place %d: %s", i, v.EventID)
		}
	}
}

// If a socket breaks before the ack, events that were read are stored. When the client sends them
// again, they are answered as duplicates and stored once.
func TestEventsSentAgainAreStoredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := gatedSink()
		r := startInBubble(t, func(o *connector.Options) { o.Sink = gated })
		_, token := r.pair(chromium)
		s := r.connect(chromium, token)
		s.send(frameOf(t, film(0)))
		<-gated.entered
		s.send(frameOf(t, film(1)))
		s.ping() // both have been read
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		close(gated.gate)
		<-gated.entered // the second batch
		again := r.connect(chromium, token)
		for n := range 3 {
			again.send(frameOf(t, film(n)))
			want := map[bool]string{true: "duplicate", false: "queued"}[n < 2]
			if got := again.receive(); got["type"] != "ack" || got["id"] != uuid(n) || got["status"] != want {
				t.Errorf("answer %d: %v, want %s", n, got, want)
			}
		}
		r.stop()
		if kept := gated.kept(); len(kept) != 3 {
			t.Errorf("kept %d, want 3", len(kept))
		}
	})
}

// The server stops reading while the maximum number of events is unanswered.
func TestMaxInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := gatedSink()
		r := startInBubble(t, func(o *connector.Options) { o.Sink = gated })
		_, token := r.pair(chromium)
		s := r.connect(chromium, token)
		s.send(frameOf(t, film(0)))
		<-gated.entered
		var sender sync.WaitGroup
		var sent atomic.Int64
		sender.Go(func() {
			for n := 1; n < 100; n++ {
				s.send(frameOf(t, film(n)))
				sent.Add(1)
			}
		})
		synctest.Wait()
		if sent.Load() > protocol.MaxInFlight {
			t.Errorf("the server still reads with %d events unanswered", sent.Load())
		}
		close(gated.gate)
		for n := range 100 {
			if got := s.receive(); got["type"] != "ack" || got["id"] != uuid(n) {
				t.Fatalf("answer %d: %v", n, got)
			}
		}
		sender.Wait()
		for _, batch := range gated.batches {
			if len(batch.Events) > protocol.MaxInFlight {
				t.Errorf("batch of %d", len(batch.Events))
			}
		}
	})
}

// The outcome of the sink decides the answer to the client.
func TestOutcomes(t *testing.T) {
	type answer = func(viewing.Batch) ([]viewing.Outcome, error)
	status := func(status viewing.Status) answer {
		return func(b viewing.Batch) ([]viewing.Outcome, error) { return outcomes(b, status), nil }
	}
	fail := func(err error) answer {
		return func(viewing.Batch) ([]viewing.Outcome, error) { return nil, err }
	}
	for _, tc := range []struct {
		name   string
		answer answer
		want   string // type, status or code, and whether to try again
	}{
		{"queued", nil, "ack queued"},
		{"duplicate", status(viewing.StatusDuplicate), "ack duplicate"},
		{"dropped", status(viewing.StatusDropped), "ack dropped"},
		{"conflict", status(viewing.StatusConflict), "error CONFLICT false"},
		{"storage", fail(errors.New("disk full at /secret")), "error STORAGE true"},
		{"no outcome", func(viewing.Batch) ([]viewing.Outcome, error) { return []viewing.Outcome{}, nil }, "error INTERNAL true"},
		{"outcome of another event", func(viewing.Batch) ([]viewing.Outcome, error) {
			return []viewing.Outcome{{EventID: uuid(99), Status: viewing.StatusQueued}}, nil
		}, "error INTERNAL true"},
	} {
		r := start(t, func(o *connector.Options) { o.Sink = &sink{answer: tc.answer} })
		_, token := r.pair(chromium)
		s := r.connect(chromium, token)
		s.send(frameOf(t, film(1)))
		got := s.receive()
		said := fmt.Sprint(got["type"], " ", got["status"])
		if got["type"] == "error" {
			said = fmt.Sprint(got["type"], " ", got["code"], " ", got["retryable"])
		}
		if said != tc.want || got["id"] != uuid(1) {
			t.Errorf("%s: %v, want %s", tc.name, got, tc.want)
		}
	}
}

// Many clients send at once: each gets its own answers, and all events are stored.
func TestManyClientsAtOnce(t *testing.T) {
	r := start(t, nil)
	const clients, each = 6, 40
	var all sync.WaitGroup
	for i := range clients {
		c := r.client(chromium)
		for n := range each {
			all.Go(func() {
				if ack, err := c.Viewing(context.Background(), film(i*each+n)); err != nil || ack.ID != uuid(i*each+n) {
					t.Errorf("client %d: %+v, %v", i, ack, err)
				}
			})
		}
	}
	all.Wait()
	if kept := r.sink.kept(); len(kept) != clients*each {
		t.Errorf("kept %d", len(kept))
	}
}

// Every kind of event is committed with its source. An id in capitals is the same event, and the
// answer repeats it as it was sent.
func TestEveryKindOfEventIsCommitted(t *testing.T) {
	r := start(t, nil)
	id, token := r.pair(chromium)
	s := r.connect(chromium, token)
	shouted := film(1)
	shouted.ID = "5F0C6B1E-7D0A-4A57-9A64-0C0F5B3F9D11"
	for n, m := range []protocol.Message{
		shouted,
		protocol.Watchlist{ID: uuid(2), Media: viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}}},
		protocol.List{ID: uuid(3), Name: "Rainy", Visibility: "PRIVATE"},
	} {
		s.send(frameOf(t, m))
		if got := s.receive(); got["type"] != "ack" || got["id"] != []string{shouted.ID, uuid(2), uuid(3)}[n] {
			t.Errorf("%s: %v", m.Type(), got)
		}
	}
	var kept []string
	for _, b := range r.sink.batches {
		for _, v := range b.Events {
			kept = append(kept, fmt.Sprint(b.Source, " ", v.Kind, " ", v.EventID))
		}
	}
	source := "browser:" + id
	want := []string{
		fmt.Sprint(source, " ", viewing.KindViewing, " 5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11"),
		fmt.Sprint(source, " ", viewing.KindWatchlist, " ", uuid(2)), fmt.Sprint(source, " ", viewing.KindList, " ", uuid(3)),
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Error(diff)
	}
}
