package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/connectortest"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/viewing"
)

// served runs an instance with this configuration file until the test ends and returns the
// options for its clients.
func served(t *testing.T, text string, environment ...string) Options {
	t.Helper()
	return servedBy(t, slog.New(slog.DiscardHandler), text, environment...)
}

func servedBy(t *testing.T, log *slog.Logger, text string, environment ...string) Options {
	t.Helper()
	o := testOptions(t, environment...)
	o.Logger = log
	o.Source = &config.Source{Paths: o.Paths, Getenv: o.Getenv}
	must(t, os.WriteFile(o.Paths.File, []byte(text), 0o600))
	var err error
	if o.Config, err = o.Source.Load(); err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan string, 1), make(chan error, 1)
	o.Ready = func(address string) { ready <- address }
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- Serve(ctx, o) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(o.Paths.Control); err == nil {
			t.Error("the socket stays")
		}
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatalf("ended before it was ready: %v", err)
	}
	return o
}

func set(key string, value any) func(control.API) error {
	return func(ctl control.API) error {
		_, err := ctl.Set(context.Background(), control.Set{Key: key, Value: value})
		return err
	}
}

// find returns the address of an instance and a client of it.
func find(t *testing.T, o Options) (address string, c *control.Client) {
	t.Helper()
	c, err := Connect(t.Context(), o.Paths)
	must(t, err)
	t.Cleanup(c.Close)
	s, err := c.Status(t.Context())
	must(t, err)
	return s.Listen, c
}

// whenLogged calls do when a message is logged.
type whenLogged struct {
	slog.Handler
	message string
	do      func()
}

func (h whenLogged) Enabled(context.Context, slog.Level) bool { return true }

func (h whenLogged) Handle(_ context.Context, r slog.Record) error {
	if r.Message == h.message {
		h.do()
	}
	return nil
}

func (h whenLogged) WithAttrs([]slog.Attr) slog.Handler { return h }

// A reload during a request keeps the port and the browsers' sockets, refuses no connection, and
// each viewing arrives once.
func TestReloadDuringARequest(t *testing.T) {
	box, _ := openSandbox(t)
	t.Cleanup(func() { // after the instance has ended
		if records, err := box.Records(context.Background()); err != nil || len(records.History) != 2 {
			t.Errorf("%v: recorded %+v", err, records.History)
		}
	})
	sent, changing := make(chan struct{}, 10), make(chan struct{})
	first := sync.OnceFunc(func() {
		sent <- struct{}{}
		<-changing // the service is slow during the reload
	})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isViewing := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/history")
		if isViewing {
			first()
		}
		box.Handler().ServeHTTP(w, r)
		if isViewing {
			sent <- struct{}{}
		}
	}))
	t.Cleanup(service.Close)
	change := sync.OnceFunc(func() { close(changing) })
	o := servedBy(t, slog.New(whenLogged{slog.DiscardHandler, "the configuration has changed, and is put to use", change}),
		"# mine\nlisten = '127.0.0.1:0'\n[accounts.default]\nbase_url = '"+service.URL+"/api/v1'\n", "FILMSPOOL_KEY", box.SecretKey())
	before, c := find(t, o)
	browser := func(id, token string) *connectortest.Client {
		b, err := connectortest.Dial(t.Context(), connectortest.Options{
			URL: "ws://" + before + "/v1/connector", Origin: theExtension, Info: protocol.ClientInfo{Name: "mine", Version: "1"}, ClientID: id, Token: token,
		})
		must(t, err)
		t.Cleanup(func() { _ = b.Close() })
		return b
	}
	tell := func(b *connectortest.Client, n int) {
		_, err := b.Viewing(t.Context(), protocol.Viewing{
			ID: fmt.Sprintf("0d8f8f0c-0f0a-4f52-9a55-3d5a1c2b3c4%d", n), WatchedAt: fmt.Sprintf("2026-03-0%dT20:15:00Z", n),
			Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(600 + n)}},
		})
		must(t, err)
	}
	code, err := c.Pair(t.Context())
	must(t, err)
	b := browser("", "")
	id, token, err := b.Pair(t.Context(), code.Text, "mine")
	must(t, err)
	tell(b, 1)
	<-sent

	dialing, stop := context.WithCancel(t.Context())
	refused := make(chan error, 1)
	go func() { refused <- dial(dialing, before) }()
	if running, err := ChangeSettings(t.Context(), o, set("burst", 7)); err != nil || !running {
		t.Fatalf("changed: %v %v", running, err)
	}
	stop()
	if err := <-refused; err != nil {
		t.Errorf("somebody was refused meanwhile: %v", err)
	}
	after, c := find(t, o)
	if after != before {
		t.Errorf("it was %v and is %v", before, after)
	}
	now, err := c.Settings(t.Context())
	if err != nil || len(now.Problem) > 0 {
		t.Errorf("%v: %+v", err, now)
	}
	for _, s := range now.Settings {
		if s.Key == "burst" && (s.Value != 7.0 || s.From != o.Paths.Settings()) {
			t.Errorf("it is told as %+v", s)
		}
	}
	<-b.Done()
	<-sent
	tell(browser(id, token), 2)
	<-sent
}

