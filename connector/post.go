package connector

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
)

// Codes of a post that was refused as a whole, besides the protocol's.
const (
	codeBrowser   = "BROWSER_REFUSED"        // 403
	codeMethod    = "METHOD_NOT_ALLOWED"     // 405
	codeMediaType = "UNSUPPORTED_MEDIA_TYPE" // 415
	codeToken     = "TOKEN_REQUIRED"         // 401
	codeSlow      = "TOO_SLOW"               // 408
	codeGoingAway = "GOING_AWAY"             // 503
)

// tryLater is how long a program should wait when the disk or the daemon, and
// not its own haste, is the cause.
const tryLater = 5 * time.Second

// rejection is the answer to a post of which nothing was kept.
type rejection struct {
	status  int
	code    string
	message string
	hint    string
	wait    time.Duration // for Retry-After; 0 is none
}

// post takes events from a program and answers when they are on disk.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	// Neither a body that trickles in nor an answer that nobody reads holds us
	// up, whoever it is. Setting that fails only where nothing can be slow.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(s.limits.Body))
	answers, no := s.receive(w, r)
	_ = control.SetWriteDeadline(time.Now().Add(s.limits.Write))
	if no != nil {
		s.reject(w, no)
		return
	}
	list := make([]json.RawMessage, len(answers))
	for i, m := range answers {
		s.refusals.note(m)
		frame, err := protocol.Encode(m)
		if err != nil { // structs of strings and numbers: cannot happen
			s.reject(w, &rejection{status: http.StatusInternalServerError, code: string(protocol.Internal), message: err.Error()})
			return
		}
		list[i] = frame
	}
	answer(w, statusOf(answers), struct {
		Answers []json.RawMessage `json:"answers"`
	}{list})
}

// statusOf is 200 when all was taken, 422 when nothing was, else 207.
func statusOf(answers []protocol.Message) int {
	refused := 0
	for _, m := range answers {
		if m.Type() == protocol.TypeError {
			refused++
		}
	}
	switch refused {
	case 0:
		return http.StatusOK
	case len(answers):
		return http.StatusUnprocessableEntity
	}
	return http.StatusMultiStatus
}

// receive checks, reads and keeps. The answers are in the order of the body.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) ([]protocol.Message, *rejection) {
	if no := s.checkPost(r); no != nil {
		return nil, no
	}
	client, no := s.program(r)
	if no != nil {
		return nil, no
	}
	if no := s.beginPost(client.ID); no != nil {
		return nil, no
	}
	defer s.endPost(client.ID)
	limiter := s.rateOf(client.ID)
	if wait := peek(limiter); wait > 0 { // before a byte of the body is read
		return nil, tooFast(wait)
	}
	revoked := s.options.Pairing.Revoked(client.ID)
	body, no := s.body(w, r, revoked)
	if no != nil {
		return nil, no
	}
	items, refusal := protocol.DecodeBatch(body, s.limits.BodyMessages)
	if wait := takeN(limiter, max(1, len(items))); wait > 0 {
		return nil, tooFast(wait)
	}
	if refusal != nil {
		return nil, unreadable(refusal)
	}
	if closed(revoked) {
		return nil, unknownToken()
	}
	return s.keep(client.ID, items)
}

// checkPost refuses what no program of the user's would send, or could be
// made to send by a page: browsers ask before they send JSON elsewhere, and
// are told no.
func (s *Server) checkPost(r *http.Request) *rejection {
	switch {
	case !s.options.Program(r):
		return &rejection{
			status: http.StatusForbidden, code: codeBrowser, message: "this address is for programs, not for browsers",
			hint: "a browser extension connects to /v1/connector",
		}
	case r.Method != http.MethodPost:
		return &rejection{status: http.StatusMethodNotAllowed, code: codeMethod, message: "only POST is known here"}
	case !isJSON(r.Header):
		return &rejection{
			status: http.StatusUnsupportedMediaType, code: codeMediaType, message: "the body must be JSON in UTF-8, not compressed",
			hint: "send the header Content-Type: application/json",
		}
	case r.ContentLength > int64(s.limits.BodyBytes):
		return s.tooLarge()
	}
	return nil
}

// isJSON reports whether the body is said to be plain JSON in UTF-8.
func isJSON(h http.Header) bool {
	if len(h["Content-Type"]) != 1 || len(h["Content-Encoding"]) > 0 {
		return false
	}
	kind, parameters, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return false
	}
	charset, given := parameters["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

// program is the client whose token the request carries. A browser's token
// belongs to its Origin and is none here.
func (s *Server) program(r *http.Request) (pairing.Client, *rejection) {
	given := r.Header["Authorization"]
	if len(given) != 1 {
		return pairing.Client{}, unknownToken()
	}
	token, ok := strings.CutPrefix(given[0], "Bearer ")
	if !ok {
		return pairing.Client{}, unknownToken()
	}
	client, err := s.options.Pairing.Check(token, "")
	if err != nil {
		s.log.Debug("post refused", "error", err)
		return pairing.Client{}, unknownToken()
	}
	return client, nil
}

// beginPost counts a request in.
func (s *Server) beginPost(client string) *rejection {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stopped:
		return goingAway()
	case s.posts[client] >= s.limits.Posts:
		return tooFast(time.Second)
	}
	s.posts[client]++
	s.handlers.Add(1)
	return nil
}

