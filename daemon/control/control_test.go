package control_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// fixed answers every question with what it holds, or with err.
type fixed struct {
	err   error
	asked []any  // what it was asked with
	text  string // what it exports
}

// api is the fixed answers, all of them.
func (f *fixed) api() control.API {
	return control.API{
		Status: f.Status, Add: f.Add, List: f.List, Explain: f.Explain, Edit: f.Edit, Undo: f.Undo, Operate: f.Operate,
		Pause: f.Pause, Resume: f.Resume, Acknowledge: f.Acknowledge, Export: f.Export, Backup: f.Backup,
		Resolve: f.Resolve, Login: f.Login, Pair: f.Pair, Clients: f.Clients, AddClient: f.AddClient, Revoke: f.Revoke,
		ImportKodi: f.ImportKodi, KodiProgress: f.KodiProgress,
	}
}

func (f *fixed) Status(context.Context) (control.Status, error) {
	return control.Status{State: account.OK, Accounts: []control.Account{}, Sources: []control.Source{}}, f.err
}

func (f *fixed) Add(_ context.Context, v viewing.Event) (entry.Entry, error) {
	f.asked = append(f.asked, v)
	return entry.Entry{ID: 7}, f.err
}

func (f *fixed) List(_ context.Context, q entry.Filter) ([]entry.Entry, error) {
	f.asked = append(f.asked, q)
	return []entry.Entry{{ID: 1}}, f.err
}

func (f *fixed) Explain(_ context.Context, id int64) (control.Explanation, error) {
	f.asked = append(f.asked, id)
	return control.Explanation{Explanation: entry.Explanation{Entry: entry.Entry{ID: id}}}, f.err
}

func (f *fixed) Login(_ context.Context, l control.Login) (control.LoginResult, error) {
	f.asked = append(f.asked, l)
	return control.LoginResult{Account: l.Account, Proven: true}, f.err
}

func (f *fixed) Resolve(_ context.Context, w control.Wanted) (control.Resolution, error) {
	f.asked = append(f.asked, w)
	return control.Resolution{By: "none"}, f.err
}

func (f *fixed) ImportKodi(_ context.Context, o control.KodiImport) (control.KodiImported, error) {
	f.asked = append(f.asked, o)
	return control.KodiImported{DryRun: o.DryRun, NeedsYes: true}, f.err
}

func (f *fixed) KodiProgress(context.Context) ([]control.KodiProgress, error) {
	return []control.KodiProgress{{Done: 3, Total: 5}}, f.err
}

func (f *fixed) Pair(context.Context) (control.PairingCode, error) {
	return control.PairingCode{Code: "ABCD2345", ExpiresAt: time.Unix(120, 0).UTC()}, f.err
}

func (f *fixed) Clients(context.Context) ([]control.ClientInfo, error) {
	return []control.ClientInfo{{ID: "c/1"}}, f.err
}

func (f *fixed) AddClient(_ context.Context, p control.NewProgram) (control.AddedClient, error) {
	f.asked = append(f.asked, p)
	return control.AddedClient{ID: "p1", Kind: viewing.SourceProgram, Label: p.Label, Token: "t"}, f.err
}

func (f *fixed) Revoke(_ context.Context, id string) error {
	f.asked = append(f.asked, id)
	return f.err
}

func (f *fixed) Acknowledge(_ context.Context, id int64) error {
	f.asked = append(f.asked, id)
	return f.err
}

func (f *fixed) Operate(_ context.Context, o control.Order) (entry.Changed, error) {
	f.asked = append(f.asked, o)
	return entry.Changed{Verb: o.Verb, Changed: 3}, f.err
}

func (f *fixed) Edit(_ context.Context, e control.Edit) (entry.Entry, error) {
	f.asked = append(f.asked, e)
	return entry.Entry{ID: e.ID}, f.err
}

func (f *fixed) Undo(_ context.Context, u control.Undo) (control.Undone, error) {
	f.asked = append(f.asked, u)
	return control.Undone{Entry: entry.Entry{ID: u.ID}, DryRun: u.DryRun, Removed: true}, f.err
}

func (f *fixed) Export(_ context.Context, w io.Writer) error {
	if _, err := io.WriteString(w, f.text); err != nil {
		return err
	}
	return f.err
}