// dial opens connections one after the other until ctx ends, and returns an error if one was
// refused.
func dial(ctx context.Context, address string) error {
	for ctx.Err() == nil {
		conn, err := net.DialTimeout("tcp", address, 10*time.Second)
		if err != nil {
			return err
		}
		fmt.Fprintf(conn, "GET /healthz HTTP/1.0\r\nHost: %s\r\n\r\n", address)
		_, _ = io.Copy(io.Discard, conn) // until the answer is complete
		conn.Close()
	}
	return nil
}

// If the new configuration does not start, the previous one is used again and the status says so.
func TestFailedReloadRestoresPreviousConfiguration(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	o := served(t, "listen = '127.0.0.1:0'\n")
	before, _ := find(t, o)
	must(t, os.WriteFile(o.Paths.File, []byte("listen = '"+taken.Addr().String()+"'\n"), 0o600))
	err = Reload(t.Context(), o)
	if !errors.Is(err, &control.Fault{Code: control.CodeRefused}) || !strings.Contains(locale.In("").Error(err), taken.Addr().String()+" is in use by") {
		t.Errorf("taken in: %v", err)
	}
	after, c := find(t, o)
	if after == taken.Addr().String() {
		t.Errorf("it is at %s, and was at %s", after, before)
	}
	if now, err := c.Settings(t.Context()); err != nil || len(now.Problem) == 0 {
		t.Errorf("%v: it does not say so: %+v", err, now)
	}
	must(t, os.WriteFile(o.Paths.File, []byte("wav = 7\n"), 0o600))
	if err := Reload(t.Context(), o); !errors.Is(err, &control.Fault{Code: control.CodeInvalid}) {
		t.Errorf("a mistake: %v", err)
	}
	if now, err := c.Settings(t.Context()); err != nil || !strings.Contains(fmt.Sprint(now.Problem), "wav") {
		t.Errorf("%v: after a mistake it does not say so: %+v", err, now)
	}
	for _, text := range []string{"listen = '127.0.0.1:0'\n", "listen = '127.0.0.1:0' # again\nburst = 7\n"} {
		must(t, os.WriteFile(o.Paths.File, []byte(text), 0o600))
		if err := Reload(t.Context(), o); err != nil {
			t.Errorf("mended: %v", err)
		}
	}
}

