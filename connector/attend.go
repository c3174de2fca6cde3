package connector

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Resolution is what is known of an item. The zero value says that a person
// has to tell what it is.
type Resolution struct {
	Media      *viewing.Media // the item with its identifier, when it is certain
	Candidates []protocol.Candidate
	Later      bool          // the service cannot be asked now
	RetryAfter time.Duration // for Later: not before; 0 is untold
}

// features are the names of what this server can do beyond the first messages.
func (s *Server) features() []string {
	list := []string{"watchlist", "list", "status-push", protocol.FeatureWaiting}
	if s.options.Resolve != nil {
		list = append(list, protocol.FeatureResolve)
	}
	if s.options.Candidates != nil {
		list = append(list, protocol.FeatureCandidates)
	}
	if s.options.Correct != nil {
		list = append(list, protocol.FeatureCorrect)
	}
	if s.options.Undo != nil {
		list = append(list, protocol.FeatureUndo)
	}
	return list
}

// refer hands a request that takes time to the attendant. One beyond its few
// places is to come again later: reading goes on meanwhile. One that this server
// was not built for is refused.
func (s *session) refer(m protocol.Message, id string, offered bool) {
	if !offered {
		s.say(protocol.Refusal(id, protocol.UnknownType, "this daemon has no "+m.Type()))
		return
	}
	if s.client == "" {
		s.say(pairFirst(id))
		return
	}
	select {
	case s.requests <- m:
	default:
		s.say(limited(id, "too many requests are under way", time.Second))
	}
}

// attend answers the requests of one client, one after the other, until the
// reader is done. Those of a revoked client are not looked at.
func (s *session) attend(ctx context.Context) {
	for m := range s.requests {
		if s.hasLeft() && s.closing.code == protocol.CloseRevoked {
			continue
		}
		switch m := m.(type) {
		case protocol.Resolve:
			s.ask(ctx, m.ID, func(ctx context.Context) Resolution { return s.server.options.Resolve(ctx, s.source(), m.Media) })
		case protocol.Candidates:
			s.ask(ctx, m.ID, func(ctx context.Context) Resolution {
				return s.server.options.Candidates(ctx, s.source(), m.Words, m.Kind)
			})
		case protocol.Correct:
			s.correct(m)
		case protocol.Undo:
			s.undo(m)
		}
	}
}

// further takes the messages that not every daemon knows.
func (s *session) further(message protocol.Message) {
	o := &s.server.options
	switch m := message.(type) {
	case protocol.Waiting:
		s.waits(m)
	case protocol.Resolve:
		s.refer(m, m.ID, o.Resolve != nil)
	case protocol.Candidates:
		s.refer(m, m.ID, o.Candidates != nil)
	case protocol.Correct:
		s.refer(m, m.ID, o.Correct != nil)
	case protocol.Undo:
		s.refer(m, m.ID, o.Undo != nil)
	}
}

// ask answers a question. Nobody waits for the answer once the client has gone:
// ctx ends then.
func (s *session) ask(ctx context.Context, id string, question func(context.Context) Resolution) {
	ctx, cancel := context.WithTimeout(ctx, s.server.limits.Request)
	defer cancel()
	found := question(ctx)
	answer := protocol.Resolved{ID: id, Outcome: protocol.Open, Candidates: found.Candidates}
	switch {
	case found.Media != nil:
		answer = protocol.Resolved{ID: id, Outcome: protocol.Certain, Media: found.Media}
	case found.Later:
		answer = protocol.Resolved{ID: id, Outcome: protocol.Later, RetryAfterMs: found.RetryAfter.Milliseconds()}
	}
	s.say(answer)
}

// correct has remembered what a person says. It is done to its end even if the
// client leaves.
func (s *session) correct(m protocol.Correct) {
	ctx, cancel := context.WithTimeout(s.server.commits, s.server.limits.Request)
	defer cancel()
	changed, refusal := s.server.options.Correct(ctx, s.source(), m)
	if refusal != nil {
		refusal.ID = m.ID
		s.say(refusal)
		return
	}
	s.say(protocol.Corrected{ID: m.ID, Changed: changed})
}

// undo takes back an event. It is done to its end even if the client leaves.
func (s *session) undo(m protocol.Undo) {
	ctx, cancel := context.WithTimeout(s.server.commits, s.server.limits.Request)
	defer cancel()
	removed, refusal := s.server.options.Undo(ctx, s.source(), m.Event)
	if refusal != nil {
		refusal.ID = m.ID
		s.say(refusal)
		return
	}
	s.say(protocol.Undone{ID: m.ID, Removed: removed})
}

// waits notes how many viewings wait at the client for a person, and what it
// cannot read.
func (s *session) waits(m protocol.Waiting) {
	if s.client == "" {
		s.say(pairFirst(""))
		return
	}
	if err := s.server.options.Pairing.Waits(s.server.commits, s.client, m.Viewings, m.Unread); err != nil {
		s.server.log.Warn("number of waiting viewings not kept", "client", s.client, "error", err)
	}
}

// source is the client in the queue's words.
func (s *session) source() string { return "browser:" + s.client }
