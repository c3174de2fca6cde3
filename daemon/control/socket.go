package control

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxPath is the maximum length of a socket's path in bytes. macOS has the lowest limit.
const maxPath = 103

// Listen opens the socket at path with this mode. The caller must hold the lock of the state
// folder, so an existing socket is a leftover of a killed process.
func Listen(path string, mode fs.FileMode) (*net.UnixListener, error) {
	if len(path) > maxPath {
		return nil, fmt.Errorf("listen at %s: a socket's path may have %d bytes, and this one has %d; use a shorter --state-dir", path, maxPath, len(path))
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of an earlier run: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for commands: %w", err)
	}
	if err := os.Chmod(path, mode); err != nil { // before this the folder's mode protects it
		return nil, errors.Join(fmt.Errorf("listen for commands: %w", err), l.Close())
	}
	return l, nil
}

// Dial connects to the daemon that listens at path. If none does, the error is a [Fault] with
// [CodeNotRunning].
func Dial(ctx context.Context, path string) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return newClient(path), conn.Close()
	case errors.Is(err, fs.ErrPermission):
		hint := "hint.joinGroup"
		if runtime.GOOS == "windows" {
			hint = "hint.asAdministrator"
		}
		return nil, Refused(viewing.Say("fault.notYours", "file", path), viewing.Say(hint))
	case ctx.Err() != nil:
		return nil, fmt.Errorf("connect to the daemon: %w", ctx.Err())
	default:
		return nil, NotRunning(viewing.Message{})
	}
}

// Client is the [API] of a running daemon.
type Client struct {
	API
	http *http.Client
}

// newClient returns a client of the daemon that listens at path.
func newClient(path string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
	c := &Client{http: &http.Client{Transport: &http.Transport{DialContext: dial}}}
	for endpoint, f := range reflect.ValueOf(&c.API).Elem().Fields() {
		f.Set(reflect.MakeFunc(f.Type(), func(in []reflect.Value) []reflect.Value { return c.ask(endpoint, in) }))
	}
	return c
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// post sends a body and passes a successful answer to read.
func (c *Client) post(ctx context.Context, path string, body io.Reader, read func(*http.Response) error) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://filmspool"+path, body)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		var f Fault
		if err := json.NewDecoder(answer.Body).Decode(&f); err != nil || f.Code == "" {
			return fmt.Errorf("ask the daemon: it answered %s", answer.Status)
		}
		return &f
	}
	if err := read(answer); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	return nil
}

// maxBody is the maximum size of a request's parameter in bytes.
const maxBody = 1 << 20

// Handler serves the control API. It does not check permissions.
func Handler(a API, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	for endpoint, f := range reflect.ValueOf(a).Fields() {
		mux.HandleFunc(pathOf(endpoint), func(w http.ResponseWriter, r *http.Request) {
			out := &streamWriter{ResponseWriter: w}
			value, err := call(f, r, out)
			answer(w, r, log, out, value, err)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, log, &streamWriter{}, nil, NotFound(viewing.Verbatim("there is no "+r.URL.Path), viewing.Message{}))
	})
	return mux
}

// answer writes a result, unless it was streamed, or an error. After the first byte of a stream
// it can only abort the connection. It logs internal errors.
func answer(w http.ResponseWriter, r *http.Request, log *slog.Logger, stream *streamWriter, value any, err error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err != nil {
		f := FaultOf(err)
		if f.Code == CodeInternal && !errors.Is(err, context.Canceled) {
			log.Error("control request failed", "path", r.URL.Path, "error", err)
		}
		if stream.written {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(cmp.Or(statuses[f.Code], http.StatusInternalServerError))
		value = f
	}
	text, _ := json.Marshal(value) // the types of the API cannot fail
	switch {
	case value == nil:
	case err == nil && w.Header().Get("Trailer") != "":
		w.Header().Set(trailer, string(text))
	default:
		_, _ = w.Write(append(text, '\n')) // fails only if the client is gone
	}
}

// decode reads a body that is exactly one JSON value. An empty body is the zero value.
func decode(body io.Reader, into any) error {
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		return &Fault{Code: CodeInvalid, Message: viewing.Verbatim("the request is not the JSON that was expected: " + err.Error())}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return &Fault{Code: CodeInvalid, Message: viewing.Verbatim("the request goes on after its JSON")}
	}
	return nil
}

