package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxBody bounds what a control request may carry, in bytes.
const maxBody = 64 << 10

// Handler serves the control API. It trusts every request: put guard.Control
// in front of it.
func Handler(c Control, log *slog.Logger) http.Handler {
	h := &handler{control: c, log: log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/control/status", h.answer(func(r *http.Request) (any, error) {
		return c.Status(r.Context())
	}))
	mux.HandleFunc("GET /v1/control/entries", h.answer(h.list))
	mux.HandleFunc("POST /v1/control/entries", h.answer(h.add))
	mux.HandleFunc("GET /v1/control/entries/{id}", h.answer(h.explain))
	mux.HandleFunc("POST /v1/control/login", h.answer(h.login))
	mux.HandleFunc("GET /v1/control/kodi/scan", h.answer(func(r *http.Request) (any, error) {
		return c.ScanKodi(r.Context())
	}))
	mux.HandleFunc("POST /v1/control/pair", h.answer(func(r *http.Request) (any, error) {
		return c.Pair(r.Context())
	}))
	mux.HandleFunc("GET /v1/control/clients", h.answer(func(r *http.Request) (any, error) {
		return c.Clients(r.Context())
	}))
	mux.HandleFunc("POST /v1/control/clients", h.answer(h.addClient))
	mux.HandleFunc("DELETE /v1/control/clients/{id}", h.answer(func(r *http.Request) (any, error) {
		return struct{}{}, c.Revoke(r.Context(), r.PathValue("id"))
	}))
	mux.HandleFunc("DELETE /v1/control/notices/{id}", h.answer(func(r *http.Request) (any, error) {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil {
			return nil, &Fault{Code: CodeNotFound, Message: "there is no notice " + strconv.Quote(r.PathValue("id"))}
		}
		return struct{}{}, c.Acknowledge(r.Context(), id)
	}))
	h.operate(mux)
	h.librarian(mux)
	mux.HandleFunc("/", h.answer(func(r *http.Request) (any, error) {
		return nil, &Fault{Code: CodeNotFound, Message: "there is no " + r.Method + " " + r.URL.Path}
	}))
	return mux
}

type handler struct {
	control Control
	log     *slog.Logger
}

// answer turns a question of bounded size into an HTTP answer.
func (h *handler) answer(ask func(*http.Request) (any, error)) http.HandlerFunc {
	answer := h.answerAny(ask)
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		answer(w, r)
	}
}

// answerAny turns a question of any size into an HTTP answer.
func (h *handler) answerAny(ask func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		value, err := ask(r)
		status := http.StatusOK
		if err != nil {
			f := h.fault(r, err)
			value, status = f, statusOf(f.Code)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value) // the asker is gone; nobody is left to tell
	}
}

// fault is err as the asker may see it.
func (h *handler) fault(r *http.Request, err error) *Fault {
	var f *Fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, viewing.ErrInvalid):
		return &Fault{Code: CodeInvalid, Message: err.Error()}
	default:
		if !errors.Is(err, context.Canceled) {
			h.log.Error("control request failed", "path", r.URL.Path, "error", err)
		}
		return &Fault{Code: CodeInternal, Message: err.Error()}
	}
}

// decode reads one JSON object, the whole body.
func decode(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return &Fault{Code: CodeInvalid, Message: "the request is not the JSON that was expected: " + err.Error()}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return &Fault{Code: CodeInvalid, Message: "the request goes on after its JSON"}
	}
	return nil
}

func (h *handler) list(r *http.Request) (any, error) {
	values := r.URL.Query()
	q := Query{
		State: values.Get("state"), Account: values.Get("account"), Source: values.Get("source"),
		Kind: viewing.Kind(values.Get("kind")), Reason: values.Get("reason"), Item: values.Get("item"),
	}
	if text := values.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, &Fault{Code: CodeInvalid, Message: "limit is not a number from 1"}
		}
		q.Limit = n
	}
	return h.control.List(r.Context(), q)
}

func (h *handler) add(r *http.Request) (any, error) {
	var v viewing.Viewing
	if err := decode(r, &v); err != nil {
		return nil, err
	}
	return h.control.Add(r.Context(), v)
}

func (h *handler) addClient(r *http.Request) (any, error) {
	var wanted newClient
	if err := decode(r, &wanted); err != nil {
		return nil, err
	}
	return h.control.AddClient(r.Context(), wanted.Label)
}

func (h *handler) explain(r *http.Request) (any, error) {
	id, err := readID(r)
	if err != nil {
		return nil, err
	}
	return h.control.Explain(r.Context(), id)
}

func (h *handler) login(r *http.Request) (any, error) {
	var l Login
	if err := decode(r, &l); err != nil {
		// The decoder could quote what was sent.
		return nil, &Fault{Code: CodeInvalid, Message: "the request is not a login"}
	}
	return h.control.Login(r.Context(), l)
}
