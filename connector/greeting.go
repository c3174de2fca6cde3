package connector

import (
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
)

// greet takes the first message, which must be a hello of our version.
func (s *session) greet(message protocol.Message, refusal *protocol.Error) bool {
	hello, ok := message.(protocol.Hello)
	switch {
	case refusal != nil && refusal.Code == protocol.UnsupportedVersion:
		s.dismiss(refusal, protocol.CloseVersion)
		return false
	case refusal != nil:
		s.dismiss(refusal, protocol.CloseProtocol)
		return false
	case !ok:
		s.dismiss(protocol.Refusal("", protocol.BadMessage, "the first message must be hello"), protocol.CloseProtocol)
		return false
	}
	client, err := s.server.options.Pairing.Check(hello.Token, s.origin)
	proof, known := s.proof(hello, client.ID)
	if err != nil && !known {
		if wait := s.server.strange(s.origin); wait > 0 {
			s.dismiss(limited("", "too many clients that are not paired", wait), protocol.CloseRate)
			return false
		}
	}
	s.hello = &hello
	if hello.Token == "" {
		s.say(s.welcome(proof))
		return true
	}
	return s.enter(client, err, proof)
}

// proof is the proof a hello asks for, and whether we know its client.
func (s *session) proof(hello protocol.Hello, checked string) (proof string, known bool) {
	id := hello.ClientID
	if checked != "" {
		id = checked // the token says it better
	}
	proof, known = s.server.options.Pairing.Proof(id, s.origin, hello.Nonce)
	if hello.Nonce == "" {
		proof = ""
	}
	return proof, known
}

// auth takes the token of a client that has seen our proof.
func (s *session) auth(m protocol.Auth) bool {
	if s.client != "" {
		s.say(pairedAlready(""))
		return true
	}
	client, err := s.server.options.Pairing.Check(m.Token, s.origin)
	return s.enter(client, err, "")
}

// enter makes the socket the client's own, or ends it if the token was wrong.
func (s *session) enter(client pairing.Client, wrong error, proof string) bool {
	if wrong != nil {
		s.server.refused.note(wrong.Error(), s.origin)
		s.dismiss(protocol.Refusal("", protocol.PairingRequired, "the token is not valid here; pair again"), protocol.CloseToken)
		return false
	}
	revoked := s.become(client.ID)
	s.sayWith(s.welcome(proof), revoked)
	s.server.seen(s.client)
	return true
}

// become pairs the socket and returns what the writer is to watch.
func (s *session) become(client string) (revoked <-chan struct{}) {
	s.client = client
	s.known.Store(true)
	s.rate = s.server.rateOf(client)
	return s.server.options.Pairing.Revoked(client)
}

// welcome is the answer to hello and auth. Only a paired client sees counts.
func (s *session) welcome(proof string) protocol.Welcome {
	limits := s.server.limits
	w := protocol.Welcome{
		V: protocol.Version, Server: protocol.ServerInfo{Version: s.server.options.Version},
		Paired: s.client != "", Proof: proof,
		Limits:   protocol.Limits{MaxMessageBytes: limits.MessageBytes, MaxInFlight: limits.InFlight},
		Features: features(),
	}
	if w.Paired {
		now := s.server.options.Status(s.server.commits)
		w.Queue = &protocol.Queue{Pending: now.Pending, Attention: now.Attention}
	}
	return w
}
