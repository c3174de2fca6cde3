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
	"github.com/filmspool/filmspool/queue"
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
}
