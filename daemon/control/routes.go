package control

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// routes gives each question its name, once: it is asked at /v1/NAME, as JSON in the body.
// The handler and the client are made of this table.
func (a *API) routes() []route {
	return []route{
		ask("status", &a.Status),
		ask("check", &a.Check),
		tell("open", &a.Open),
		ask("about", &a.About),
		tell("add", &a.Add),
		tell("list", &a.List),
		ask("questions", &a.Questions),
		tell("year", &a.Year),
		tell("explain", &a.Explain),
		tell("edit", &a.Edit),
		tell("undo", &a.Undo),
		tell("operate", &a.Operate),
		tell("pause", &a.Pause),
		tell("resume", &a.Resume),
		forget("acknowledge", &a.Acknowledge),
		ask("testNotices", &a.TestNotices),
		stream("export", &a.Export),
		tell("moveHistory", &a.MoveHistory),
		copied("backup", &a.Backup),
		tell("resolve", &a.Resolve),
		tell("fix", &a.Fix),
		ask("corrections", &a.Corrections),
		forget("forgetCorrection", &a.ForgetCorrection),
		tell("login", &a.Login),
		ask("pair", &a.Pair),
		ask("clients", &a.Clients),
		tell("addClient", &a.AddClient),
		forget("renameSource", &a.RenameSource),
		forget("revoke", &a.Revoke),
		ask("settings", &a.Settings),
		tell("set", &a.Set),
		ask("reload", &a.Reload),
		forget("ignoreUntitled", &a.IgnoreUntitled),
		ask("findKodi", &a.FindKodi),
		tell("addKodi", &a.AddKodi),
		tell("removeKodi", &a.RemoveKodi),
		tell("importKodi", &a.ImportKodi),
		ask("kodiProgress", &a.KodiProgress),
		upload("addFile", &a.AddFile),
		tell("previewFile", &a.PreviewFile),
		tell("importFile", &a.ImportFile),
		ask("files", &a.Files),
		forget("forgetFile", &a.ForgetFile),
	}
}

// route is one question of an [API].
type route struct {
	name    string
	serve   func(*handler) http.HandlerFunc
	connect func(*Client) // gives the field of the API its function
}

// tell is a route to a question with an argument.
func tell[Q, A any](name string, f *func(context.Context, Q) (A, error)) route {
	return route{name, func(h *handler) http.HandlerFunc {
		return h.answer(func(r *http.Request) (any, error) {
			var q Q
			if err := decode(r.Body, &q); err != nil {
				return nil, err
			}
			return (*f)(r.Context(), q)
		})
	}, func(c *Client) {
		*f = func(ctx context.Context, q Q) (answer A, err error) {
			err = c.call(ctx, name, q, func(body io.Reader) error { return json.NewDecoder(body).Decode(&answer) })
			return answer, err
		}
	}}
}

// ask is a route to a question without one.
func ask[A any](name string, f *func(context.Context) (A, error)) route {
	g := func(ctx context.Context, _ nothing) (A, error) { return (*f)(ctx) }
	r := tell(name, &g)
	return route{name, r.serve, func(c *Client) {
		r.connect(c)
		*f = func(ctx context.Context) (A, error) { return g(ctx, nothing{}) }
	}}
}

// forget is a route to a question without an answer.
func forget[Q any](name string, f *func(context.Context, Q) error) route {
	g := func(ctx context.Context, q Q) (nothing, error) { return nothing{}, (*f)(ctx, q) }
	r := tell(name, &g)
	return route{name, r.serve, func(c *Client) {
		r.connect(c)
		*f = func(ctx context.Context, q Q) error {
			_, err := g(ctx, q)
			return err
		}
	}}
}

// nothing is an argument or an answer without content.
type nothing struct{}

// stream is a route to an answer of any length. An answer that broke off is an error: the
// daemon cuts the connection then.
func stream[Q any](name string, f *func(context.Context, Q, io.Writer) error) route {
	return route{name, func(h *handler) http.HandlerFunc {
		return h.streamed(func(r *http.Request, w io.Writer) error {
			var q Q
			if err := decode(r.Body, &q); err != nil {
				return err
			}
			return (*f)(r.Context(), q, w)
		})
	}, func(c *Client) {
		*f = func(ctx context.Context, q Q, w io.Writer) error {
			return c.call(ctx, name, q, func(body io.Reader) error {
				_, err := io.Copy(w, body)
				return err
			})
		}
	}}
}

// copied is a stream without an argument.
func copied(name string, f *func(context.Context, io.Writer) error) route {
	g := func(ctx context.Context, _ nothing, w io.Writer) error { return (*f)(ctx, w) }
	r := stream(name, &g)
	return route{name, r.serve, func(c *Client) {
		r.connect(c)
		*f = func(ctx context.Context, w io.Writer) error { return g(ctx, nothing{}, w) }
	}}
}
