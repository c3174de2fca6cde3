package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue"
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

// testOptions returns the options of an instance in a new folder. environment contains names and
// values.
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

// opened returns an instance that is open but does not run, until done or the end of the test.
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

// openSandbox starts a tracking service and returns its address.
func openSandbox(t *testing.T) (s *sandbox.Service, base string) {
	t.Helper()
	s, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "box.jsonl")})
	must(t, err)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() { server.Close(); s.Close() })
	return s, server.URL + "/api/v1"
}

func TestLoginNamesTheSettingWithPrecedence(t *testing.T) {
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

// A login with another user's key is refused while entries of the last user wait, except at
// another service, which has other user ids.
func TestLoginOfAnotherUserIsRefused(t *testing.T) {
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
		// Without waiting entries another user's key is accepted.
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

// A stop waits for a library for libraryStopTimeout at most.
func TestStopDoesNotWaitForAHangingLibrary(t *testing.T) {
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		takes time.Duration // after the stop; negative before it
		err   error
		waits time.Duration
		want  error
	}{
		"ends at once":      {0, nil, 0, nil},
		"ends in time":      {time.Second, failed, time.Second, failed},
		"hangs":             {time.Hour, failed, libraryStopTimeout, nil},
		"fails long before": {-time.Hour, failed, 0, failed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &Daemon{core: &core{log: slog.New(slog.DiscardHandler)}}
				ctx, stop := context.WithCancel(t.Context())
				begun := time.Now()
				time.AfterFunc(2*time.Hour, stop)
				err := d.runLibrary(ctx, "kodi:x", func(ctx context.Context) error {
					if c.takes < 0 {
						time.Sleep(2*time.Hour + c.takes)
						return c.err
					}
					<-ctx.Done()
					time.Sleep(c.takes) // it ignores ctx
					return c.err
				})
				took := time.Since(begun) - 2*time.Hour
				if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) || c.takes >= 0 && took != c.waits || c.takes < 0 && took != c.takes {
					t.Errorf("%v after %s", err, took)
				}
				time.Sleep(4 * time.Hour) // all have ended by then
			})
		})
	}
}

// A start removes what a killed process left while writing, and nothing else.
func TestStartRemovesLeftovers(t *testing.T) {
	o := testOptions(t)
	o.Paths.File = filepath.Join(t.TempDir(), "config.toml")
	in := func(folder string, names ...string) (all []string) {
		for _, name := range names {
			file := filepath.Join(folder, name)
			must(t, os.MkdirAll(filepath.Dir(file), 0o700))
			must(t, os.WriteFile(file, nil, 0o600))
			all = append(all, file)
		}
		return all
	}
	left := in(o.Paths.State, ".sessions.json.123", "keys/.default.45", ".copy-6/copy.db", ".settings.toml.78")
	mine := append(in(o.Paths.State, ".hidden", "pages.2", ".filmspool.db-litestream/x"), in(filepath.Dir(o.Paths.File), ".other.toml.9")...)
	opened(t, o)
	for there, files := range map[bool][]string{false: left, true: mine} {
		for _, file := range files {
			if _, err := os.Stat(file); (err == nil) != there {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// The control socket is accessible to the owner of the state folder, and to the group if it is in
// a folder of its own, as for a machine-wide service.
func TestControlSocketMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are lists there")
	}
	for folder, want := range map[string]fs.FileMode{"": 0o600, t.TempDir(): 0o660} {
		o := testOptions(t)
		if folder != "" {
			o.Paths.Control = filepath.Join(folder, "s")
		}
		_, done := opened(t, o)
		if info, err := os.Stat(o.Paths.Control); err != nil || info.Mode().Perm() != want {
			t.Errorf("%v, %v; want %o", info, err, want)
		}
		done()
	}
}

// The watchdog gets no notification while the queue's writer is stuck, and gets them again
// afterwards.
func TestStuckQueueStopsWatchdogNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every = 90 * time.Second
		var stuck atomic.Bool
		alive := func(ctx context.Context) error {
			if stuck.Load() {
				<-ctx.Done()
			}
			return ctx.Err()
		}
		var signs atomic.Int64
		d := &Daemon{core: &core{log: slog.New(slog.DiscardHandler)}}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			d.feedWatchdog(ctx, every, alive, func() error { signs.Add(1); return nil })
		}()
		pass := func(beats int) {
			time.Sleep(time.Duration(beats) * every)
			synctest.Wait()
		}
		if pass(3); signs.Load() != 3 {
			t.Errorf("%d signs of life in three beats", signs.Load())
		}
		stuck.Store(true)
		if pass(4); signs.Load() != 3 {
			t.Errorf("%d signs of life while a part was stuck", signs.Load()-3)
		}
		stuck.Store(false)
		if pass(3); signs.Load() < 5 {
			t.Errorf("%d signs of life after it moved again", signs.Load()-3)
		}
		stop()
		<-ended
	})
}

// addFilm adds a viewing through the API.
func addFilm(t *testing.T, d *Daemon, id string) queue.Entry {
	t.Helper()
	e, err := d.Control().Add(t.Context(), viewing.Event{
		Kind: viewing.KindViewing, EventID: id, Count: 1, WatchedAt: viewing.At(time.Now().Add(-time.Hour)),
		Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}},
	})
	must(t, err)
	return e
}
