package connector

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
)

// retryAfter is how many seconds a program should wait before it retries.
const retryAfter = "5"

// post stores events of a program and answers when they are on disk.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	if !s.options.Program(r) {
		s.refuse(w, http.StatusForbidden, "BROWSER_REFUSED")
		return
	}
	// A browser sends JSON to another site only after a preflight request, which we do not answer.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		s.refuse(w, http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
		return
	}
	s.receive(w, r, bearer(r), maxBody, func(client string, body []byte) (int, func()) {
		messages, unreadable := protocol.DecodeBatch(body, maxPosted)
		if unreadable != nil {
			s.refuse(w, http.StatusBadRequest, string(unreadable.Code))
			return 0, nil
		}
		return len(messages), func() {
			s.keep("program:"+client, messages)
			s.seen(client)
			s.answerAll(w, messages)
		}
	})
}

// bearer returns the token in the header of a request; "" for none.
func bearer(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

// receive reads a request of the program that the token belongs to. decode returns the number of
// messages and a function that handles them, which is called when the program's rate allows it; a
// nil function means that decode has answered.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, token string, most int64, decode func(client string, body []byte) (int, func())) {
	client, err := s.options.Pairing.Check(token, "") // a browser's token belongs to its Origin
	if err != nil {
		s.refuseToken(w)
		return
	}
	load, ok := s.beginPost(client.ID)
	if !ok {
		w.Header().Set("Retry-After", retryAfter)
		s.refuse(w, http.StatusTooManyRequests, string(protocol.RateLimited))
		return
	}
	defer s.endPost(load)
	body, ok := s.body(w, r, most)
	if !ok {
		return
	}
	n, do := decode(client.ID, body)
	if do == nil {
		return
	}
	_ = load.rate.WaitN(s.running, n) // fails only when the daemon stops
	if s.options.Pairing.Revoked(client.ID).Err() != nil {
		s.refuseToken(w)
		return
	}
	do()
}

func (s *Server) refuseToken(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	s.refuse(w, http.StatusUnauthorized, "TOKEN_REQUIRED")
}

// beginPost counts a request. It returns false if the server stops or the client has too many.
func (s *Server) beginPost(client string) (*load, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.loadOf(client)
	if s.running.Err() != nil || l.posts >= maxPosts {
		return nil, false
	}
	l.posts++
	s.handlers.Add(1)
	return l, true
}

func (s *Server) endPost(l *load) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.posts--
	s.handlers.Done()
}

// body reads the whole body. It answers and returns false if that is too large or too slow, or the
// daemon stops.
func (s *Server) body(w http.ResponseWriter, r *http.Request, most int64) ([]byte, bool) {
	control := http.NewResponseController(w) // setting deadlines fails only where nothing can be slow
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	reading := context.AfterFunc(s.running, func() { _ = control.SetReadDeadline(time.Unix(1, 0)) })
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	reading()
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		s.refuse(w, http.StatusRequestEntityTooLarge, string(protocol.TooLarge))
	} else if err != nil {
		s.refuse(w, http.StatusRequestTimeout, "TOO_SLOW")
	}
	return body, err == nil
}

// keep commits the events among the messages and replaces each by its answer.
func (s *Server) keep(source string, messages []protocol.Message) {
	var events []protocol.Event
	var places []int
	for i, m := range messages {
		if event, ok := m.(protocol.Event); ok {
			events, places = append(events, event), append(places, i)
		}
	}
	if len(events) == 0 {
		return
	}
	for i, m := range s.commit(source, events) {
		messages[places[i]] = m
	}
}

// answerAll answers each message. The status is 200 if all were stored, 207 if some were,
// 503 if none was and one may be retried, else 422.
func (s *Server) answerAll(w http.ResponseWriter, answers []protocol.Message) {
	frames := make([]json.RawMessage, len(answers))
	taken, status := 0, http.StatusUnprocessableEntity
	for i, m := range answers {
		frames[i], _ = protocol.Encode(m) // structs of texts and numbers: cannot fail
		refusal, refused := m.(*protocol.Error)
		if !refused {
			taken++
			continue
		}
		s.count(string(refusal.Code))
		if refusal.Retryable {
			status = http.StatusServiceUnavailable
		}
	}
	switch {
	case taken == len(answers):
		status = http.StatusOK
	case taken > 0:
		status = http.StatusMultiStatus
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	answer(w, status, map[string][]json.RawMessage{"answers": frames})
}
