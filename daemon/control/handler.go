package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"reflect"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxBody bounds what a request may carry, in bytes.
const maxBody = 1 << 20

// Handler answers the questions of the control API. It trusts every request.
func Handler(a API, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	for question, f := range reflect.ValueOf(a).Fields() {
		mux.HandleFunc(pathOf(question), func(w http.ResponseWriter, r *http.Request) {
			out := &begun{Writer: w}
			value, err := call(f, r, out)
			answer(w, r, log, out, value, err)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, log, &begun{}, nil, NotFound(viewing.Said("there is no "+r.URL.Path), viewing.Message{}))
	})
	return mux
}

// answer sends a value, unless it was written as a stream, or an error, which can only cut the
// connection after the first byte of a stream. It logs what is no mistake of the asker.
func answer(w http.ResponseWriter, r *http.Request, log *slog.Logger, stream *begun, value any, err error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err != nil {
		f := FaultOf(err)
		if f.Code == CodeInternal && !errors.Is(err, context.Canceled) {
			log.Error("control request failed", "path", r.URL.Path, "error", err)
		}
		if stream.yes {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(statusOf(f.Code))
		value = f
	}
	if value != nil {
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

// begun is a writer that remembers whether anything was written.
type begun struct {
	io.Writer
	yes bool
}

func (b *begun) Write(text []byte) (int, error) {
	b.yes = true
	return b.Writer.Write(text)
}
