package sandbox

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The kinds of fault; the package comment says what each does.
const (
	faultStatus     = "status"
	faultBare       = "bare"
	faultRetryAfter = "retry-after"
	faultHTML       = "html"
	faultEmpty      = "empty"
	faultDropBefore = "drop-before"
	faultReset      = "reset"
	faultDelay      = "delay"
	faultDropAfter  = "drop-after"
	faultCut        = "cut"
	faultAfter      = "status-after"
	faultLate       = "late"
)

const maxFaultWait = 24 * time.Hour

// Fault makes requests go wrong.
type Fault struct {
	Match string `json:"match"` // an operation that is served: "POST /history"
	Fault string `json:"fault"` // "status:503", "drop-after", …; see the package comment
	Times int    `json:"times"` // how many requests it strikes, at least 1
}

// armed is a Fault that was understood.
type armed struct {
	match, text string
	left        int
	kind        string
	number      int           // status, or seconds of retry-after
	wait        time.Duration // of delay and late
}

// onAccepted reports whether it strikes only requests that passed every check.
func (f armed) onAccepted() bool {
	switch f.kind {
	case faultDelay, faultDropAfter, faultCut, faultAfter, faultLate:
		return true
	}
	return false
}

// parseFault understands the text after "fault". Its error has no field name.
func parseFault(text string) (armed, error) {
	kind, value, hasValue := strings.Cut(text, ":")
	f := armed{text: text, kind: kind}
	var err error
	switch kind {
	case faultHTML, faultEmpty, faultDropBefore, faultReset, faultDropAfter, faultCut:
		if hasValue {
			err = fmt.Errorf("%s takes no value", kind)
		}
	case faultStatus, faultBare:
		f.number, err = bounded(value, 200, 599)
		if f.number == http.StatusNoContent || f.number == http.StatusNotModified {
			f.kind = faultBare // they have no body
		}
	case faultAfter:
		f.number, err = bounded(value, 400, 599)
	case faultRetryAfter:
		f.number, err = bounded(value, 0, 86400)
	case faultDelay, faultLate:
		f.wait, err = waitOf(value)
	default:
		err = fmt.Errorf("must be one of status:503, bare:503, retry-after:2, delay:500ms, " +
			"drop-before, drop-after, status-after:500, late:3s, html, empty, cut, reset")
	}
	return f, err
}

func bounded(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("needs a whole number from %d to %d after the colon", least, most)
	}
	return n, nil
}

func waitOf(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxFaultWait {
		return 0, fmt.Errorf("needs a duration after the colon, such as 500ms or 3s, at most %s", maxFaultWait)
	}
	return d, nil
}

// Arm adds a fault. It fails when the fault is not understood, or when its
// operation is not served.
func (s *Service) Arm(f Fault) error {
	if err := s.arm(f); err != nil {
		return fmt.Errorf("arm fault: %w", err)
	}
	return nil
}

func (s *Service) arm(f Fault) error {
	method, path, _ := strings.Cut(f.Match, " ")
	e, served := s.endpoints[path][method]
	if !served {
		return invalid("match", "must be an operation that is served here, such as \"POST /history\"")
	}
	a, err := parseFault(f.Fault)
	if err != nil {
		return invalid("fault", err.Error())
	}
	if a.kind == faultLate && e.parse == nil {
		return invalid("fault", "late needs an operation that writes")
	}
	if f.Times < 1 {
		return invalid("times", "must be at least 1")
	}
	a.match, a.left = f.Match, f.Times
	s.faults.add(a)
	return nil
}

// faultList is what is armed, oldest first.
type faultList struct {
	mu  sync.Mutex
	all []armed
}

func (l *faultList) add(f armed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, f)
}

func (l *faultList) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = nil
}

func (l *faultList) list() []Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	faults := make([]Fault, 0, len(l.all))
	for _, f := range l.all {
		faults = append(faults, Fault{Match: f.match, Fault: f.text, Times: f.left})
	}
	return faults
}

// take uses up the oldest fault of the operation when it belongs to this
// point: before the checks, or after a request passed them. Else it gives the
// zero fault, which does nothing.
func (l *faultList) take(operation string, accepted bool) armed {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, f := range l.all {
		if f.match != operation {
			continue
		}
		if f.onAccepted() != accepted {
			return armed{}
		}
		l.all[i].left--
		if f.left == 1 {
			l.all = append(l.all[:i], l.all[i+1:]...)
		}
		return f
	}
	return armed{}
}

// strike answers in the service's place, and records nothing. The body is
// read first: the client has sent its request whole.
func (s *Service) strike(w http.ResponseWriter, r *http.Request, f armed) error {
	s.log.Debug("fault struck", "operation", f.match, "fault", f.text)
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody)) // whatever came, it is not used
	switch f.kind {
	case faultStatus:
		return &refusal{status: f.number, code: codeOf(f.number), message: "armed fault " + f.text}
	case faultRetryAfter:
		w.Header().Set("Retry-After", strconv.Itoa(f.number))
		return &refusal{status: http.StatusTooManyRequests, code: codeRateLimited, message: "armed fault " + f.text}
	case faultHTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>Welcome</title><p>This is a web page.</p>\n")
	case faultBare:
		w.WriteHeader(f.number)
	case faultEmpty:
		w.WriteHeader(http.StatusOK)
	case faultDropBefore:
		drop(w, false)
	case faultReset:
		drop(w, true)
	}
	return nil
}

// hijack takes the connection; one that cannot be taken (HTTP/2, a test's
// recorder) is aborted by the server instead.
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
func cut(w http.ResponseWriter, a answer) {
	conn := hijack(w)
	defer conn.Close()
	fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nCache-Control: no-store\r\nContent-Length: %d\r\n\r\n%s",
		a.status, http.StatusText(a.status), contentType, len(a.body), a.body[:len(a.body)/2])
}