// FaultOf converts an error into a fault for the client.
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

// trailer is the HTTP trailer with the result of a call that streams its answer.
const trailer = "Answer"

// streamWriter is a response writer that remembers whether anything was written.
type streamWriter struct {
	http.ResponseWriter
	written bool
}

func (w *streamWriter) Write(text []byte) (int, error) {
	w.written = true
	return w.ResponseWriter.Write(text)
}

// Each function of an [API] is an endpoint at /v1/ plus its name, with a lower-case first letter.
// The parameter after the context is the body as JSON, and so is the result. A function with an
// [io.Reader] gets the body itself; its other parameter is then in the query "of". A function with
// an [io.Writer] streams its answer; its result follows as a trailer.

var (
	readerType = reflect.TypeFor[io.Reader]()
	writerType = reflect.TypeFor[io.Writer]()
)

// pathOf returns the path of a call.
func pathOf(endpoint reflect.StructField) string {
	return "/v1/" + strings.ToLower(endpoint.Name[:1]) + endpoint.Name[1:]
}

// NewAPI returns an API that calls the methods of a value by name. A call without a method returns
// the error otherwise.
func NewAPI(server any, otherwise error) (a API) {
	for endpoint, f := range reflect.ValueOf(&a).Elem().Fields() {
		method := reflect.ValueOf(server).MethodByName(endpoint.Name)
		if !method.IsValid() {
			method = reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value {
				out := resultsOf(f.Type())
				out[len(out)-1].Set(reflect.ValueOf(otherwise))
				return out
			})
		}
		f.Set(method)
	}
	return a
}

// resultsOf returns zero values for the results of a function.
func resultsOf(f reflect.Type) (all []reflect.Value) {
	for t := range f.Outs() {
		all = append(all, reflect.New(t).Elem())
	}
	return all
}

// call executes a call that was received by HTTP. Streamed output goes to out.
func call(function reflect.Value, r *http.Request, out *streamWriter) (answer any, err error) {
	parameter := io.Reader(r.Body)
	if r.URL.RawQuery != "" {
		parameter = strings.NewReader(r.URL.Query().Get("of"))
	}
	in := []reflect.Value{reflect.ValueOf(r.Context())}
	for i := 1; i < function.Type().NumIn(); i++ {
		switch t := function.Type().In(i); t {
		case readerType:
			in = append(in, reflect.ValueOf(r.Body))
		case writerType:
			out.Header().Set("Trailer", trailer)
			in = append(in, reflect.ValueOf(out))
		default:
			value := reflect.New(t)
			if err := decode(io.LimitReader(parameter, maxBody), value.Interface()); err != nil {
				return nil, err
			}
			in = append(in, value.Elem())
		}
	}
	results := function.Call(in)
	err, _ = results[len(results)-1].Interface().(error)
	if len(results) > 1 {
		answer = results[0].Interface()
	}
	return answer, err
}

// ask sends a call to the daemon and returns the results of its function.
func (c *Client) ask(endpoint reflect.StructField, in []reflect.Value) []reflect.Value {
	out := resultsOf(endpoint.Type)
	path, body := pathOf(endpoint), io.Reader(http.NoBody)
	var parameter []byte
	var err error
	read := func(answer *http.Response) error {
		return json.NewDecoder(answer.Body).Decode(out[0].Addr().Interface())
	}
	if len(out) == 1 {
		read = func(*http.Response) error { return nil }
	}
	for i, v := range in[1:] {
		switch endpoint.Type.In(i + 1) {
		case readerType:
			path += "?of=" + url.QueryEscape(string(parameter))
			body = v.Interface().(io.Reader)
		case writerType:
			read = func(answer *http.Response) error {
				_, err := io.Copy(v.Interface().(io.Writer), answer.Body)
				if err == nil && len(out) > 1 {
					err = json.Unmarshal([]byte(answer.Trailer.Get(trailer)), out[0].Addr().Interface())
				}
				return err
			}
		default:
			if parameter, err = json.Marshal(v.Interface()); err == nil {
				body = bytes.NewReader(parameter)
			}
		}
	}
	if err == nil {
		err = c.post(in[0].Interface().(context.Context), path, body, read)
	}
	if err != nil {
		out[len(out)-1].Set(reflect.ValueOf(err))
	}
	return out
}
