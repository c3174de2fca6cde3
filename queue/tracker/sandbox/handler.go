package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	apiPrefix   = "/api/v1"
	maxBody     = 64 << 10 // bytes
	maxDrained  = 1 << 20  // bytes of a body that nobody wants, read after the answer
	maxDraining = 2 * time.Second
	maxOnceKey  = 255 // bytes of an Idempotency-Key
	contentType = "application/json; charset=utf-8"
)

// answer is a success: a status and a JSON body.
type answer struct {
	status int
	body   []byte
}

func jsonAnswer(status int, v any) (answer, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return answer{}, fmt.Errorf("write answer: %w", err)
	}
	return answer{status: status, body: body}, nil
}

// endpoint is one operation: a write has parse, a read has read, and so has a
// removal.
type endpoint struct {
	name    string // "POST /history"
	parse   func(object) (input, error)
	read    func(context.Context, question) (answer, error)
	removes bool
}

// routes is what this service serves. It is no ServeMux, because that
// redirects //history and /history/, which are other paths here.
func (s *Service) routes() map[string]map[string]endpoint {
	all := []endpoint{
		{name: "POST /history", parse: parseViewing},
		{name: "POST /watchlist", parse: parseWish},
		{name: "POST /lists", parse: parseList},
	}
	if !s.contractOnly {
		all = append(all,
			endpoint{name: "GET /me", read: s.readMe},
			endpoint{name: "GET /history", read: s.readHistory},
			endpoint{name: "DELETE /history", read: s.removeHistory, removes: true},
			endpoint{name: "GET /lists", read: s.readLists},
			endpoint{name: "POST " + listItemsPath, parse: parseListItem("")},
			endpoint{name: "POST /media/status", read: s.readStatus},
			endpoint{name: "POST /media/resolve", read: s.resolveOne},
			endpoint{name: "POST /media/resolve/batch", read: s.resolveMany})
	}
	routes := map[string]map[string]endpoint{}
	for _, e := range all {
		method, path, _ := strings.Cut(e.name, " ")
		if routes[path] == nil {
			routes[path] = map[string]endpoint{}
		}
		routes[path][method] = e
	}
	return routes
}

func (s *Service) route(r *http.Request) (endpoint, error) {
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), apiPrefix)
	id, onList := listOf(path)
	if onList {
		path = listItemsPath
	}
	methods := s.endpoints[path]
	if !ok || methods == nil {
		return endpoint{}, notFound()
	}
	e, ok := methods[r.Method]
	if !ok {
		return endpoint{}, notAllowed(strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
	}
	if onList {
		e.parse = parseListItem(id)
	}
	return e, nil
}

// Handler serves the API below /api/v1 and the control routes below
// /_sandbox/. It must be mounted at the root, without a ServeMux that cleans
// paths. The server's time-outs are its owner's.
func (s *Service) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // it may be refused before its body was read
		if strings.HasPrefix(r.URL.EscapedPath(), controlPrefix) {
			s.serveControl(w, r)
			return
		}
		e, err := s.route(r)
		if err == nil {
			err = s.handle(w, r, e)
		}
		if err != nil {
			s.refuse(w, e.name, err)
			drain(w, r)
		}
	})
}

// drain reads what is left of a body after its refusal. To close on a client
// that still writes would reset the connection, and the answer would be lost.
func drain(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	if c.Flush() != nil || c.SetReadDeadline(time.Now().Add(maxDraining)) != nil {
		return // no connection of this kind, or none any more
	}
	_, _ = io.CopyN(io.Discard, r.Body, maxDrained)
}

// handle answers a request to a known path and method, or says why not. The
// order of its steps is the order in which faults are named.
func (s *Service) handle(w http.ResponseWriter, r *http.Request, e endpoint) error {
	if f := s.faults.take(e.name, false); f.kind != "" {
		return s.strike(w, r, f)
	}
	mayWrite, err := s.keys.check(r.Header)
	if err != nil {
		return err
	}
	if (e.parse != nil || e.removes) && !mayWrite {
		return forbidden("a secret key is needed to write; this one may only read")
	}
	if r.Method == http.MethodGet || e.removes {
		return s.serveRead(w, r, e, nil)
	}
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if err := checkContent(r.Header); err != nil {
		return err
	}
	o, err := decodeObject(body)
	if err != nil {
		return err
	}
	if e.read != nil {
		return s.serveRead(w, r, e, o)
	}
	return s.serveWrite(w, r, e, o, body)
}

// readBody reads at most maxBody. A length that is told is believed, so that
// nothing is read, and no 100 Continue sent, for a body that is too large.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, tooLarge()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge()
	}
	if err != nil {
		return nil, invalid("", "the body ended early")
	}
	return body, nil
}

