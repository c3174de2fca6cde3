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

// maxBody bounds what a request may carry, in bytes.
const maxBody = 1 << 20

// Handler answers the questions of the control API. It trusts every request.
func Handler(a API, log *slog.Logger) http.Handler {
	h := &handler{log: log}
	mux := http.NewServeMux()
	for _, r := range a.routes() {
		mux.HandleFunc("/v1/"+r.name, r.serve(h))
	}
	mux.HandleFunc("/", h.answer(func(r *http.Request) (any, error) {
		return nil, &Fault{Code: CodeNotFound, Message: viewing.Said("there is no " + r.URL.Path)}
	}))
	return mux
}

type handler struct{ log *slog.Logger }

// answer turns a question into an HTTP answer.
func (h *handler) answer(ask func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		value, err := ask(r)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if err != nil {
			f := h.fault(r, err)
			value = f
			w.WriteHeader(statusOf(f.Code))
		}
		_ = json.NewEncoder(w).Encode(value) // fails only where the asker is gone
	}
}

// decode reads one JSON value, the whole body. An empty body is the zero value.
func decode(body io.Reader, into any) error {
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		return &Fault{Code: CodeInvalid, Message: viewing.Said("the request is not the JSON that was expected: " + err.Error())}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return &Fault{Code: CodeInvalid, Message: viewing.Said("the request goes on after its JSON")}
	}
	return nil
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
	all := viewing.MessagesOf(err)
	return &Fault{Code: code, Message: all[0], Also: all[1:]}
}

// fault is [FaultOf], logged where it is no mistake of the asker.
func (h *handler) fault(r *http.Request, err error) *Fault {
	f := FaultOf(err)
	if f.Code == CodeInternal && !errors.Is(err, context.Canceled) {
		h.log.Error("control request failed", "path", r.URL.Path, "error", err)
	}
	return f
}

// streamed writes an answer as it comes. After its first byte an error can only cut the
// connection.
func (h *handler) streamed(write func(*http.Request, io.Writer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		out := &begun{Writer: w}
		err := write(r, out)
		switch {
		case err != nil && out.yes:
			_ = h.fault(r, err) // logs it
			panic(http.ErrAbortHandler)
		case err != nil:
			h.answer(func(*http.Request) (any, error) { return nil, err })(w, r)
		}
	}
}

// begun is a writer that remembers whether anything was written.
type begun struct {
	io.Writer
	yes bool
}

func (b *begun) Write(text []byte) (int, error) {
	b.yes = true
	return b.Writer.Write(text)
}
