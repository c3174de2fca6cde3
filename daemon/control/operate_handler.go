package control

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// undoing asks for an entry to be taken back.
type undoing struct {
	DryRun bool `json:"dryRun"`
}

// pausing names an account, or all of them.
type pausing struct {
	Account string `json:"account"` // empty: all
}

// operate adds the operator's routes.
func (h *handler) operate(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/control/operate", h.answer(func(r *http.Request) (any, error) {
		var o Order
		if err := decode(r, &o); err != nil {
			return nil, err
		}
		return h.control.Operate(r.Context(), o)
	}))
	mux.HandleFunc("PATCH /v1/control/entries/{id}", h.answer(func(r *http.Request) (any, error) {
		var e Edit
		id, err := readID(r)
		if err = errors.Join(err, decode(r, &e)); err != nil {
			return nil, err
		}
		return h.control.Edit(r.Context(), id, e)
	}))
	mux.HandleFunc("POST /v1/control/entries/{id}/undo", h.answer(func(r *http.Request) (any, error) {
		var u undoing
		id, err := readID(r)
		if err = errors.Join(err, decode(r, &u)); err != nil {
			return nil, err
		}
		return h.control.Undo(r.Context(), id, u.DryRun)
	}))
	mux.HandleFunc("POST /v1/control/pause", h.answer(func(r *http.Request) (any, error) {
		var p pausing
		if err := decode(r, &p); err != nil {
			return nil, err
		}
		return h.control.Pause(r.Context(), p.Account)
	}))
	mux.HandleFunc("POST /v1/control/resume", h.answer(func(r *http.Request) (any, error) {
		var p pausing
		if err := decode(r, &p); err != nil {
			return nil, err
		}
		return h.control.Resume(r.Context(), p.Account)
	}))
	mux.HandleFunc("POST /v1/control/backup", h.streamed("application/vnd.sqlite3", h.control.Backup))
	mux.HandleFunc("GET /v1/control/export", h.streamed("application/jsonl; charset=utf-8", h.control.Export))
	mux.HandleFunc("POST /v1/control/import", h.answerAny(func(r *http.Request) (any, error) {
		return h.control.Import(r.Context(), r.Body, r.URL.Query().Get("dryRun") == "true")
	}))
}

// readID is the entry that a route names.
func readID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, &Fault{Code: CodeInvalid, Message: "an entry's id is a number"}
	}
	return id, nil
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
	s.Header().Set("Content-Type", s.kind)
	s.Header().Set("Cache-Control", "no-store")
	s.Header().Set("X-Content-Type-Options", "nosniff")
	s.WriteHeader(http.StatusOK)
}

func (s *stream) Write(text []byte) (int, error) {
	s.begin()
	return s.ResponseWriter.Write(text)
}
