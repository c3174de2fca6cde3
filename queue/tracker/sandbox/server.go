package sandbox

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	apiPrefix   = "/api/v1"
	maxBody     = 64 << 10 // bytes
	maxKeyBytes = 255      // longest Idempotency-Key
	contentType = "application/json; charset=utf-8"
)

// refusal is an error response. Its codes VALIDATION_ERROR, UNAUTHORIZED and FORBIDDEN are defined in the contract
// (section 7), the others by this service.
type refusal struct {
	status        int
	code, message string
}

func (r *refusal) Error() string { return r.message }

// invalid returns a VALIDATION_ERROR; field may be empty.
func invalid(field, why string) error {
	if field != "" {
		why = field + ": " + why
	}
	return &refusal{http.StatusBadRequest, "VALIDATION_ERROR", why}
}

var errNotFound = &refusal{http.StatusNotFound, "NOT_FOUND", "nothing is found there"}

// request is a request that passed the checks of its header and has a valid JSON object.
type request struct {
	*http.Request
	fields
	body []byte
	at   time.Time
}

// reply is a success response: a status and a JSON body. It is sent if no field is invalid, after change was
// recorded.
type reply struct {
	status int
	value  any
	change *event
}

// operation handles one method at one path below /api/v1.
type operation struct {
	name     string // "POST /history"
	contract bool   // part of the contract
	writes   bool   // needs a key that may write
	do       func(*Service, *request) reply
}

var operations = []operation{
	{"POST /history", true, true, (*Service).addViewing},
	{"POST /watchlist", true, true, (*Service).addWatchlistItem},
	{"POST /lists", true, true, (*Service).addList},
	{"GET /me", false, false, (*Service).readMe},
	{"GET /history", false, false, (*Service).readHistory},
	{"DELETE /history", false, true, (*Service).removeHistory},
	{"GET /lists", false, false, (*Service).readLists},
	{"POST /lists/{id}/items", false, true, (*Service).addListItem},
	{"POST /media/resolve", false, false, (*Service).resolveOne},
	{"POST /media/resolve/batch", false, false, (*Service).resolveMany},
}

// serves reports whether the operation of that name is served.
func (s *Service) serves(name string) bool {
	return slices.ContainsFunc(operations, func(op operation) bool { return op.name == name && (op.contract || !s.contractOnly) })
}

