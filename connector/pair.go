package connector

import (
	"cmp"
	"errors"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
)

// maxWrong is how many wrong codes a socket may send.
const maxWrong = 5

// pair turns a code into a token. It reports whether to read on.
func (s *session) pair(m protocol.Pair) bool {
	if s.client != "" {
		s.say(pairedAlready(m.ID))
		return true
	}
	client, token, err := s.server.options.Pairing.Pair(s.server.commits, m.Code, cmp.Or(m.Label, s.hello.Client.Name), s.origin, s.hello.Client.Browser)
	if err != nil {
		return s.unpaired(m.ID, err)
	}
	s.server.log.Info("client paired", "client", client)
	revoked := s.become(client)
	s.sayWith(protocol.Paired{ID: m.ID, ClientID: client, Token: token}, revoked)
	return true
}

// pairedAlready is the answer to who asks for a second token.
func pairedAlready(id string) *protocol.Error {
	return protocol.Refusal(id, protocol.BadMessage, "this socket is paired already")
}

// unpaired answers a pairing that failed, and ends the session after too many.
func (s *session) unpaired(id string, err error) bool {
	problem := ""
	switch {
	case errors.Is(err, pairing.ErrWrongCode):
		problem = "this code is wrong; after 5 wrong tries a new one is needed"
	case errors.Is(err, pairing.ErrTries):
		problem = "too many wrong codes came from this extension; run filmspool pair for a new one"
	case errors.Is(err, pairing.ErrNoCode):
		problem = "no code is open: it has expired or was used; run filmspool pair for a new one"
	default:
		s.server.log.Warn("pairing not kept", "error", err)
		s.say(protocol.Refusal(id, protocol.Storage, "the pairing could not be kept; try again"))
		return true
	}
	s.server.refused.note(err.Error(), s.origin)
	if others := s.server.options.Pairing.TriesOfOthers(s.origin); len(others) > 0 {
		problem += ". " + others[0].String()
	}
	s.say(protocol.Refusal(id, protocol.PairingCodeInvalid, problem))
	if s.wrong++; s.wrong >= maxWrong {
		s.leave(protocol.CloseRate, "too many wrong codes")
		return false
	}
	return true
}