func checkContent(h http.Header) error {
	types := h.Values("Content-Type")
	if len(types) != 1 {
		return invalid("", "the header Content-Type must be application/json")
	}
	if t, _, err := mime.ParseMediaType(types[0]); err != nil || t != "application/json" {
		return invalid("", "the header Content-Type must be application/json")
	}
	if e := h.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return invalid("", "the header Content-Encoding is not served: send the body as it is")
	}
	return nil
}

// onceKey is the request's Idempotency-Key, and whether it counts.
func (s *Service) onceKey(h http.Header) (key string, once bool, err error) {
	if s.contractOnly {
		return h.Get("Idempotency-Key"), false, nil
	}
	for _, v := range h.Values("Idempotency-Key") {
		switch {
		case len(v) > maxOnceKey:
			return "", false, invalid("Idempotency-Key", "must be at most 255 bytes long")
		case v != "" && key != "" && v != key:
			return "", false, invalid("Idempotency-Key", "was sent twice, and the two differ")
		case v != "":
			key = v
		}
	}
	return key, key != "", nil
}

// serveWrite records what passes every check, once for each key that counts.
func (s *Service) serveWrite(w http.ResponseWriter, r *http.Request, e endpoint, o object, body []byte) error {
	q := request{operation: e.name, body: body, at: s.now()}
	var err error
	if q.input, err = e.parse(o); err != nil {
		return err
	}
	if q.key, q.once, err = s.onceKey(r.Header); err != nil {
		return err
	}
	claim := ""
	if q.once {
		claim = q.key
	}
	done, err := s.begin(claim)
	if err != nil {
		return err
	}
	// From here on the client may be gone: what is begun is finished.
	a, f, err := s.accept(context.WithoutCancel(r.Context()), q, done)
	if err != nil {
		return err
	}
	s.deliver(w, e.name, a, f)
	return nil
}

// accept gives the first answer again or records, and the fault that strikes
// the answer. It has called done, or sees to it, before the client can hear:
// the key is free again by then.
func (s *Service) accept(ctx context.Context, q request, done func()) (a answer, f armed, err error) {
	if q.once {
		if a, found, err := s.store.recall(ctx, q); found || err != nil {
			done()
			return a, armed{}, err
		}
	}
	f = s.faults.take(q.operation, true)
	if f.kind == faultLate {
		go s.recordLate(ctx, q, f, done)
		return answer{}, f, nil
	}
	defer done()
	s.pause(f.wait)
	a, err = s.store.record(ctx, q)
	return a, f, err
}

// recordLate is the work of a request whose client was dropped. Close waits
// for it through done.
func (s *Service) recordLate(ctx context.Context, q request, f armed, done func()) {
	defer done()
	s.pause(f.wait)
	if _, err := s.store.record(ctx, q); err != nil {
		s.log.Error("late request not recorded", "operation", q.operation, "error", err)
	}
}

func (s *Service) serveRead(w http.ResponseWriter, r *http.Request, e endpoint, o object) error {
	done, err := s.begin("")
	if err != nil {
		return err
	}
	a, f, err := s.ask(r, e, o, done)
	if err != nil {
		return err
	}
	s.deliver(w, e.name, a, f)
	return nil
}

func (s *Service) ask(r *http.Request, e endpoint, o object, done func()) (answer, armed, error) {
	defer done()
	a, err := e.read(r.Context(), question{query: r.URL.Query(), object: o})
	if err != nil {
		return answer{}, armed{}, err
	}
	f := s.faults.take(e.name, true)
	s.pause(f.wait)
	return a, f, nil
}

// deliver sends the answer, or lets the fault f have it.
func (s *Service) deliver(w http.ResponseWriter, operation string, a answer, f armed) {
	s.log.Debug("request accepted", "operation", operation, "status", a.status, "fault", f.text)
	switch f.kind {
	case faultLate, faultDropAfter:
		drop(w, false)
	case faultCut:
		cut(w, a)
	case faultAfter:
		w.WriteHeader(f.number)
	default:
		write(w, a)
	}
}

func write(w http.ResponseWriter, a answer) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	w.Write(a.body) // nobody to tell when the client is gone
}

// refuse answers with the error object.
func (s *Service) refuse(w http.ResponseWriter, operation string, err error) {
	r, meant := errors.AsType[*refusal](err)
	if meant {
		s.log.Debug("request refused", "operation", operation, "status", r.status, "code", r.code)
	} else {
		s.log.Error("request failed", "operation", operation, "error", err)
		r = &refusal{status: http.StatusInternalServerError, code: codeInternal, message: "the request could not be worked on"}
	}
	switch r.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", r.allow)
	case http.StatusRequestEntityTooLarge:
		w.Header().Set("Connection", "close") // rather than read the rest
	}
	a, err := jsonAnswer(r.status, struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}{r.code, r.message})
	if err == nil {
		write(w, a)
	}
}
