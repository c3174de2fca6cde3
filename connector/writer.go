package connector

import (
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector/protocol"
)

// write is the only goroutine that writes messages. It ends when out is
// closed, the client is revoked, or a write fails; then it only empties out,
// so that nobody waits for it in vain.
func (s *session) write() {
	defer func() {
		for range s.out {
		}
	}()
	ping := time.NewTicker(s.server.limits.Ping)
	defer ping.Stop()
	var revoked <-chan struct{} // nil until paired
	var unsent *Status          // the last one pushed before that
	for {
		var err error
		select {
		case next, ok := <-s.out:
			if !ok {
				s.goodbye()
				return
			}
			err = s.send(next.frame)
			if next.revoked != nil {
				revoked = next.revoked
			}
		case <-revoked:
			s.server.log.Info("client revoked", "client", s.client)
			s.leave(protocol.CloseRevoked, "this client was revoked")
			s.goodbye()
			return
		case now := <-s.pushes:
			unsent = &now
		case <-ping.C:
			err = s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(s.server.limits.Write))
		}
		if err == nil && revoked != nil && unsent != nil {
			err = s.sendStatus(*unsent)
			unsent = nil
		}
		if err != nil {
			s.leave(0, "")
			return
		}
	}
}

// send writes one message within the limit.
func (s *session) send(frame []byte) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(s.server.limits.Write)); err != nil {
		return err
	}
	return s.conn.WriteMessage(websocket.TextMessage, frame)
}

func (s *session) sendStatus(now Status) error {
	frame, err := protocol.Encode(s.message("", now))
	if err != nil {
		return err
	}
	return s.send(frame)
}

// goodbye writes the close frame, unless the client has gone. The session has
// left by now: out is closed only after the reader has ended.
func (s *session) goodbye() {
	if s.closing.code == 0 {
		return
	}
	frame := websocket.FormatCloseMessage(s.closing.code, s.closing.reason)
	// If this fails the client has gone, which is what was wanted.
	_ = s.conn.WriteControl(websocket.CloseMessage, frame, time.Now().Add(s.server.limits.Write))
}
