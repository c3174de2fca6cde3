package daemon

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/nudge"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// offlineDaemon runs the queue and the one account of a daemon whose service
// nobody has started yet; start does.
func offlineDaemon(t *testing.T, test func(ctx context.Context, d *Daemon, start func())) {
	t.Helper()
	box, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "box.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := hole.Addr().String()
	hole.Close() // from now on connections are refused
	start := func() {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server := &httptest.Server{Listener: l, Config: &http.Server{Handler: box.Handler()}}
		server.Start()
		t.Cleanup(server.Close)
	}
	o := testOptions(t, "FILMSPOOL_KEY", box.SecretKey())
	o.Config.Accounts["default"] = config.Account{BaseURL: "http://" + address + "/api/v1", KeyHeader: "x-api-key"}
	d, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.withQueue(t.Context(), func(ctx context.Context) error {
		if err := d.openAccounts(ctx); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- d.accounts[0].loop.Run(ctx) }()
		test(ctx, d, start)
		cancel()
		return <-ended
	})
	if err != nil {
		t.Fatal(err)
	}
}

// addFilm adds a viewing as a person would.
func addFilm(t *testing.T, d *Daemon, id string) queue.Entry {
	t.Helper()
	e, err := d.Control().Add(t.Context(), viewing.Event{
		Kind: viewing.KindViewing, EventID: id, Count: 1, WatchedAt: viewing.At(time.Now().Add(-time.Hour)),
		Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// settled waits until the condition holds, looking after each change of the
// queue or of the account.
func settled(t *testing.T, d *Daemon, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	found := false
	var one sync.Mutex // news of the queue and of the account may come at once
	d.onNews(ctx, func() {
		one.Lock()
		defer one.Unlock()
		if !found && ok() {
			found = true
			cancel()
		}
	})
	if !found {
		t.Fatalf("never: %s", what)
	}
}

func TestNudgesAreArmedOnlyWhileSomethingWaits(t *testing.T) {
	offlineDaemon(t, func(ctx context.Context, d *Daemon, _ func()) {
		armed, done := make(chan bool), make(chan struct{})
		ctx, cancel := context.WithCancel(ctx)
		go func() { d.arm(ctx, armed); close(done) }()
		defer func() { cancel(); <-done }()
		wants := func(want bool) {
			t.Helper()
			select {
			case got := <-armed:
				if got != want {
					t.Fatalf("armed is %v, want %v", got, want)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("armed never became %v", want)
			}
		}
		drop := func(e queue.Entry) {
			t.Helper()
			settled(t, d, "the entry back in the queue", func() bool {
				return d.store.Settle(t.Context(), queue.Settlement{Entry: e.ID, State: viewing.StateDropped}) == nil
			})
		}
		first := addFilm(t, d, "one")
		wants(true)
		drop(first)
		wants(false) // offline still, but nothing waits
		second := addFilm(t, d, "two")
		wants(true)
		drop(second)
		wants(false)
		select {
		case got := <-armed:
			t.Errorf("armed is %v for no reason", got)
		default:
		}
	})
}

func TestNudgeWakesWhatWaits(t *testing.T) {
	offlineDaemon(t, func(ctx context.Context, d *Daemon, start func()) {
		addFilm(t, d, "one")
		far := func() bool { // a back-off that outlives this test
			h := d.accounts[0].loop.Health()
			return h.State == account.Offline && time.Until(h.NextTry) > 3*time.Second
		}
		settled(t, d, "a long back-off", far)
		usual := d.accounts[0].loop.Health().NextTry
		start()
		d.tryAgain(ctx, nudge.Network)
		settled(t, d, "delivered", func() bool {
			c, err := d.store.Counts(ctx)
			return err == nil && c.Delivered == 1
		})
		if now := time.Now(); !now.Before(usual) {
			t.Errorf("delivered at %s, and would have been at %s without a nudge", now, usual)
		}
	})
}
