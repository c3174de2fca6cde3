package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// routes gives each question its place in HTTP, once: the handler and the
// client are made of this table.
func (a *API) routes() []route {
	return []route{
		ask("GET /status", &a.Status),
		tell("POST /health", &a.Health),
		tell("POST /open", &a.Open),
		ask("GET /about", &a.About),
		tell("GET /entries", &a.List),
		tell("POST /entries", &a.Add),
		tell("GET /days", &a.Days),
		tell("GET /entries/{id}", &a.Explain),
		tell("PATCH /entries/{id}", &a.Edit),
		tell("POST /entries/{id}/undo", &a.Undo),
		tell("POST /operate", &a.Operate),
		tell("POST /pause", &a.Pause),
		tell("POST /resume", &a.Resume),
		tell("POST /resolve", &a.Resolve),
		tell("POST /entries/{id}/fix", &a.Fix),
		ask("GET /corrections", &a.Corrections),
		forget("DELETE /corrections/{id}", &a.ForgetCorrection),
		tell("POST /login", &a.Login),
		ask("POST /pair", &a.Pair),
		ask("GET /clients", &a.Clients),
		tell("POST /clients", &a.AddClient),
		forget("DELETE /clients/{id}", &a.Revoke),
		forget("DELETE /notices/{id}", &a.Acknowledge),
		ask("POST /notices/test", &a.TestNotices),
		ask("GET /settings", &a.Settings),
		tell("POST /settings", &a.Set),
		ask("POST /reload", &a.Reload),
		ask("GET /kodi/found", &a.FindKodi),
		tell("POST /kodi/add", &a.AddKodi),
		tell("POST /kodi/remove", &a.RemoveKodi),
		ask("GET /kodi/scan", &a.ScanKodi),
		ask("GET /kodi/import", &a.KodiProgress),
		tell("POST /kodi/import", &a.ImportKodi),
		receive("GET /export", "application/jsonl; charset=utf-8", &a.Export),
		receive("POST /backup", "application/vnd.sqlite3", &a.Backup),
	}
}

// route is one question of an [API]: where it goes, how a daemon answers it,
// and how a client comes to ask it.
type route struct {
	pattern string // the method, and the whole path
	serve   func(*handler) http.HandlerFunc
	connect func(*Client) // gives the field of the API its function
}

// newRoute is a route to a path below /v1/control.
func newRoute(pattern string, serve func(*handler) http.HandlerFunc, connect func(c *Client, method, path string)) route {
	method, path, _ := strings.Cut(pattern, " ")
	path = "/v1/control" + path
	return route{method + " " + path, serve, func(c *Client) { connect(c, method, path) }}
}

// tell is a route to a question that says something.
func tell[Q, A any](pattern string, f *func(context.Context, Q) (A, error)) route {
	return newRoute(pattern, func(h *handler) http.HandlerFunc {
		return h.answer(func(r *http.Request) (any, error) {
			var q Q
			if err := read(r, &q); err != nil {
				return nil, err
			}
			return (*f)(r.Context(), q)
		})
	}, func(c *Client, method, path string) {
		*f = func(ctx context.Context, q Q) (answer A, err error) {
			place, body := write(&q, path)
			err = c.call(ctx, method, place, body, &answer)
			return answer, err
		}
	})
}

// nothing is what has no words.
type nothing struct{}

// ask is a route to a question that says nothing.
func ask[A any](pattern string, f *func(context.Context) (A, error)) route {
	g := func(ctx context.Context, _ nothing) (A, error) { return (*f)(ctx) }
	r := tell(pattern, &g)
	return route{r.pattern, r.serve, func(c *Client) {
		r.connect(c)
		*f = func(ctx context.Context) (A, error) { return g(ctx, nothing{}) }
	}}
}

// forget is a route to a question that has no answer.
func forget[Q any](pattern string, f *func(context.Context, Q) error) route {
	g := func(ctx context.Context, q Q) (nothing, error) { return nothing{}, (*f)(ctx, q) }
	r := tell(pattern, &g)
	return route{r.pattern, r.serve, func(c *Client) {
		r.connect(c)
		*f = func(ctx context.Context, q Q) error { _, err := g(ctx, q); return err }
	}}
}

