package control_test

import (
	"context"
	"encoding/json"
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
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve returns a client of a server with this API.
func serve(t *testing.T, api control.API) *control.Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := control.Listen(path, 0o600)
	must(t, err)
	server := &http.Server{Handler: control.Handler(api, slog.New(slog.DiscardHandler))}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	c, err := control.Dial(t.Context(), path)
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

// fill sets every field of a value.
func fill(v reflect.Value, depth int) {
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Unix(1_700_000_000, 0).UTC()
		return
	case *viewing.Instant:
		*at = viewing.At(time.Unix(1_700_000_000, 0).UTC())
		return
	case *any:
		*at = "any"
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(`a "b" & <c>`)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if depth < 8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth+1)
		}
	case reflect.Pointer:
		if depth < 8 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	}
}

// text returns the JSON encoding of a value.
func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	must(t, err)
	return string(out)
}

// Every call transfers its parameters, and its result or fault.
func TestEveryCallIsTransferred(t *testing.T) {
	fault := &control.Fault{Code: control.CodeNotFound, Message: viewing.Say("fault.noEntry", "id", "5"), Hint: control.Command("filmspool diary")}
	var api control.API
	var asked, answer reflect.Value
	failing := false
	for _, f := range reflect.ValueOf(&api).Elem().Fields() {
		f.Set(reflect.MakeFunc(f.Type(), func(in []reflect.Value) []reflect.Value {
			out := []reflect.Value{reflect.Zero(reflect.TypeFor[error]())}
			if failing {
				out[0] = reflect.ValueOf(fault).Convert(reflect.TypeFor[error]())
			}
			if len(in) > 1 {
				asked = in[1]
			}
			if f.Type().NumOut() == 1 {
				return out
			}
			answer = reflect.New(f.Type().Out(0)).Elem()
			fill(answer, 0)
			return append([]reflect.Value{answer}, out...)
		}))
	}
	c := serve(t, api)
	for f, ask := range reflect.ValueOf(&c.API).Elem().Fields() {
		if ask.IsNil() {
			t.Errorf("%s has no route", f.Name)
			continue
		}
		in := []reflect.Value{reflect.ValueOf(t.Context())}
		for i := 1; i < f.Type.NumIn(); i++ {
			question := reflect.New(f.Type.In(i)).Elem()
			switch question.Type() {
			case reflect.TypeFor[io.Writer]():
				question.Set(reflect.ValueOf(io.Discard))
			case reflect.TypeFor[io.Reader]():
				question.Set(reflect.ValueOf(strings.NewReader("content")))
			default:
				fill(question, 0)
			}
			in = append(in, question)
		}
		for _, failing = range []bool{false, true} {
			out := ask.Call(in)
			err, _ := out[len(out)-1].Interface().(error)
			var got *control.Fault
			if errors.As(err, &got) != failing || failing && cmp.Diff(fault, got) != "" {
				t.Errorf("%s fails with %#v", f.Name, err)
			}
			if len(in) > 1 && in[1].Type() != reflect.TypeFor[io.Writer]() {
				if !reflect.DeepEqual(in[1].Interface(), asked.Interface()) {
					t.Errorf("%s was asked %+v, want %+v", f.Name, asked, in[1])
				}
			}
			if len(out) > 1 && !failing {
				if diff := cmp.Diff(text(t, answer.Interface()), text(t, out[0].Interface())); diff != "" {
					t.Errorf("%s was answered: %s", f.Name, diff)
				}
			}
		}
	}
	if !errors.Is(fault, &control.Fault{Code: control.CodeNotFound}) || errors.Is(fault, &control.Fault{Code: control.CodeInvalid}) {
		t.Error("faults do not match by code")
	}
}

// An interrupted export of any size returns an error.
func TestInterruptedExportIsAnError(t *testing.T) {
	for name, text := range map[string]string{"before the first line": "", "after it": "{}\n", "later": strings.Repeat("{}\n", 1e5)} {
		var err error // a disk error after the text
		give := func(_ context.Context, w io.Writer) error {
			_, _ = io.WriteString(w, text)
			return err
		}
		c := serve(t, control.API{Backup: give, Export: func(ctx context.Context, e control.Export, w io.Writer) (control.Exported, error) {
			if e.Form != "csv" || e.Words != "alpha" {
				t.Errorf("asked for %+v", e)
			}
			return control.Exported{LeftOut: 2}, give(ctx, w)
		}})
		export := func(ctx context.Context, w io.Writer) error {
			did, err := c.Export(ctx, control.Export{Form: "csv", Filter: entry.Filter{Words: "alpha"}}, w)
			if err == nil && did.LeftOut != 2 {
				t.Errorf("%d were left out", did.LeftOut)
			}
			return err
		}
		for what, take := range map[string]func(context.Context, io.Writer) error{"export": export, "copy": c.Backup} {
			var out strings.Builder
			err = nil
			if err := take(t.Context(), &out); err != nil || out.String() != text {
				t.Errorf("%d bytes of %s came of %d: %v", out.Len(), what, len(text), err)
			}
			if err = errors.New("disk trouble"); take(t.Context(), io.Discard) == nil {
				t.Errorf("%s broken %s, and no error", what, name)
			}
		}
	}
}

func TestBadRequestsAreExplained(t *testing.T) {
	h := control.Handler(control.API{
		Status: func(context.Context) (control.Status, error) { return control.Status{}, nil },
	}, slog.New(slog.DiscardHandler))
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
