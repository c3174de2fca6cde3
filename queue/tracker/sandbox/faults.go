package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
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
func parseFault(text string) (f armed, err error) {
	kind, value, hasValue := strings.Cut(text, ":")
	f = armed{text: text, kind: kind, accepted: slices.Contains([]string{"delay", "drop-after", "cut", "status-after", "late"}, kind)}
	number := func(least, most int) {
		if f.number, err = strconv.Atoi(value); err != nil || f.number < least || f.number > most {
			err = fmt.Errorf("%s needs a whole number from %d to %d after a colon", kind, least, most)
		}
	}
	switch kind {
	case "html", "empty", "drop-before", "reset", "drop-after", "cut":
		if hasValue {
			err = fmt.Errorf("%s takes no value", kind)
		}
	case "status", "bare":
		number(200, 599)
		if f.number == http.StatusNoContent || f.number == http.StatusNotModified {
			f.kind = "bare" // they have no body
		}
	case "status-after":
		number(400, 599)
	case "retry-after":
		number(0, 86400)
	case "delay", "late":
		if f.wait, err = time.ParseDuration(value); err != nil || f.wait <= 0 || f.wait > 24*time.Hour {
			err = fmt.Errorf("%s needs a duration after a colon, such as 500ms or 3s, at most 24h", kind)
		}
	default:
		err = errors.New("must be one of status:503, bare:503, retry-after:2, delay:500ms, drop-before, drop-after, status-after:500, late:3s, html, empty, cut, reset")
	}
	return f, err
}

// Arm adds a fault. It fails when the fault cannot be parsed, or when its operation is not served.
func (s *Service) Arm(f Fault) error {
	a, err := parseFault(f.Fault)
	switch {
	case err != nil:
		return invalid("fault", err.Error())
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
		code, known := map[int]string{400: codeValidation, 422: codeValidation, 401: codeUnauthorized, 403: codeForbidden}[f.number]
		if !known {
			code = codeFault
		}
		return &refusal{f.number, code, "armed fault " + f.text}
	case "retry-after":
		w.Header().Set("Retry-After", strconv.Itoa(f.number))
		return &refusal{http.StatusTooManyRequests, codeRateLimited, "armed fault " + f.text}
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
	route("GET /_sandbox/records", func(r *http.Request) (any, error) { return s.Records(r.Context()) })
	if !faultsByHTTP {
		return
	}
	list := func(*http.Request) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		faults := []Fault{}
		for _, f := range s.faults {
			faults = append(faults, Fault{Match: f.match, Fault: f.text, Times: f.left})
		}
		return map[string][]Fault{"faults": faults}, nil
	}
	route("GET /_sandbox/faults", list)
	route("DELETE /_sandbox/faults", func(r *http.Request) (any, error) { s.Disarm(); return list(r) })
	route("POST /_sandbox/faults", func(r *http.Request) (any, error) {
		f := Fault{Times: 1}
		d := json.NewDecoder(io.LimitReader(r.Body, maxBody))
		d.DisallowUnknownFields() // an unknown field is a slip
		if err := d.Decode(&f); err != nil {
			return nil, invalid("", err.Error())
		}
		if err := s.Arm(f); err != nil {
			return nil, err
		}
		return list(r)
	})
}

// checkLocal refuses what does not come from a program on this machine. A web page cannot leave out Origin on a
// POST, nor read an answer under a name of its own.
func checkLocal(r *http.Request) error {
	_, fromPage := r.Header["Origin"]
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	host, hostErr := netip.ParseAddr(strings.Trim(name, "[]"))
	why := ""
	switch {
	case fromPage:
		why = "the control routes are not for web pages"
	case err != nil || !peer.Addr().Unmap().IsLoopback():
		why = "the control routes are for this machine only"
	case !strings.EqualFold(name, "localhost") && (hostErr != nil || !host.IsLoopback()):
		why = "the control routes are served under a loopback address only"
	default:
		return nil
	}
	return &refusal{http.StatusForbidden, codeForbidden, why}
}
