package sandbox

import (
	"cmp"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault makes requests fail.
type Fault struct {
	Match string `json:"match"` // an operation that is served: "POST /history"
	Fault string `json:"fault"` // "status:503", "drop-after", …; see the package comment
	Times int    `json:"times"` // how many requests it applies to, at least 1
}

// parsedFault is a parsed Fault. The zero value does nothing.
type parsedFault struct {
	Fault
	kind     string
	accepted bool          // applies only to requests that passed every check
	number   int           // the status, or the seconds of retry-after
	wait     time.Duration // of delay and late
}

// parseFault parses the text of a fault.
func parseFault(f Fault) (a parsedFault, ok bool) {
	kind, value, _ := strings.Cut(f.Fault, ":")
	number, notNumber := strconv.Atoi(value)
	wait, notWait := time.ParseDuration(value)
	a = parsedFault{Fault: f, kind: kind, accepted: slices.Contains([]string{"delay", "drop-after", "cut", "status-after", "late"}, kind), number: number, wait: wait}
	switch kind {
	case "html", "empty", "drop-before", "reset", "drop-after", "cut":
		return a, value == ""
	case "status", "bare", "status-after":
		return a, number >= 400 && number <= 599
	case "retry-after":
		return a, notNumber == nil && number >= 0
	case "delay", "late":
		return a, notWait == nil && wait > 0
	default:
		return a, false
	}
}

// Arm adds a fault. It returns an error if the fault cannot be parsed or its operation is not served.
func (s *Service) Arm(f Fault) error {
	a, ok := parseFault(f)
	switch {
	case !ok:
		return invalid("fault", "must be one of status:503, bare:503, retry-after:2, delay:500ms, drop-before, drop-after, status-after:500, late:3s, html, empty, cut, reset")
	case !s.serves(f.Match):
		return invalid("match", `must be an operation that is served here, such as "POST /history"`)
	case f.Times < 1:
		return invalid("times", "must be at least 1")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, a)
	return nil
}

// Disarm removes all faults.
func (s *Service) Disarm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// takeFault consumes one use of the operation's oldest fault, if that applies now: before the checks, or after they
// passed (accepted).
func (s *Service) takeFault(operation string, accepted bool) (f parsedFault, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.faults, func(f parsedFault) bool { return f.Match == operation })
	if i < 0 || s.faults[i].accepted != accepted {
		return parsedFault{}, false
	}
	f = s.faults[i]
	if s.faults[i].Times--; f.Times == 1 {
		s.faults = slices.Delete(s.faults, i, i+1)
	}
	return f, true
}

// serveFault responds with a fault and records nothing. The body is read first, so the client has sent its whole
// request.
func serveFault(w http.ResponseWriter, r *http.Request, f parsedFault) error {
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody))
	switch f.kind {
	case "status":
		codes := map[int]string{400: "VALIDATION_ERROR", 422: "VALIDATION_ERROR", 401: "UNAUTHORIZED", 403: "FORBIDDEN"}
		return &refusal{f.number, cmp.Or(codes[f.number], "FAULT"), "armed fault " + f.Fault.Fault}
	case "retry-after":
		w.Header().Set("Retry-After", strconv.Itoa(f.number))
		return &refusal{http.StatusTooManyRequests, "RATE_LIMITED", "armed fault " + f.Fault.Fault}
	case "html":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte("<!doctype html><title>Welcome</title><p>This is a web page.</p>\n"))
	case "bare":
		w.WriteHeader(f.number)
	case "empty":
		w.WriteHeader(http.StatusOK)
	default:
		dropConnection(w, f.kind == "reset")
	}
	return nil
}

// dropConnection closes the connection without a response, with a TCP reset if reset is set. If the connection
// cannot be hijacked (httptest.ResponseRecorder), it panics with http.ErrAbortHandler.
func dropConnection(w http.ResponseWriter, reset bool) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0) // on failure the connection is closed with a FIN
	}
	conn.Close()
}

// sendTruncated sends half of the body with the Content-Length of the whole.
func sendTruncated(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush() // unsupported by httptest.ResponseRecorder, which needs no flush
	panic(http.ErrAbortHandler)
}
