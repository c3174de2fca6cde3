package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault makes requests go wrong.
type Fault struct {
	Match string `json:"match"` // an operation that is served: "POST /history"
	Fault string `json:"fault"` // "status:503", "drop-after", …; see the package comment
	Times int    `json:"times"` // how many requests it strikes, at least 1
}

// armed is a Fault that was parsed. The zero value does nothing.
type armed struct {
	match, text string
	left        int
	kind        string
	accepted    bool          // it strikes only requests that passed every check
	number      int           // status, or seconds of retry-after
	wait        time.Duration // of delay and late
}

// parseFault reads the text of a fault.
func parseFault(text string) (f armed, ok bool) {
	kind, value, _ := strings.Cut(text, ":")
	number, notNumber := strconv.Atoi(value)
	wait, notWait := time.ParseDuration(value)
	f = armed{text: text, kind: kind, accepted: slices.Contains([]string{"delay", "drop-after", "cut", "status-after", "late"}, kind)}
	switch kind {
	case "html", "empty", "drop-before", "reset", "drop-after", "cut":
		return f, value == ""
	case "status", "bare", "status-after":
		f.number = number
		return f, number >= 400 && number <= 599
	case "retry-after":
		f.number = number
		return f, notNumber == nil && number >= 0
	case "delay", "late":
		f.wait = wait
		return f, notWait == nil && wait > 0
	default:
		return f, false
	}
}

// Arm adds a fault. It fails when the fault cannot be parsed, or when its operation is not served.
func (s *Service) Arm(f Fault) error {
	a, ok := parseFault(f.Fault)
	switch {
	case !ok:
		return invalid("fault", "must be one of status:503, bare:503, retry-after:2, delay:500ms, drop-before, drop-after, status-after:500, late:3s, html, empty, cut, reset")
	case !s.served[f.Match]:
		return invalid("match", `must be an operation that is served here, such as "POST /history"`)
	case f.Times < 1:
		return invalid("times", "must be at least 1")
	}
	a.match, a.left = f.Match, f.Times
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

// takeFault uses up the oldest fault of the operation if it belongs to this point: before the checks, or after
// a request passed them.
func (s *Service) takeFault(operation string, accepted bool) (f armed, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.faults, func(f armed) bool { return f.match == operation })
	if i < 0 || s.faults[i].accepted != accepted {
		return armed{}, false
	}
	f = s.faults[i]
	if s.faults[i].left--; f.left == 1 {
		s.faults = slices.Delete(s.faults, i, i+1)
	}
	return f, true
}

// strike answers in the service's place, and records nothing. The body is read first: the client has sent its
// request whole.
func (s *Service) strike(w http.ResponseWriter, r *http.Request, f armed) error {
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody)) // it is not used
	switch f.kind {
	case "status":
		codes := map[int]string{400: "VALIDATION_ERROR", 422: "VALIDATION_ERROR", 401: "UNAUTHORIZED", 403: "FORBIDDEN"}
		return &refusal{f.number, cmp.Or(codes[f.number], "FAULT"), "armed fault " + f.text}
	case "retry-after":
		w.Header().Set("Retry-After", strconv.Itoa(f.number))
		return &refusal{http.StatusTooManyRequests, "RATE_LIMITED", "armed fault " + f.text}
	case "html":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte("<!doctype html><title>Welcome</title><p>This is a web page.</p>\n"))
	case "bare":
		w.WriteHeader(f.number)
	case "empty":
		w.WriteHeader(http.StatusOK)
	default:
		drop(w, f.kind == "reset")
	}
	return nil
}

// hijack takes the connection; one that cannot be taken (a test's recorder) is aborted by the server instead.
func hijack(w http.ResponseWriter) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return conn
}

// drop closes the connection without a word, with a TCP reset when asked.
func drop(w http.ResponseWriter, reset bool) {
	conn := hijack(w)
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0) // a FIN instead of the RST is a drop all the same
	}
	conn.Close()
}

// cut sends half of the answer under the length of the whole.
func cut(w http.ResponseWriter, status int, body []byte) {
	conn := hijack(w)
	defer conn.Close()
	fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		status, http.StatusText(status), contentType, len(body), body[:len(body)/2])
}

// controlRoutes serve tests and scripts on this machine without a key.
func (s *Service) controlRoutes(mux *http.ServeMux, faultsByHTTP bool) {
	route := func(pattern string, do func(*http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			v, err := any(nil), checkLocal(r)
			if err == nil {
				v, err = do(r)
			}
			body, marshalErr := json.Marshal(v)
			if err = errors.Join(err, marshalErr); err != nil {
				refuse(w, err)
				return
			}
			write(w, http.StatusOK, body)
		})
	}
	route("GET /_sandbox/records", func(*http.Request) (any, error) { return s.records(), nil })
	if !faultsByHTTP {
		return
	}
	route("DELETE /_sandbox/faults", func(*http.Request) (any, error) {
		s.Disarm()
		return success{true}, nil
	})
	route("POST /_sandbox/faults", func(r *http.Request) (any, error) {
		f := Fault{Times: 1}
		if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
			return nil, invalid("", err.Error())
		}
		return success{true}, s.Arm(f)
	})
}

// checkLocal refuses web pages: a page cannot leave out Origin on a POST, nor read an answer under a name of its
// own.
func checkLocal(r *http.Request) error {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	if r.Header.Get("Origin") != "" || host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return &refusal{http.StatusForbidden, "FORBIDDEN", "the control routes are for programs on this machine only"}
	}
	return nil
}
