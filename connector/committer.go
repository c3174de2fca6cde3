package connector

import (
	"errors"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// item is an event that was read and has no answer yet.
type item struct {
	id      string // as the client wrote it
	viewing viewing.Event
}

// take hands an event to the committer. When as many as the limit wait for
// their answers it waits too, and with it the client: nothing is read.
func (s *session) take(event protocol.Event) {
	if s.client == "" {
		s.say(pairFirst(event.EventID()))
		return
	}
	v, err := event.AsEvent()
	if err != nil {
		s.say(protocol.BadEvent(event.EventID(), err))
		return
	}
	select {
	case s.slots <- struct{}{}:
		s.work <- item{event.EventID(), v} // as large as slots: never waits
	case <-s.left: // not kept and not answered: the client has it still
	}
}

// commit hands events to the sink, one batch at a time and in the order they
// were read. Those that come while one batch is under way are the next.
func (s *session) commit() {
	batch := make([]item, 0, cap(s.work))
	for first := range s.work {
		batch = s.gather(append(batch[:0], first))
		if s.hasLeft() && s.closing.code == protocol.CloseRevoked {
			s.free(batch)
			continue
		}
		s.settle(batch)
		s.free(batch)
		s.server.seen(s.client)
	}
}

// gather adds what waits in work.
func (s *session) gather(batch []item) []item {
	for len(batch) < cap(batch) {
		select {
		case next, ok := <-s.work:
			if !ok {
				return batch
			}
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

// free gives back the slots of events that have been answered.
func (s *session) free(batch []item) {
	for range batch {
		<-s.slots
	}
}

// settle commits a batch of the session's client and answers each of its
// events.
func (s *session) settle(batch []item) {
	s.server.settle(s.source(), batch, s.say)
}

// settle commits a batch and says the answer to each of its events, in order.
// If the sink finds one of them invalid, which the protocol should have, the
// others must not suffer: each is then tried alone.
func (s *Server) settle(source string, batch []item, say func(protocol.Message)) {
	viewings := make([]viewing.Event, len(batch))
	for i, event := range batch {
		viewings[i] = event.viewing
	}
	outcomes, err := s.options.Sink.Commit(s.commits, viewing.Batch{Source: source, Events: viewings})
	if err == nil && len(outcomes) != len(batch) {
		err = errOutcomes
	}
	switch {
	case err == nil:
		if s.unkept.news(nil) {
			s.log.Info("events are committed again")
		}
		for i, event := range batch {
			say(verdict(event, outcomes[i]))
		}
	case errors.Is(err, viewing.ErrInvalid) && len(batch) > 1:
		for i := range batch {
			s.settle(source, batch[i:i+1], say)
		}
	default:
		if s.unkept.news(err) {
			s.log.Error("commit failed", "source", source, "events", len(batch), "error", err)
		}
		for _, event := range batch {
			say(failure(event.id, err))
		}
	}
}

// errOutcomes is a fault of the sink's.
var errOutcomes = errors.New("sink answered another number of events than it was given")

// verdict is the answer to an event that was committed.
func verdict(event item, outcome viewing.Outcome) protocol.Message {
	if outcome.EventID != event.viewing.EventID {
		return failure(event.id, errOutcomes) // never acknowledge what may be another's
	}
	switch outcome.Status {
	case viewing.StatusQueued, viewing.StatusDuplicate, viewing.StatusDropped:
		return protocol.Ack{ID: event.id, Status: outcome.Status, Reason: outcome.Reason}
	case viewing.StatusConflict:
		return protocol.Refusal(event.id, protocol.Conflict, "this id was used before for another event")
	}
	return protocol.Refusal(event.id, protocol.Internal, "the queue gave an answer that is not known")
}

// failure is the answer to an event that was not committed. The error itself
// stays in the log: it may name files.
func failure(id string, err error) *protocol.Error {
	switch {
	case errors.Is(err, ErrFull):
		return protocol.Refusal(id, protocol.QueueFull, "the queue is full for now")
	case errors.Is(err, viewing.ErrInvalid):
		return protocol.BadEvent(id, err)
	case errors.Is(err, errOutcomes):
		return protocol.Refusal(id, protocol.Internal, "the daemon made a mistake; its log says more")
	}
	return protocol.Refusal(id, protocol.Storage, "the event could not be put on disk; try again later")
}