// routes returns the handler of all routes.
func (s *Service) routes(faultsByHTTP bool) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, do func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := do(w, r); err != nil {
				refuse(w, err)
			}
		})
	}
	for _, op := range operations {
		if method, path, _ := strings.Cut(op.name, " "); s.serves(op.name) {
			handle(method+" "+apiPrefix+path, func(w http.ResponseWriter, r *http.Request) error { return s.serve(w, r, op) })
		}
	}
	handle("/_sandbox/", func(w http.ResponseWriter, r *http.Request) error { return s.serveControl(w, r, faultsByHTTP) })
	handle("/", func(w http.ResponseWriter, r *http.Request) error {
		var allowed []string
		for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPost} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "/" {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) == 0 {
			return errNotFound
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &refusal{http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "this path is served for " + strings.Join(allowed, ", ")}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.EscapedPath(); path.Clean(p) != p {
			refuse(w, errNotFound) // the mux would redirect to another path
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// serveControl serves the control routes to tests and scripts on this machine, without a key. It refuses web pages:
// a page cannot omit Origin on a POST, nor read a response through a host name of its own.
func (s *Service) serveControl(w http.ResponseWriter, r *http.Request, faults bool) error {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	if r.Header.Get("Origin") != "" || host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return &refusal{http.StatusForbidden, "FORBIDDEN", "the control routes are for programs on this machine only"}
	}
	var body any = success{true}
	switch op := r.Method + " " + r.URL.Path; {
	case op == "GET /_sandbox/records":
		body = s.records()
	case op == "DELETE /_sandbox/faults" && faults:
		s.Disarm()
	case op == "POST /_sandbox/faults" && faults:
		f := Fault{Times: 1}
		if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
			return invalid("", err.Error())
		}
		if err := s.Arm(f); err != nil {
			return err
		}
	default:
		return errNotFound
	}
	write(w, http.StatusOK, body)
	return nil
}

// serve handles a request to a known path and method. The order of its checks decides which error is returned if
// several apply.
func (s *Service) serve(w http.ResponseWriter, r *http.Request, op operation) error {
	if f, ok := s.takeFault(op.name, false); ok {
		return serveFault(w, r, f)
	}
	mayWrite, err := s.checkKey(r.Header)
	if err != nil {
		return err
	}
	if op.writes && !mayWrite {
		return &refusal{http.StatusForbidden, "FORBIDDEN", "a secret key is needed to write; this one may only read"}
	}
	q := &request{Request: r, at: time.Now().UTC().Truncate(time.Millisecond)}
	if r.Method == http.MethodPost {
		if q.body, err = readBody(r); err == nil {
			err = q.decode(q.body)
		}
		if err != nil {
			return err
		}
	} else {
		q.query(r.URL.Query())
	}
	a := op.do(s, q)
	if q.fault != nil {
		return q.fault
	}
	once := storedResponse{Request: fmt.Sprintf("%s %x", op.name, sha256.Sum256(q.body)), Status: a.status}
	if once.Body, err = json.Marshal(a.value); err != nil {
		return err
	}
	if op.writes && !s.contractOnly {
		once.Key = r.Header.Get("Idempotency-Key")
	}
	if len(once.Key) > maxKeyBytes {
		return invalid("Idempotency-Key", "must be at most 255 bytes long")
	}
	return s.finish(w, op.name, a.change, once)
}

// finish repeats the stored response to an Idempotency-Key, or records the change and responds, with an armed fault
// applied. It continues if the client disconnects. The key is released before the client sees the response.
func (s *Service) finish(w http.ResponseWriter, operation string, change *event, once storedResponse) error {
	first, done, err := s.beginRequest(once.Key)
	if err != nil {
		return err
	}
	if first != nil {
		done()
		if first.Request != once.Request {
			return &refusal{http.StatusUnprocessableEntity, "VALIDATION_ERROR", "Idempotency-Key: was used for another request"}
		}
		write(w, first.Status, first.Body)
		return nil
	}
	f, _ := s.takeFault(operation, true)
	work := func() error {
		defer done()
		s.wait(f.wait)
		if change == nil {
			return nil
		}
		if once.Key != "" {
			change.Answer = &once
		}
		return s.record(*change)
	}
	if f.kind == "late" {
		go func() { _ = work() }() // no client waits for its error
		dropConnection(w, false)
		return nil
	}
	if err := work(); err != nil {
		return err
	}
	switch f.kind {
	case "drop-after":
		dropConnection(w, false)
	case "cut":
		sendTruncated(w, once.Status, once.Body)
	case "status-after":
		w.WriteHeader(f.number)
	default:
		write(w, once.Status, once.Body)
	}
	return nil
}

// checkKey returns whether the request's key may write. It accepts both header forms; a key in the query is
// ignored.
func (s *Service) checkKey(h http.Header) (mayWrite bool, err error) {
	sent := map[string]bool{}
	for _, v := range h.Values("X-Api-Key") {
		sent[strings.TrimSpace(v)] = true
	}
	for _, v := range h.Values("Authorization") {
		if scheme, key, _ := strings.Cut(v, " "); strings.EqualFold(scheme, "Bearer") {
			sent[strings.TrimSpace(key)] = true
		}
	}
	delete(sent, "")
	why := "the key is not valid"
	switch {
	case len(sent) == 0:
		why = "no key was sent: use x-api-key or Authorization: Bearer"
	case len(sent) > 1:
		why = "two keys were sent, and they differ"
	case sent[s.identity.SecretKey]:
		return true, nil
	case sent[s.identity.PublicKey]:
		return false, nil
	}
	return false, &refusal{http.StatusUnauthorized, "UNAUTHORIZED", why}
}

// readBody reads a JSON body of at most maxBody bytes. If the Content-Length is larger, it reads nothing, so no
// 100 Continue is sent.
func readBody(r *http.Request) ([]byte, error) {
	tooLarge := &refusal{http.StatusRequestEntityTooLarge, "VALIDATION_ERROR", "the body is larger than 64 KiB"}
	if r.ContentLength > maxBody {
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case len(body) > maxBody:
		return nil, tooLarge
	case err != nil:
		return nil, invalid("", "the body ended early")
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, invalid("", "the header Content-Type must be application/json")
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return nil, invalid("", "the header Content-Encoding is not served: send the body as it is")
	}
	return body, nil
}

// write sends a status and a JSON body.
func write(w http.ResponseWriter, status int, v any) {
	body, _ := json.Marshal(v) // all values of this package can be encoded
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// refuse sends the error object.
func refuse(w http.ResponseWriter, err error) {
	r, isRefusal := errors.AsType[*refusal](err)
	if !isRefusal {
		r = &refusal{http.StatusInternalServerError, "INTERNAL", err.Error()}
	}
	switch r.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusRequestEntityTooLarge:
		w.Header().Set("Connection", "close") // rather than read the rest
	}
	write(w, r.status, map[string]string{"error": r.code, "message": r.message})
}
