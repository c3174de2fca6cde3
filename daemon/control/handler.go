package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxBody bounds what a control request may carry, in bytes.
const maxBody = 64 << 10

// Handler serves the control API. It trusts every request: put guard.Control
// in front of it.
func Handler(a API, log *slog.Logger) http.Handler {
	h := &handler{log: log}
	mux := http.NewServeMux()
	for _, r := range a.routes() {
		mux.HandleFunc(r.pattern, r.serve(h))
	}
	mux.HandleFunc("/", h.answer(func(r *http.Request) (any, error) {
		return nil, &Fault{Code: CodeNotFound, Message: "there is no " + r.Method + " " + r.URL.Path}
	}))
	return mux
}

type handler struct{ log *slog.Logger }

// answer turns a question of bounded size into an HTTP answer.
func (h *handler) answer(ask func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		value, err := ask(r)
		status := http.StatusOK
		if err != nil {
			f := h.fault(r, err)
			value, status = f, statusOf(f.Code)
		}
		head(w, "application/json; charset=utf-8")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value) // the asker is gone; nobody is left to tell
	}
}

// head says what an answer is, and that nobody may keep it or take it for
// anything else.
func head(w http.ResponseWriter, kind string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
}

// FaultOf is err as the asker may see it.
func FaultOf(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	code := CodeInternal
	if errors.Is(err, viewing.ErrInvalid) {
		code = CodeInvalid
	}
	return &Fault{Code: code, Message: err.Error()}
}

// fault is [FaultOf], logged where nobody expected it.
func (h *handler) fault(r *http.Request, err error) *Fault {
	f := FaultOf(err)
	if _, told := errors.AsType[*Fault](err); !told && f.Code == CodeInternal && !errors.Is(err, context.Canceled) {
		h.log.Error("control request failed", "path", r.URL.Path, "error", err)
	}
	return f
}

// streamed writes an answer as it comes. What goes wrong after its first byte
// can be said only by cutting the connection.
func (h *handler) streamed(kind string, write func(context.Context, io.Writer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out := &stream{ResponseWriter: w, kind: kind}
		err := write(r.Context(), out)
		switch {
		case err == nil:
			out.begin()
		case out.begun:
			_ = h.fault(r, err) // logs it; the answer has begun, so it can only be cut off
			panic(http.ErrAbortHandler)
		default:
			h.answer(func(*http.Request) (any, error) { return nil, err })(w, r)
		}
	}
}

// stream is an answer that begins with its first byte.
type stream struct {
	http.ResponseWriter
	kind  string
	begun bool
}

func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	head(s, s.kind)
	s.WriteHeader(http.StatusOK)
}

func (s *stream) Write(text []byte) (int, error) {
	s.begin()
	return s.ResponseWriter.Write(text)
}
