package connector_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"strconv"
	"testing"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
)

const theirs = "the client's nonce"

// knocks begins a knock on a socket, and returns the daemon's nonce.
func (s *socket) knocks(id string) string {
	s.t.Helper()
	hash := sha256.Sum256([]byte(theirs))
	s.say(`{"type":"knock","id":"` + id + `","commitment":"` + hex.EncodeToString(hash[:]) + `","label":"desk"}`)
	got := s.hear()
	nonce, _ := got["nonce"].(string)
	if got["type"] != "knocked" || got["id"] != id || got["expiresInMs"] != 120000. {
		s.t.Fatalf("heard %v", got)
	}
	return nonce
}

// shows reveals the nonce, and returns the knock as a person sees it.
func (s *socket) shows(r *rig, id string) pairing.Knock {
	s.t.Helper()
	s.say(`{"type":"reveal","id":"` + id + `","nonce":"` + theirs + `"}`)
	s.alive()
	list := r.registry.Knocks()
	if len(list) == 0 {
		s.t.Fatal("no knock is shown")
	}
	return list[len(list)-1]
}

// answered has a person answer, and the socket hear of it.
func (s *socket) answered(r *rig, k pairing.Knock, accept bool) {
	s.t.Helper()
	if err := r.registry.AnswerKnock(k.ID, accept); err != nil {
		s.t.Fatal(err)
	}
	if got := s.hear(); got["type"] != "answered" || got["accepted"] != accept || got["id"] == nil {
		s.t.Fatalf("heard %v", got)
	}
}

func confirm(id string) string { return `{"type":"confirm","id":"` + id + `"}` }

func TestAKnockIsPairedOnItsOwnSocket(t *testing.T) {
	r := start(t, nil)
	s, other := r.greeted(chromium, ""), r.greeted(chromium, "")
	nonce := s.knocks("k")
	k := s.shows(r, "k")
	_, port, err := net.SplitHostPort(r.address)
	if err != nil {
		t.Fatal(err)
	}
	dialed, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	if want := pairing.CheckNumber(theirs, nonce, dialed); k.Number != want || k.Origin != chromium || k.Label != "desk" || k.Browser != "chromium" {
		t.Errorf("shown as %+v, want number %s", k, want)
	}
	s.say(confirm("k"))
	s.refused(protocol.BadMessage) // the extension's click alone
	s.answered(r, k, true)
	other.say(confirm("k"))
	other.refused(protocol.NotFound)
	s.say(confirm("another"))
	s.refused(protocol.NotFound)
	s.say(confirm("k"))
	paired := s.hear()
	token, _ := paired["token"].(string)
	if paired["type"] != "paired" || paired["id"] != "k" || len(token) != 43 {
		t.Fatalf("heard %v", paired)
	}
	s.say(frameOf(t, film(1))) // paired from then on
	if got := s.hear(); got["type"] != "ack" {
		t.Errorf("heard %v", got)
	}
	for _, late := range []string{confirm("k"), `{"type":"knock","id":"k2","commitment":"` + nonce + `"}`} {
		s.say(late)
		s.refused(protocol.BadMessage)
	}
	r.greeted(chromium, token)
	if len(r.registry.Knocks()) != 0 {
		t.Error("the knock is still shown")
	}
}

func TestARefusedExtensionWaitsAndMayUseTheCode(t *testing.T) {
	r := start(t, nil)
	s := r.greeted(chromium, "")
	s.knocks("k")
	s.answered(r, s.shows(r, "k"), false)
	s.say(confirm("k"))
	s.refused(protocol.NotFound)
	s.say(`{"type":"knock","id":"k2","commitment":"` + hex.EncodeToString(make([]byte, 32)) + `"}`)
	if got := s.refused(protocol.RateLimited); got["id"] != "k2" || got["retryAfterMs"].(float64) < 3_500_000 {
		t.Errorf("heard %v", got)
	}
	s.say(`{"type":"pair","id":"p","code":"` + r.registry.NewCode().Text + `"}`)
	if got := s.hear(); got["type"] != "paired" {
		t.Errorf("heard %v", got)
	}
}

func TestANonceThatWasNotCommittedTo(t *testing.T) {
	r := start(t, nil)
	s := r.greeted(chromium, "")
	s.knocks("k")
	s.say(`{"type":"reveal","id":"of another knock","nonce":"` + theirs + `"}`)
	s.refused(protocol.NotFound)
	reveal := `{"type":"reveal","id":"k","nonce":"chosen later"}`
	s.say(reveal)
	if got := s.refused(protocol.BadMessage); got["field"] != "nonce" || got["id"] != "k" {
		t.Errorf("heard %v", got)
	}
	s.say(reveal)
	s.refused(protocol.NotFound)
	if len(r.registry.Knocks()) != 0 {
		t.Error("the knock is shown")
	}
}

// A knock goes with its socket, with the next knock on it, and with a code.
func TestAKnockEndsBeforeItsTime(t *testing.T) {
	r := start(t, nil)
	s := r.greeted(chromium, "")
	s.knocks("one")
	first := s.shows(r, "one")
	s.knocks("two")
	if second := s.shows(r, "two"); len(r.registry.Knocks()) != 1 || second.ID == first.ID {
		t.Errorf("shown: %+v", r.registry.Knocks())
	}
	s.say(`{"type":"pair","id":"p","code":"` + r.registry.NewCode().Text + `"}`)
	if got := s.hear(); got["type"] != "paired" || len(r.registry.Knocks()) != 0 {
		t.Errorf("heard %v with knocks %v", got, r.registry.Knocks())
	}
	gone := r.greeted(firefox, "")
	gone.knocks("three")
	gone.shows(r, "three")
	_ = gone.Close()
	r.stop() // waits for the session
	if list := r.registry.Knocks(); len(list) != 0 {
		t.Errorf("shown after its socket has gone: %v", list)
	}
}
