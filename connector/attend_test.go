package connector_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	asks   = `{"type":"resolve","id":"r","media":{"type":"movie","title":"Fight Club","year":1999}}`
	undoes = `{"type":"undo","id":"u","event":"00000000-0000-4000-8000-000000000001"}`
)

// answered is a server that takes resolve and undo.
func answered(t *testing.T, found connector.Resolution, removed bool, refusal *protocol.Error) (*rig, chan string) {
	t.Helper()
	about := make(chan string, 8)
	return start(t, func(o *connector.Options) {
		o.Resolve = func(_ context.Context, source string, m viewing.Media) connector.Resolution {
			about <- source + " " + m.Title
			return found
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
	schema := schemaOf(t, "from-daemon")
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
			keeps(t, schema, text)
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
	for _, frame := range []string{asks, undoes, `{"type":"waiting","viewings":1}`} {
		s.say(frame)
		s.refused(protocol.PairingRequired)
	}
	older := start(t, nil)
	_, token := older.pair(chromium)
	s = older.open(chromium)
	s.say(`{"type":"hello","v":1,"client":{"name":"x","version":"1"},"token":"` + token + `"}`)
	features, _ := s.hear()["features"].([]any)
	if slices.Contains(features, any("resolve")) || slices.Contains(features, any("undo")) || !slices.Contains(features, any("waiting")) {
		t.Errorf("features %v", features)
	}
	for _, frame := range []string{asks, undoes} {
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
