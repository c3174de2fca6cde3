package daemon

import (
	"errors"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testOptions is an instance in a folder of its own; environment holds pairs.
func testOptions(t testing.TB, environment ...string) Options {
	t.Helper()
	dir := t.TempDir()
	c := config.Default()
	c.Listen = "127.0.0.1:0"
	c.Accounts = map[string]config.Account{"default": {KeyHeader: "x-api-key"}}
	return Options{
		Config: c, Version: "test", Logger: slog.New(slog.DiscardHandler),
		Paths: config.Paths{State: dir, File: filepath.Join(dir, "config.toml"), Control: filepath.Join(dir, "s")},
		Getenv: func(name string) string {
			for i := 0; i < len(environment); i += 2 {
				if environment[i] == name {
					return environment[i+1]
				}
			}
			return ""
		},
	}
}

// opened is an instance that does not run yet, until done or the end of the test.
func opened(t *testing.T, o Options) (d *Daemon, done func()) {
	t.Helper()
	p, err := newProcess(t.Context(), o.Paths)
	must(t, err)
	if d, err = newDaemon(t.Context(), o, p); err != nil {
		t.Fatal(errors.Join(err, p.close()))
	}
	done = sync.OnceFunc(func() {
		if err := errors.Join(d.Close(), p.close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(done)
	return d, done
}

// openSandbox is a tracking service and its address.
func openSandbox(t *testing.T) (s *sandbox.Service, base string) {
	t.Helper()
	s, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "box.jsonl")})
	must(t, err)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() { server.Close(); s.Close() })
	return s, server.URL + "/api/v1"
}

func TestLoginNamesTheStrongerSource(t *testing.T) {
	box, base := openSandbox(t)
	credentials := t.TempDir()
	must(t, config.WriteFile(filepath.Join(credentials, "api-key"), []byte(box.SecretKey())))
	cases := []struct {
		name string
		env  []string
		set  string // base_url in the configuration
		l    control.Login
		want string
	}{
		{"unknown account", nil, "", control.Login{Account: "other"}, `no account other`},
		{"no address", nil, "", control.Login{Account: "default", Key: box.SecretKey()}, "no service is known"},
		{"address in the configuration", nil, "https://tracker.example/api/v1", control.Login{Account: "default", BaseURL: base}, "config.toml"},
		{"credential", []string{"CREDENTIALS_DIRECTORY", credentials}, "", control.Login{Account: "default", BaseURL: base}, "systemd credential"},
		{"refused key", nil, "", control.Login{Account: "default", BaseURL: base, Key: "sk_wrong"}, "key"},
		{"good key", nil, base, control.Login{Account: "default", Key: box.SecretKey()}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := testOptions(t, c.env...)
			o.Config.Accounts["default"] = config.Account{BaseURL: c.set, KeyHeader: "x-api-key"}
			err := Offline(t.Context(), o, func(ctl control.API) error {
				_, err := ctl.Login(t.Context(), c.l)
				return err
			})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(locale.In("").Error(err), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "sk_wrong") {
				t.Errorf("the key shows in %v", err)
			}
		})
	}
}

// TestLoginOfSomebodyElseIsRefused while something of the last person waits. Another service
// has other ids for users: they prove nothing.
func TestLoginOfSomebodyElseIsRefused(t *testing.T) {
	box, base := openSandbox(t)
	other, there := openSandbox(t)
	o := testOptions(t)
	keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
	must(t, keys.Save(config.Credential{Account: "default", BaseURL: base, Key: config.NewSecret("sk_old"), UserID: "alice", UserName: "Alice"}))
	err := Offline(t.Context(), o, func(ctl control.API) error {
		e, err := ctl.Add(t.Context(), viewing.Event{Kind: viewing.KindList, EventID: "e1", List: &viewing.List{Name: "Alice's"}})
		if err != nil {
			return err
		}
		_, err = ctl.Login(t.Context(), control.Login{Account: "default", Key: box.SecretKey()})
		if !errors.Is(err, &control.Fault{Code: control.CodeRefused}) || !strings.Contains(err.Error(), "Alice") {
			t.Errorf("got %v", err)
		}
		// Once nothing of hers waits, there is nothing to guard.
		if _, err := ctl.Operate(t.Context(), entry.Order{Verb: entry.VerbDrop, Selection: entry.Selection{IDs: []int64{e.ID}}}); err != nil {
			return err
		}
		if _, err := ctl.Login(t.Context(), control.Login{Account: "default", Key: box.SecretKey()}); err != nil {
			return err
		}
		if _, err := ctl.Add(t.Context(), viewing.Event{Kind: viewing.KindList, EventID: "e2", List: &viewing.List{Name: "Mine"}}); err != nil {
			return err
		}
		_, err = ctl.Login(t.Context(), control.Login{Account: "default", BaseURL: there, Key: other.SecretKey()})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
