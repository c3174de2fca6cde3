package connector

import (
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
)

// status answers with the daemon's status.
func (s *session) status(m protocol.StatusRequest) {
	if s.client == "" {
		s.say(pairFirst(m.ID))
		return
	}
	s.say(s.message(m.ID, s.server.options.Status(s.server.commits)))
}

// pairFirst is the answer to all that an unpaired client may not do.
func pairFirst(id string) *protocol.Error {
	return protocol.Refusal(id, protocol.PairingRequired, "this browser is not paired; run filmspool pair")
}

// message is a status as it is written.
func (s *session) message(id string, now Status) protocol.Status {
	m := protocol.Status{ID: id, Online: now.Online, Pending: now.Pending, Attention: now.Attention}
	if now.Problems != "" {
		m.Problems = s.server.options.Problems(s.server.commits, s.hello.Language)
	}
	if !now.LastDelivered.IsZero() {
		m.LastDelivered = now.LastDelivered.UTC().Format(time.RFC3339)
	}
	return m
}
