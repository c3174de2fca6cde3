package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// origin is what a browser says of our extension.
const origin = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

// stage is everything that runs during a tour.
type stage struct {
	service  *sandbox.Service
	address  string       // of the service; it keeps it while it is away
	server   *http.Server // nil while the service is away
	served   chan struct{}
	userdata string
	kodi     *sql.DB // its library
	paths    config.Paths
	stop     func() error // ends the daemon; nil while it is away
	listen   string
	control  *control.Client
	browser  *client.Client
	clientID string
	token    string
}

// openService makes the tracking service and lets it answer.
func (s *stage) openService(ctx context.Context, dir string) (err error) {
	if s.service, err = sandbox.Open(ctx, sandbox.Options{Path: filepath.Join(dir, "service.jsonl")}); err != nil {
		return err
	}
	s.address = "127.0.0.1:0"
	return s.serviceBack(ctx)
}

// serviceBack lets the service answer, at the address it had.
func (s *stage) serviceBack(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", s.address)
	if err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	s.address = l.Addr().String()
	server := &http.Server{Handler: s.service.Handler(), ReadHeaderTimeout: 5 * time.Second}
	s.server, s.served = server, make(chan struct{})
	go func(done chan struct{}) {
		defer close(done)
		_ = server.Serve(l) // it ends when the service is taken away
	}(s.served)
	return nil
}

// serviceGone takes the service away, in the middle of whatever it does.
func (s *stage) serviceGone() {
	if s.server == nil {
		return
	}
	_ = s.server.Close() // what breaks off here is meant to
	<-s.served
	s.server = nil
}

// baseURL is the service's address as a user would give it.
func (s *stage) baseURL() string { return "http://" + s.address + "/api/v1" }

// openLibrary puts a library that a real Kodi made into a folder.
func (s *stage) openLibrary(dir string) (err error) {
	s.userdata = filepath.Join(dir, "kodi", "userdata")
	s.kodi, err = unpackLibrary(s.userdata)
	return err
}

// startDaemon starts the daemon over dir and waits until it can be used.
func (s *stage) startDaemon(ctx context.Context, dir string, o Options) (err error) {
	c := config.Default()
	c.Listen = "127.0.0.1:0"
	c.Accounts = map[string]config.Account{viewing.DefaultAccount: {KeyHeader: "x-api-key"}}
	c.Kodi.Libraries = []config.Library{{Userdata: s.userdata}}
	state := filepath.Join(dir, "state")
	s.paths = config.Paths{State: state, File: filepath.Join(dir, "config.toml"), Control: filepath.Join(state, "control.sock")}
	if s.control, s.stop, err = o.Start(ctx, c, s.paths, o.Version); err != nil {
		return err
	}
	status, err := s.control.Status(ctx)
	s.listen = status.Listen
	return err
}

// stopDaemon stops the daemon and waits until it has.
func (s *stage) stopDaemon() error {
	if s.stop == nil {
		return nil
	}
	if s.browser != nil {
		_ = s.browser.Close() // the daemon may have hung up first
		s.browser = nil
	}
	stop := s.stop
	s.stop = nil
	return stop()
}

// close ends all that runs.
func (t *tour) close() {
	if err := t.stage.stopDaemon(); err != nil {
		t.say("the daemon ended with: %v", err)
	}
	t.stage.serviceGone()
	var faults []error
	if t.stage.service != nil {
		faults = append(faults, t.stage.service.Close())
	}
	if t.stage.kodi != nil {
		faults = append(faults, t.stage.kodi.Close())
	}
	if err := errors.Join(faults...); err != nil {
		t.say("not everything could be closed: %v", err)
	}
}
