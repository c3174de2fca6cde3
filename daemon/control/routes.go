package control

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// root is the path below which all routes are.
const root = "/v1/control"

// routes gives each question its place in HTTP, once: the handler and the
// client are made of this table.
func (a *API) routes() []route {
	return []route{
		ask("GET /status", &a.Status),
		tell("GET /entries", search(), &a.List),
		tell("POST /entries", body[viewing.Viewing](), &a.Add),
		tell("GET /entries/{id}", id(readEntry), &a.Explain),
		correct("PATCH /entries/{id}", &a.Edit),
		correct("POST /entries/{id}/undo", &a.Undo),
		tell("POST /operate", body[Order](), &a.Operate),
		tell("POST /pause", word("account"), &a.Pause),
		tell("POST /resume", word("account"), &a.Resume),
		tell("POST /login", secret(body[Login](), "the request is not a login"), &a.Login),
		ask("POST /pair", &a.Pair),
		ask("GET /clients", &a.Clients),
		tell("POST /clients", word("label"), &a.AddClient),
		forget("DELETE /clients/{id}", id(readClient), &a.Revoke),
		forget("DELETE /notices/{id}", id(readNotice), &a.Acknowledge),
		ask("GET /kodi/scan", &a.ScanKodi),
		ask("GET /kodi/import", &a.KodiProgress),
		tell("POST /kodi/import", body[KodiImport](), &a.ImportKodi),
		receive("GET /export", "application/jsonl; charset=utf-8", &a.Export),
		receive("POST /backup", "application/vnd.sqlite3", &a.Backup),
		send("POST /import", &a.Import),
	}
}

// route is one question of an [API]: where it goes, how a daemon answers it,
// and how a client comes to ask it.
type route struct {
	pattern string // the method, and the path below root
	serve   func(*handler) http.HandlerFunc
	connect func(*Client) // gives the field of the API its function
}

// split is the method and the whole path.
func (r route) split() (method, path string) {
	method, path, _ = strings.Cut(r.pattern, " ")
	return method, root + path
}

// join is a route between the function of a daemon and that of a client.
func join[Q, A any](
	pattern string, form question[Q],
	daemon func(context.Context, Q) (A, error), client func(func(context.Context, Q) (A, error)),
) route {
	r := route{pattern: pattern}
	r.serve = func(h *handler) http.HandlerFunc {
		return h.answer(func(r *http.Request) (any, error) {
			q, err := form.read(r)
			if err != nil {
				return nil, err
			}
			return daemon(r.Context(), q)
		})
	}
	r.connect = func(c *Client) {
		client(func(ctx context.Context, q Q) (answer A, err error) {
			method, path := r.split()
			whole, body := form.write(q, path)
			err = c.call(ctx, method, whole, body, &answer)
			return answer, err
		})
	}
	return r
}

// tell is a route to a question that says something.
func tell[Q, A any](pattern string, form question[Q], f *func(context.Context, Q) (A, error)) route {
	return join(pattern, form, func(ctx context.Context, q Q) (A, error) { return (*f)(ctx, q) },
		func(call func(context.Context, Q) (A, error)) { *f = call })
}

// ask is a route to a question that says nothing.
func ask[A any](pattern string, f *func(context.Context) (A, error)) route {
	return join(pattern, silence(), func(ctx context.Context, _ nothing) (A, error) { return (*f)(ctx) },
		func(call func(context.Context, nothing) (A, error)) {
			*f = func(ctx context.Context) (A, error) { return call(ctx, nothing{}) }
		})
}

// forget is a route to a question that has no answer.
func forget[Q any](pattern string, form question[Q], f *func(context.Context, Q) error) route {
	return join(pattern, form, func(ctx context.Context, q Q) (nothing, error) { return nothing{}, (*f)(ctx, q) },
		func(call func(context.Context, Q) (nothing, error)) {
			*f = func(ctx context.Context, q Q) error { _, err := call(ctx, q); return err }
		})
}

// correct is a route to a question about one entry that says something.
func correct[Q, A any](pattern string, f *func(context.Context, int64, Q) (A, error)) route {
	return join(pattern, aboutEntry[Q](),
		func(ctx context.Context, q about[Q]) (A, error) { return (*f)(ctx, q.id, q.what) },
		func(call func(context.Context, about[Q]) (A, error)) {
			*f = func(ctx context.Context, id int64, q Q) (A, error) { return call(ctx, about[Q]{id, q}) }
		})
}

// receive is a route to an answer of any length, of a media type. An answer
// that broke off is an error: the daemon cuts the connection then.
func receive(pattern, kind string, f *func(context.Context, io.Writer) error) route {
	r := route{pattern: pattern}
	r.serve = func(h *handler) http.HandlerFunc {
		return h.streamed(kind, func(ctx context.Context, w io.Writer) error { return (*f)(ctx, w) })
	}
	r.connect = func(c *Client) {
		*f = func(ctx context.Context, w io.Writer) error {
			method, path := r.split()
			return c.stream(ctx, method, path, nil, func(answer io.Reader) error {
				_, err := io.Copy(w, answer)
				return err
			})
		}
	}
	return r
}

// send is a route for lines of any number, which a dry run only reads.
func send[A any](pattern string, f *func(context.Context, io.Reader, bool) (A, error)) route {
	r := route{pattern: pattern}
	r.serve = func(h *handler) http.HandlerFunc {
		return h.answerAny(func(r *http.Request) (any, error) {
			return (*f)(r.Context(), r.Body, r.URL.Query().Get("dryRun") == "true")
		})
	}
	r.connect = func(c *Client) {
		*f = func(ctx context.Context, lines io.Reader, dry bool) (sum A, err error) {
			method, path := r.split()
			if dry {
				path += "?dryRun=true"
			}
			err = c.stream(ctx, method, path, lines, func(answer io.Reader) error {
				return json.NewDecoder(answer).Decode(&sum)
			})
			return sum, err
		}
	}
	return r
}
