package connector_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	asks   = `{"type":"resolve","id":"r","media":{"type":"movie","title":"Fight Club","year":1999}}`
	seeks  = `{"type":"candidates","id":"c","words":"the long night","kind":"tv"}`
	tells  = `{"type":"correct","id":"t","media":{"type":"movie","title":"Fight Club"},"is":{"type":"movie","tmdb":550}}`
	undoes = `{"type":"undo","id":"u","event":"00000000-0000-4000-8000-000000000001"}`
)

// answered is a server that takes all that takes time.
func answered(t *testing.T, found connector.Resolution, removed bool, refusal *protocol.Error) (*rig, chan string) {
	t.Helper()
	about := make(chan string, 8)
	return start(t, func(o *connector.Options) {
		o.Resolve = func(_ context.Context, source string, m viewing.Media) connector.Resolution {
			about <- source + " " + m.Title
			return found
		}
		o.Candidates = func(_ context.Context, source, words string, kind viewing.MediaType) connector.Resolution {
			about <- source + " " + words + " " + string(kind)
			return found
		}
		o.Correct = func(_ context.Context, source string, m protocol.Correct) (int, *protocol.Error) {
			about <- fmt.Sprint(source, " ", m.Media.Title, " ", m.Is, " ", m.Was)
			return 3, refusal
		}
		o.Undo = func(_ context.Context, source, event string) (bool, *protocol.Error) {
			about <- source + " " + event
			return removed, refusal
		}
	}), about
}

func TestResolveIsAnsweredInOneOfThreeWays(t *testing.T) {
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 550}, Title: "Fight Club", Year: 1999}
	maybe := []protocol.Candidate{{Type: viewing.Movie, TMDB: 551, Title: "Fight", Year: 1998}}
	for outcome, found := range map[string]connector.Resolution{
		protocol.Certain: {Media: &film}, protocol.Open: {Candidates: maybe}, protocol.Later: {Later: true, RetryAfter: time.Minute},
	} {
		t.Run(outcome, func(t *testing.T) {
			r, about := answered(t, found, false, nil)
			id, token := r.pair(chromium)
			s := r.greeted(chromium, token)
			s.say(asks)
			_, text, err := s.ReadMessage()
			if err != nil {
				t.Fatal(err)
			}
			m, err := protocol.DecodeAnswer(text)
			if got, ok := m.(protocol.Resolved); err != nil || !ok || got.ID != "r" || got.Outcome != outcome || (got.Media != nil) != (found.Media != nil) ||
				len(got.Candidates) != len(found.Candidates) || got.RetryAfterMs != found.RetryAfter.Milliseconds() {
				t.Errorf("got %+v, %v", m, err)
			}
			if got := <-about; got != "browser:"+id+" Fight Club" {
				t.Errorf("asked for %q", got)
			}
		})
	}
}

func TestWordsAreAnsweredWithCandidates(t *testing.T) {
	maybe := []protocol.Candidate{{Type: viewing.TV, TMDB: 1396, Title: "The Long Night", Year: 2008}}
	r, about := answered(t, connector.Resolution{Candidates: maybe}, false, nil)
	id, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	s.say(seeks)
	got := s.hear()
	if list, _ := got["candidates"].([]any); got["type"] != "resolved" || got["id"] != "c" || got["outcome"] != "open" || len(list) != 1 {
		t.Errorf("heard %v", got)
	}
	if got := <-about; got != "browser:"+id+" the long night tv" {
		t.Errorf("asked for %q", got)
	}
}

func TestWhatAPersonSaysIsHandedOver(t *testing.T) {
	r, about := answered(t, connector.Resolution{}, false, nil)
	id, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	for frame, is := range map[string]string{
		tells: "&{movie 550  0} <nil>",
		`{"type":"correct","id":"t","media":{"type":"movie","title":"Fight Club"},"was":{"type":"movie","tmdb":550}}`: "<nil> &{movie 550  0}",
	} {
		s.say(frame)
		if got := s.hear(); got["type"] != "corrected" || got["id"] != "t" || got["changed"] != 3.0 {
			t.Errorf("heard %v", got)
		}
		if got := <-about; got != "browser:"+id+" Fight Club "+is {
			t.Errorf("told %q", got)
		}
	}
	r, _ = answered(t, connector.Resolution{}, false, protocol.Refusal("", protocol.Storage, "not kept"))
	_, token = r.pair(chromium)
	s = r.greeted(chromium, token)
	s.say(tells)
	if got := s.refused(protocol.Storage); got["id"] != "t" || got["retryable"] != true {
		t.Errorf("heard %v", got)
	}
}