func (f *fixed) Backup(ctx context.Context, w io.Writer) error {
	f.asked = append(f.asked, "backup")
	return f.Export(ctx, w)
}

func (f *fixed) Pause(_ context.Context, p control.Pause) ([]control.Account, error) {
	f.asked = append(f.asked, "pause "+p.Account)
	return []control.Account{{Name: p.Account, State: account.Paused}}, f.err
}

func (f *fixed) Resume(_ context.Context, p control.Pause) ([]control.Account, error) {
	f.asked = append(f.asked, "resume "+p.Account)
	return []control.Account{{Name: p.Account, State: account.OK}}, f.err
}

// serve is a client of a server that answers with f.
func serve(t *testing.T, f *fixed) *control.Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := control.Listen(path, 0o600)
	must(t, err)
	server := &http.Server{Handler: control.Handler(f.api(), slog.New(slog.DiscardHandler))}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	c, err := control.Dial(t.Context(), path)
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestEveryQuestionArrivesAsItWasAsked(t *testing.T) {
	f := &fixed{}
	c := serve(t, f)
	ctx := t.Context()
	v := viewing.Event{Kind: viewing.KindViewing, EventID: "e", WatchedAt: viewing.At(time.Unix(1, 0).UTC())}
	e, err := c.Add(ctx, v)
	must(t, err)
	list, err := c.List(ctx, entry.Filter{State: "held", Limit: 3})
	must(t, err)
	x, err := c.Explain(ctx, 5)
	must(t, err)
	l, err := c.Login(ctx, control.Login{Account: "a", Key: "sk_1"})
	must(t, err)
	code, err := c.Pair(ctx)
	must(t, err)
	clients, err := c.Clients(ctx)
	must(t, err)
	added, err := c.AddClient(ctx, control.NewProgram{Label: "Plex & co"})
	must(t, err)
	must(t, c.Revoke(ctx, "c/1"))
	must(t, c.Acknowledge(ctx, 9))
	if e.ID != 7 || len(list) != 1 || x.ID != 5 || !l.Proven || code.Code != "ABCD2345" || clients[0].ID != "c/1" || added.Token != "t" {
		t.Errorf("answers: %+v %+v %+v %+v %+v %+v %+v", e, list, x, l, code, clients, added)
	}
	want := []any{v, entry.Filter{State: "held", Limit: 3}, int64(5), control.Login{Account: "a", Key: "sk_1"}, control.NewProgram{Label: "Plex & co"}, "c/1", int64(9)}
	if diff := cmp.Diff(want, f.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestEveryOrderArrivesAsItWasGiven(t *testing.T) {
	f := &fixed{}
	c := serve(t, f)
	ctx := t.Context()
	orders := []control.Order{
		{Verb: control.Retry, Selection: entry.Selection{IDs: []int64{1, 2}, MayDouble: true}, DryRun: true},
		{Verb: control.Settle, Selection: entry.Selection{IDs: []int64{5}}, As: "delivered"},
		{Verb: control.Drop, Selection: entry.Selection{All: true, Filter: entry.Filter{
			State: "held", Reason: "bulk", Account: "a b", Source: "kodi:/home/me", Kind: viewing.KindList, Before: time.Unix(9, 0).UTC(),
		}}},
	}
	for _, o := range orders {
		did, err := c.Operate(ctx, o)
		must(t, err)
		if did.Verb != o.Verb || did.Changed != 3 {
			t.Errorf("%s: %+v", o.Verb, did)
		}
	}
	at := viewing.At(time.Unix(1, 0).UTC())
	edit := control.Edit{ID: 4, Edit: entry.Edit{Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}, WatchedAt: at, DryRun: true}}
	edited, err := c.Edit(ctx, edit)
	must(t, err)
	must(t, c.Backup(ctx, io.Discard))
	undone, err := c.Undo(ctx, control.Undo{ID: 6, DryRun: true})
	must(t, err)
	paused, err := c.Pause(ctx, control.Pause{Account: "a"})
	must(t, err)
	resumed, err := c.Resume(ctx, control.Pause{})
	must(t, err)
	past := control.KodiImport{DryRun: true, Since: time.Unix(7, 0).UTC(), Yes: true}
	imported, err := c.ImportKodi(ctx, past)
	must(t, err)
	progress, err := c.KodiProgress(ctx)
	must(t, err)
	if !imported.DryRun || !imported.NeedsYes || len(progress) != 1 || progress[0].Total != 5 {
		t.Errorf("answers: %+v %+v", imported, progress)
	}
	filter := entry.Filter{State: "held", Account: "a b", Source: "browser:x&y", Kind: viewing.KindViewing, Reason: "bulk", Words: "a & b", Item: "m", Limit: 2, Below: 4, ByTime: true, Past: entry.Place{At: 1, ID: 2}}
	_, err = c.List(ctx, filter)
	must(t, err)
	if edited.ID != 4 || undone.ID != 6 || !undone.DryRun || paused[0].State != account.Paused || resumed[0].State != account.OK {
		t.Errorf("answers: %+v %+v %+v %+v", edited, undone, paused, resumed)
	}
	want := []any{orders[0], orders[1], orders[2], edit, "backup", control.Undo{ID: 6, DryRun: true}, "pause a", "resume ", past, filter}
	if diff := cmp.Diff(want, f.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestExportsOfAnySize(t *testing.T) {
	f := &fixed{text: strings.Repeat(strings.Repeat("x", 99)+"\n", 10_000)}
	c := serve(t, f)
	var out strings.Builder
	must(t, c.Export(t.Context(), &out))
	if out.String() != f.text {
		t.Errorf("%d bytes came of %d", out.Len(), len(f.text))
	}
	f.text = ""
	out.Reset()
	must(t, c.Export(t.Context(), &out))
	if out.Len() != 0 {
		t.Errorf("an empty export is %q", out.String())
	}
}

// TestBrokenExportIsNoWholeOne: half an export must never pass for one.
func TestBrokenExportIsNoWholeOne(t *testing.T) {
	for name, text := range map[string]string{"before the first line": "", "after it": "{}\n", "later": strings.Repeat("{}\n", 1e5)} {
		c := serve(t, &fixed{text: text, err: errors.New("disk trouble")})
		if err := c.Export(t.Context(), io.Discard); err == nil {
			t.Errorf("broken %s, and no error", name)
		}
		if err := c.Backup(t.Context(), io.Discard); err == nil {
			t.Errorf("a copy broken %s, and no error", name)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFaultsKeepCodeMessageAndHint(t *testing.T) {
	want := &control.Fault{Code: control.CodeNotFound, Message: viewing.Say("fault.noEntry", "id", "5"), Hint: control.Command("filmspool diary")}
	c := serve(t, &fixed{err: want})
	_, err := c.Explain(t.Context(), 5)
	var got *control.Fault
	if !errors.As(err, &got) || cmp.Diff(want, got) != "" {
		t.Errorf("got %#v", err)
	}
	if !errors.Is(err, &control.Fault{Code: control.CodeNotFound}) || errors.Is(err, &control.Fault{Code: control.CodeInvalid}) {
		t.Error("faults do not match by code")
	}
}

func TestBadRequestsAreRefusedAndSaidWhy(t *testing.T) {
	h := control.Handler((&fixed{}).api(), slog.New(slog.DiscardHandler))
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"/v1/status", "", 200},
		{"/v1/explain", `"x"`, 400},
		{"/v1/add", `{"kind":"viewing"} {}`, 400},
		{"/v1/add", `{"kond":"viewing"}`, 400},
		{"/v1/add", `[`, 400},
		{"/v1/add", `{"eventId":"` + strings.Repeat("x", 2<<20) + `"}`, 400},
		{"/v1/login", `{"key":"sk_secret",}`, 400},
		{"/v1/none", "", 404},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", c.path, strings.NewReader(c.body)))
		if text := w.Body.String(); w.Code != c.status || (c.status != 200) != strings.Contains(text, `"message":`) || strings.Contains(text, "sk_secret") {
			t.Errorf("%s: %d %s", c.path, w.Code, text)
		}
	}
}

// TestEveryQuestionHasARoute: a field of the API that is in no line of the
// table would be nil for a client.
func TestEveryQuestionHasARoute(t *testing.T) {
	c := serve(t, &fixed{})
	api := reflect.ValueOf(c.API)
	for i := range api.NumField() {
		if api.Field(i).IsNil() {
			t.Errorf("%s has no route", api.Type().Field(i).Name)
		}
	}
}
