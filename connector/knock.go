package connector

import (
	"errors"
	"net"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
)

// visit is the knock of a session. Its socket alone can go on with it.
type visit struct {
	id   string // that the client gave it
	door *pairing.Door
}

// leave ends the knock, if there is one.
func (v *visit) leave() {
	if v.door != nil {
		v.door.Leave()
	}
	*v = visit{}
}

// answers are what a person says to the knock; none comes where there is no knock.
func (v *visit) answers() <-chan bool {
	if v.door == nil {
		return nil
	}
	return v.door.Answers()
}

// knock begins a knock. One that this socket had before is over.
func (s *session) knock(m protocol.Knock) {
	if s.client != "" {
		s.say(pairedAlready(m.ID))
		return
	}
	s.visit.leave()
	port := 0 // then the numbers differ
	if address, ok := s.conn.LocalAddr().(*net.TCPAddr); ok {
		port = address.Port
	}
	door, wait := s.server.options.Pairing.Knock(pairing.Visitor{
		Label: s.label(m.Label), Origin: s.origin, Browser: s.hello.Client.Browser, Commitment: m.Commitment, Port: port,
	})
	if wait > 0 {
		s.server.refused.note("too many knocks", s.origin)
		s.say(limited(m.ID, "too many browsers ask to be paired, or this one was refused; use the code of filmspool pair, or wait", wait))
		return
	}
	s.visit = visit{m.ID, door}
	s.say(protocol.Knocked{ID: m.ID, Nonce: door.Nonce, ExpiresInMs: pairing.KnockLife.Milliseconds()})
}

// reveal shows the knock to the person. The writer tells their answer.
func (s *session) reveal(m protocol.Reveal) {
	err := pairing.ErrKnockOver
	if s.visit.door != nil && s.visit.id == m.ID {
		err = s.visit.door.Reveal(m.Nonce)
	}
	switch {
	case errors.Is(err, pairing.ErrCommitment):
		s.visit.leave()
		refusal := protocol.Refusal(m.ID, protocol.BadMessage, "nonce is not the one that the knock has committed to")
		refusal.Field = "nonce"
		s.say(refusal)
	case err != nil:
		s.say(knockOver(m.ID))
	default:
		s.server.log.Info("a browser asks to be paired", "origin", s.origin)
		s.out <- outgoing{knock: s.visit}
	}
}

// confirm turns a knock that was let in into a token.
func (s *session) confirm(m protocol.Confirm) {
	if s.client != "" {
		s.say(pairedAlready(m.ID))
		return
	}
	if s.visit.door == nil || s.visit.id != m.ID {
		s.say(knockOver(m.ID))
		return
	}
	client, token, err := s.visit.door.Pair(s.server.commits)
	switch {
	case errors.Is(err, pairing.ErrNotAccepted):
		s.say(protocol.Refusal(m.ID, protocol.BadMessage, "nobody has let this knock in yet"))
	case errors.Is(err, pairing.ErrKnockOver):
		s.say(knockOver(m.ID))
	case err != nil:
		s.notKept(m.ID, err)
	default:
		s.welcomeIn(m.ID, client, token)
	}
}

// knockOver is the answer to what comes too late.
func knockOver(id string) *protocol.Error {
	return protocol.Refusal(id, protocol.NotFound, "this knock is over; knock again")
}

// sayAnswer writes what the person has said to a knock.
func (s *session) sayAnswer(id string, accepted bool) error {
	frame, err := protocol.Encode(protocol.Answered{ID: id, Accepted: accepted})
	if err != nil {
		return err
	}
	return s.send(frame)
}