// A browser that asks and asks holds up only itself, and is told to come again.
func TestAFloodOfQuestionsIsLimited(t *testing.T) {
	asked, gate := make(chan struct{}, 100), make(chan struct{})
	r := start(t, func(o *connector.Options) {
		o.Limits.Requests, o.Limits.Burst = 2, 10
		o.Candidates = func(ctx context.Context, _, _ string, _ viewing.MediaType) connector.Resolution {
			asked <- struct{}{}
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return connector.Resolution{}
		}
	})
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	s.say(seeks)
	<-asked // it is under way, and leaves both places free
	for range 30 {
		s.say(seeks)
	}
	for range 28 {
		if got := s.refused(protocol.RateLimited); got["id"] != "c" || got["retryable"] != true {
			t.Fatalf("heard %v", got)
		}
	}
	close(gate)
	for range 3 {
		if got := s.hear(); got["type"] != "resolved" {
			t.Fatalf("heard %v", got)
		}
	}
	if n := len(asked); n != 2 {
		t.Errorf("%d more were asked", n)
	}
}

func TestUndoIsDoneOrRefusedInWords(t *testing.T) {
	r, about := answered(t, connector.Resolution{}, true, nil)
	id, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	s.say(undoes)
	if got := s.hear(); got["type"] != "undone" || got["id"] != "u" || got["removed"] != true {
		t.Errorf("heard %v", got)
	}
	if got := <-about; got != "browser:"+id+" 00000000-0000-4000-8000-000000000001" {
		t.Errorf("asked for %q", got)
	}
	r, _ = answered(t, connector.Resolution{}, false, protocol.Refusal("", protocol.Refused, "it stays"))
	_, token = r.pair(chromium)
	s = r.greeted(chromium, token)
	s.say(undoes)
	if got := s.refused(protocol.Refused); got["id"] != "u" || got["message"] != "it stays" || got["retryable"] != false {
		t.Errorf("heard %v", got)
	}
}

// A question that takes long keeps nobody from reporting what was watched.
func TestEventsDoNotWaitForQuestions(t *testing.T) {
	gate := make(chan struct{})
	r := start(t, func(o *connector.Options) {
		o.Limits.Requests = 1
		o.Resolve = func(ctx context.Context, _ string, _ viewing.Media) connector.Resolution {
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return connector.Resolution{Later: true}
		}
	})
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	s.say(asks)
	s.say(frameOf(t, film(1)))
	if got := s.hear(); got["type"] != "ack" {
		t.Fatalf("heard %v", got)
	}
	for range 3 { // one is under way, one waits, and the rest are to come again
		s.say(asks)
	}
	if got := s.refused(protocol.RateLimited); got["id"] != "r" || got["retryable"] != true {
		t.Errorf("heard %v", got)
	}
	// Who leaves is not waited for: the test would hang at its end.
	_ = s.Close()
	close(gate)
}

func TestOnlyPairedClientsAskAndOnlyWhatIsOffered(t *testing.T) {
	r, _ := answered(t, connector.Resolution{}, false, nil)
	s := r.greeted(chromium, "")
	for _, frame := range []string{asks, seeks, tells, undoes, `{"type":"waiting","viewings":1}`} {
		s.say(frame)
		s.refused(protocol.PairingRequired)
	}
	older := start(t, nil)
	for offered, r := range map[bool]*rig{true: r, false: older} {
		_, token := r.pair(chromium)
		s = r.open(chromium)
		s.say(`{"type":"hello","v":1,"client":{"name":"x","version":"1"},"token":"` + token + `"}`)
		features, _ := s.hear()["features"].([]any)
		for _, name := range []any{"resolve", "candidates", "correct", "undo"} {
			if slices.Contains(features, name) != offered {
				t.Errorf("features %v", features)
			}
		}
		if !slices.Contains(features, any("waiting")) {
			t.Errorf("features %v", features)
		}
	}
	_, token := older.pair(chromium)
	s = older.greeted(chromium, token)
	for _, frame := range []string{asks, seeks, tells, undoes} {
		s.say(frame)
		s.refused(protocol.UnknownType)
	}
	s.alive()
}

func TestWhatWaitsAtAClientIsKept(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	for _, n := range []string{"13", "2"} {
		s.say(`{"type":"waiting","viewings":` + n + `}`)
	}
	s.alive() // what was said before has been taken
	if got := r.registry.List()[0].Waiting; got != 2 {
		t.Errorf("%d viewings wait", got)
	}
}
