package connector

import (
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
)

// status answers with the daemon's status, and keeps which sites the client cannot read any more.
func (s *session) status(m protocol.StatusRequest) {
	if s.client == "" {
		s.say(pairFirst(m.ID))
		return
	}
	if err := s.server.options.Pairing.SetUnread(s.server.commits, s.client, m.Unread); err != nil {
		s.server.log.Warn("sites that a browser cannot read not kept", "client", s.client, "error", err)
	}
	s.say(s.message(m.ID, s.server.options.Status(s.server.commits)))
}

// features are the names of what this server can do.
func features() []string { return []string{"watchlist", "list", "status-push"} }

// source is the client in the queue's words.
func (s *session) source() string { return "browser:" + s.client }

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