// A change during an export or a backup is refused, and the file stays unchanged.
func TestReloadIsRefusedDuringAJob(t *testing.T) {
	b := runDaemon(t, func(o *Options) {
		o.Source = &config.Source{Paths: o.Paths, Getenv: o.Getenv}
	})
	ctl, tried := b.d.Control(), 0
	try := func() {
		tried++
		if err := set("burst", 7)(ctl); !errors.Is(err, &control.Fault{Code: control.CodeBusy}) {
			t.Errorf("a change: %v", err)
		}
	}
	addFilm(t, b.d, "e1")
	export := func(ctx context.Context, w io.Writer) error {
		_, err := ctl.Export(ctx, control.Export{}, w)
		return err
	}
	for what, give := range map[string]func(context.Context, io.Writer) error{"export": export, "backup": ctl.Backup} {
		if err := give(t.Context(), writeFunc(func(p []byte) (int, error) { try(); return len(p), nil })); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if tried < 2 {
		t.Errorf("tried %d times", tried)
	}
	if _, err := os.Stat(b.d.o.Paths.File); err == nil {
		t.Error("a file was made")
	}
	if err := set("burst", 7)(ctl); err != nil {
		t.Errorf("when all has ended: %v", err)
	}
}

type writeFunc func([]byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

// Settings of an instance without a configuration file cannot be changed.
func TestInstanceWithoutFileCannotBeChanged(t *testing.T) {
	b := runDaemon(t, nil)
	for what, err := range map[string]error{
		"set":    set("burst", 7)(b.d.Control()),
		"reload": b.d.Control().Reload(t.Context()),
	} {
		if !errors.Is(err, &control.Fault{Code: control.CodeRefused}) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := os.Stat(b.d.o.Paths.Settings()); err == nil {
		t.Error("a file was made")
	}
}

// Concurrent changes of settings are all kept.
func TestConcurrentChangesAreKept(t *testing.T) {
	o := served(t, "listen = '127.0.0.1:0'\n")
	_, c := find(t, o)
	for round := range 3 {
		var all sync.WaitGroup
		var done sync.Map
		for key, value := range map[string]any{"burst": 10 + round, "replay.rate": 20 + round, "replay.backfill_rate": 1 + round} {
			all.Go(func() {
				if _, err := c.Set(t.Context(), control.Set{Key: key, Value: value}); err == nil {
					done.Store(key, fmt.Sprint(value))
				}
			})
		}
		all.Wait()
		now, err := o.Source.Load()
		must(t, err)
		for _, s := range now.Settings() {
			if value, told := done.Load(s.Key); told && fmt.Sprint(s.Value) != value {
				t.Errorf("%s is %v, and was told to be %v", s.Key, s.Value, value)
			}
		}
	}
}

// The webhook can be set and tested on the page, and an invalid value is explained.
func TestWebhookOnThePage(t *testing.T) {
	posted := make(chan string, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, _ := io.ReadAll(r.Body); r.URL.Path == "/topic" {
			posted <- string(text)
		} else {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(hook.Close)
	o := served(t, "listen = '127.0.0.1:0'\n[notices]\ndesktop = false\n")
	address, c := find(t, o)
	s := signIn(&runningDaemon{T: t}, c.API, address)
	give := func(key, value string) string {
		return s.send("/settings/set", url.Values{"in": {"notices." + key}, "value.notices." + key: {value}})
	}
	failed := func(want string) {
		t.Helper()
		answer, text := s.ask("POST", "/settings/try", nil)
		if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, want) {
			t.Errorf("tried, and %q is not told: %s\n%s", want, answer.Status, text)
		}
	}
	failed("Notices are off")

	give("webhook.url", hook.URL+"/topic")
	if text := s.send("/settings/try", nil); !strings.Contains(text, "Webhook: a test was sent") {
		t.Errorf("tried:\n%s", text)
	}
	if text := <-posted; !strings.Contains(text, "Filmspool") {
		t.Errorf("posted %q", text)
	}
	give("webhook.url", hook.URL+"/closed")
	failed("Webhook: the test failed: the webhook answered 403")
	give("webhook.url", "")
	failed("Notices are off")

	token := filepath.Join(o.Paths.State, "keys", "webhook-token")
	must(t, errors.Join(os.MkdirAll(filepath.Dir(token), 0o700), os.WriteFile(token, []byte("tk_secret\n"), 0o600)))
	answer, text := s.ask("POST", "/settings/set", url.Values{"in": {"notices.webhook.url"}, "value.notices.webhook.url": {hook.URL + "/topic"}})
	if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, "would go to the new address") || strings.Contains(text, "tk_secret") {
		t.Errorf("a token goes to another address: %s\n%s", answer.Status, text)
	}
	s.send("/settings/set", url.Values{"in": {"notices.webhook.url"}, "reset": {"notices.webhook.url"}}) // removing the address is allowed

	answer, text = s.ask("POST", "/settings/set", url.Values{"in": {"notices.webhook.url", "hold"}, "value.notices.webhook.url": {"http://ntfy.example/topic"}, "value.hold": {"all"}})
	if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, "notices.webhook.url") {
		t.Errorf("a wrong address: %s\n%s", answer.Status, text)
	}
	if !strings.Contains(text, `value="http://ntfy.example/topic"`) || !strings.Contains(text, `aria-invalid="true"`) || !strings.Contains(text, `<option value="all" selected>`) {
		t.Errorf("what was typed is lost, or its fault is not at the field:\n%s", text)
	}
	if text, err := os.ReadFile(o.Paths.Settings()); err != nil || strings.Contains(string(text), "url") || !strings.Contains(string(text), "hold") {
		t.Errorf("the file is %s (%v)", text, err)
	}
}