func (s *Server) endPost(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.posts[client]--; s.posts[client] == 0 {
		delete(s.posts, client)
	}
	s.handlers.Done()
}

// body reads the whole body, unless it is too large or too slow, the client
// is revoked or the daemon stops.
func (s *Server) body(w http.ResponseWriter, r *http.Request, revoked <-chan struct{}) ([]byte, *rejection) {
	control := http.NewResponseController(w)
	read := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-read:
			return
		case <-revoked:
		case <-s.ending:
		}
		_ = control.SetReadDeadline(time.Unix(1, 0)) // wakes the reader
	})
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.limits.BodyBytes)))
	close(read)
	watcher.Wait()
	_, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case err == nil:
		_ = control.SetReadDeadline(time.Time{}) // the commit takes its own time
		return body, nil
	case large:
		return nil, s.tooLarge()
	case closed(revoked):
		return nil, unknownToken()
	case closed(s.ending):
		return nil, goingAway()
	}
	return nil, &rejection{status: http.StatusRequestTimeout, code: codeSlow, message: "the body did not come whole and in time"}
}

// keep commits the events among the items and answers each item. When all
// would be told to try again, the post as a whole is.
func (s *Server) keep(client string, items []protocol.Item) ([]protocol.Message, *rejection) {
	answers := make([]protocol.Message, len(items))
	var batch []item
	var places []int
	for i, it := range items {
		if it.Refusal == nil {
			v, err := it.Event.AsEvent()
			if err == nil {
				batch, places = append(batch, item{it.Event.EventID(), v}), append(places, i)
				continue
			}
			it.Refusal = protocol.BadEvent(it.Event.EventID(), err)
		}
		answers[i] = it.Refusal
	}
	if len(batch) == 0 {
		return answers, nil
	}
	failed := 0
	var last *protocol.Error
	s.settle("program:"+client, batch, func(m protocol.Message) {
		answers[places[0]], places = m, places[1:]
		if refusal, ok := m.(*protocol.Error); ok && refusal.Retryable {
			failed, last = failed+1, refusal
		}
	})
	s.seen(client)
	if failed == len(items) {
		return nil, unkept(last)
	}
	return answers, nil
}

func (s *Server) tooLarge() *rejection {
	return &rejection{
		status: http.StatusRequestEntityTooLarge, code: string(protocol.TooLarge),
		message: "the body is over " + strconv.Itoa(s.limits.BodyBytes) + " bytes", hint: "send fewer messages at once",
	}
}

func tooFast(wait time.Duration) *rejection {
	return &rejection{
		status: http.StatusTooManyRequests, code: string(protocol.RateLimited), message: "this program sends too much at once",
		hint: "send the same messages again, with the same ids, after the time in Retry-After", wait: wait,
	}
}

func unknownToken() *rejection {
	return &rejection{
		status: http.StatusUnauthorized, code: codeToken, message: "the token is missing, wrong or revoked",
		hint: "make one with: filmspool clients add NAME, and send it in the header Authorization: Bearer TOKEN",
	}
}

func goingAway() *rejection {
	return &rejection{status: http.StatusServiceUnavailable, code: codeGoingAway, message: "the daemon stops", wait: tryLater}
}

// unreadable is the answer to a body that is no list of messages.
func unreadable(refusal *protocol.Error) *rejection {
	no := &rejection{status: http.StatusBadRequest, code: string(refusal.Code), message: refusal.Message}
	if refusal.Code == protocol.TooLarge {
		no.status, no.hint = http.StatusRequestEntityTooLarge, "send fewer messages at once"
	}
	return no
}

// unkept is the answer when nothing could be put on disk.
func unkept(refusal *protocol.Error) *rejection {
	return &rejection{
		status: http.StatusServiceUnavailable, code: string(refusal.Code), message: refusal.Message,
		hint: "nothing was kept; send the same messages again, with the same ids", wait: tryLater,
	}
}

// reject writes a rejection. The connection ends with it: its body may be
// unread.
func (s *Server) reject(w http.ResponseWriter, no *rejection) {
	s.refusals.add(no.code)
	header := w.Header()
	header.Set("Connection", "close")
	switch {
	case no.status == http.StatusUnauthorized:
		header.Set("WWW-Authenticate", "Bearer")
	case no.status == http.StatusMethodNotAllowed:
		header.Set("Allow", http.MethodPost)
	case no.wait > 0:
		header.Set("Retry-After", strconv.Itoa(int((no.wait+time.Second-1)/time.Second)))
	}
	type words struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	}
	answer(w, no.status, struct {
		Error words `json:"error"`
	}{words{no.code, no.message, no.hint}})
}

// closed reports whether a channel that nobody sends on is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
