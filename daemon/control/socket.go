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

// maxPath is how long a socket's path may be, in bytes: macOS has the least room for it.
const maxPath = 103

// Listen opens the socket at path, with these rights. The caller holds the state folder's
// lock, so a socket that is there already was left by a process that was killed.
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
	if err := os.Chmod(path, mode); err != nil { // until now the folder's rights protect it
		return nil, errors.Join(fmt.Errorf("listen for commands: %w", err), l.Close())
	}
	return l, nil
}

// Dial connects to the daemon that listens at path. Where none does, the error is a [Fault]
// with [CodeNotRunning].
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

// newClient asks the daemon that listens at path.
func newClient(path string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
	c := &Client{http: &http.Client{Transport: &http.Transport{DialContext: dial}}}
	for question, f := range reflect.ValueOf(&c.API).Elem().Fields() {
		f.Set(reflect.MakeFunc(f.Type(), func(in []reflect.Value) []reflect.Value { return c.ask(question, in) }))
	}
	return c
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// post sends a body, and has read take a good answer.
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

// maxBody bounds what a request may carry, in bytes.
const maxBody = 1 << 20

// Handler answers the questions of the control API. It trusts every request.
func Handler(a API, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	for question, f := range reflect.ValueOf(a).Fields() {
		mux.HandleFunc(pathOf(question), func(w http.ResponseWriter, r *http.Request) {
			out := &begun{ResponseWriter: w}
			value, err := call(f, r, out)
			answer(w, r, log, out, value, err)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, log, &begun{}, nil, NotFound(viewing.Verbatim("there is no "+r.URL.Path), viewing.Message{}))
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
		w.WriteHeader(cmp.Or(statuses[f.Code], http.StatusInternalServerError))
		value = f
	}
	text, _ := json.Marshal(value) // cannot fail
	switch {
	case value == nil:
	case err == nil && w.Header().Get("Trailer") != "":
		w.Header().Set(trailer, string(text))
	default:
		_, _ = w.Write(append(text, '\n')) // fails only where the asker is gone
	}
}

// decode reads one JSON value, the whole body. An empty body is the zero value.
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

// trailer holds the result of a question whose answer is a stream.
const trailer = "Answer"

// begun is a writer that remembers whether anything was written.
type begun struct {
	http.ResponseWriter
	yes bool
}

func (b *begun) Write(text []byte) (int, error) {
	b.yes = true
	return b.ResponseWriter.Write(text)
}

// Each function of an [API] is a question. It is asked at /v1/ and its name, which begins with a
// small letter there. Its parameter, if it has one beside the context, is the body as JSON; so is
// its result. An [io.Reader] is the body itself, and the parameter beside it is in the address
// then; what is written to an [io.Writer] is the answer, and its result follows as a trailer.

var (
	readerType = reflect.TypeFor[io.Reader]()
	writerType = reflect.TypeFor[io.Writer]()
)

// pathOf is where a question is asked.
func pathOf(question reflect.StructField) string {
	return "/v1/" + strings.ToLower(question.Name[:1]) + question.Name[1:]
}

// Of returns the API whose questions are answered by the methods of their names. One without a
// method is answered by an error.
func Of(answers any, otherwise error) (a API) {
	for question, f := range reflect.ValueOf(&a).Elem().Fields() {
		method := reflect.ValueOf(answers).MethodByName(question.Name)
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

// resultsOf are zero values of what a function returns.
func resultsOf(f reflect.Type) (all []reflect.Value) {
	for t := range f.Outs() {
		all = append(all, reflect.New(t).Elem())
	}
	return all
}

// call asks a question that came by HTTP. What is streamed goes to out.
func call(question reflect.Value, r *http.Request, out *begun) (answer any, err error) {
	parameters := io.Reader(r.Body)
	if r.URL.RawQuery != "" {
		parameters = strings.NewReader(r.URL.Query().Get("of"))
	}
	in := []reflect.Value{reflect.ValueOf(r.Context())}
	for i := 1; i < question.Type().NumIn(); i++ {
		switch t := question.Type().In(i); t {
		case readerType:
			in = append(in, reflect.ValueOf(r.Body))
		case writerType:
			out.Header().Set("Trailer", trailer)
			in = append(in, reflect.ValueOf(out))
		default:
			parameter := reflect.New(t)
			if err := decode(io.LimitReader(parameters, maxBody), parameter.Interface()); err != nil {
				return nil, err
			}
			in = append(in, parameter.Elem())
		}
	}
	results := question.Call(in)
	err, _ = results[len(results)-1].Interface().(error)
	if len(results) > 1 {
		answer = results[0].Interface()
	}
	return answer, err
}

// ask asks a question of the daemon, and returns what its function returns.
func (c *Client) ask(question reflect.StructField, in []reflect.Value) []reflect.Value {
	out := resultsOf(question.Type)
	path, body := pathOf(question), io.Reader(http.NoBody)
	var parameter []byte
	var err error
	read := func(answer *http.Response) error {
		return json.NewDecoder(answer.Body).Decode(out[0].Addr().Interface())
	}
	if len(out) == 1 {
		read = func(*http.Response) error { return nil }
	}
	for i, v := range in[1:] {
		switch question.Type.In(i + 1) {
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