// receive is a route to an answer of any length, of a media type. An answer
// that broke off is an error: the daemon cuts the connection then.
func receive(pattern, kind string, f *func(context.Context, io.Writer) error) route {
	return newRoute(pattern, func(h *handler) http.HandlerFunc {
		return h.streamed(kind, *f)
	}, func(c *Client, method, path string) {
		*f = func(ctx context.Context, w io.Writer) error {
			return c.stream(ctx, method, path, nil, func(answer io.Reader) error {
				_, err := io.Copy(w, answer)
				return err
			})
		}
	})
}

// aboutEntry is a question that names an entry in the path, and says the rest in
// the body.
type aboutEntry interface{ entry() *int64 }

// read reads a question, as [write] has put it into the request.
func read(r *http.Request, question any) error {
	switch q := question.(type) {
	case *nothing:
		return nil
	case *string:
		*q = r.PathValue("id")
		return nil
	case *int64:
		return readID(r, q)
	case *entry.Filter:
		return readFilter(r.URL.Query(), q)
	case *Days:
		return readDays(r.URL.Query(), q)
	case aboutEntry:
		if err := readID(r, q.entry()); err != nil {
			return err
		}
	case *Login:
		if decode(r, q) != nil { // the decoder could quote what was sent
			return &Fault{Code: CodeInvalid, Message: "the request is not a login"}
		}
		return nil
	}
	return decode(r, question)
}

// write puts a question into the path and the body; nil is no body.
func write(question any, path string) (place string, body any) {
	named := func(id any) string { return strings.Replace(path, "{id}", url.PathEscape(fmt.Sprint(id)), 1) }
	switch q := question.(type) {
	case *nothing:
		return path, nil
	case *string:
		return named(*q), nil
	case *int64:
		return named(*q), nil
	case *entry.Filter:
		return path + "?" + writeFilter(*q).Encode(), nil
	case *Days:
		return path + "?days=" + strconv.Itoa(q.Days), nil
	case aboutEntry:
		return named(*q.entry()), q
	default:
		return path, q
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

// readID reads the entry, or the notice, that a path names.
func readID(r *http.Request, id *int64) (err error) {
	text := r.PathValue("id")
	if *id, err = strconv.ParseInt(text, 10, 64); err == nil {
		return nil
	}
	if strings.Contains(r.Pattern, "/notices/") {
		return &Fault{Code: CodeNotFound, Message: "there is no notice " + strconv.Quote(text)}
	}
	return &Fault{Code: CodeInvalid, Message: "an entry's id is a number"}
}

// readDays reads how many days are asked for.
func readDays(values url.Values, d *Days) (err error) {
	if d.Days, err = strconv.Atoi(values.Get("days")); err != nil {
		return &Fault{Code: CodeInvalid, Message: "days is not a number"}
	}
	return nil
}

// readFilter reads a filter from an address, where it has neither time nor page.
func readFilter(values url.Values, f *entry.Filter) (err error) {
	*f = entry.Filter{
		State: viewing.State(values.Get("state")), Account: values.Get("account"), Source: values.Get("source"),
		Kind: viewing.Kind(values.Get("kind")), Reason: values.Get("reason"), Item: values.Get("item"), Words: values.Get("words"),
	}
	if text := values.Get("upTo"); text != "" {
		if f.UpTo, err = strconv.ParseInt(text, 10, 64); err != nil {
			return &Fault{Code: CodeInvalid, Message: "upTo is not an entry's id, which is a number"}
		}
	}
	if text := values.Get("limit"); text != "" {
		if f.Limit, err = strconv.Atoi(text); err != nil || f.Limit < 1 {
			return &Fault{Code: CodeInvalid, Message: "limit is not a number from 1"}
		}
	}
	return nil
}

func writeFilter(f entry.Filter) url.Values {
	values := url.Values{
		"state": {string(f.State)}, "account": {f.Account}, "source": {f.Source},
		"kind": {string(f.Kind)}, "reason": {f.Reason}, "item": {f.Item}, "words": {f.Words},
	}
	if f.UpTo != 0 {
		values.Set("upTo", strconv.FormatInt(f.UpTo, 10))
	}
	if f.Limit != 0 {
		values.Set("limit", strconv.Itoa(f.Limit))
	}
	return values
}
