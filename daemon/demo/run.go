package demo

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// tracking is the service, and how it is served.
type tracking struct {
	service *sandbox.Service
	address string // it keeps it while it is away
	server  *http.Server
}

// serve lets the service answer, at the address it had.
func (s *tracking) serve(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", s.address)
	if err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	s.address = l.Addr().String()
	s.server = &http.Server{Handler: s.service.Handler(), ReadHeaderTimeout: 5 * time.Second}
	go s.server.Serve(l) //nolint:errcheck // it ends when the service is taken away
	return nil
}

// takeAway takes the service away, in the middle of whatever it does.
func (s *tracking) takeAway() {
	if s.server != nil {
		s.server.Close()
	}
}

// running is the daemon, and the browser that talks to it.
type running struct {
	control *control.Client
	stop    func() error // nil while it does not run
	listen  string
	browser *client.Client
	client  string // the browser's id and token, once it is paired
	token   string
}

func (t *tour) userdata() string { return filepath.Join(t.dir, "kodi", "userdata") }

func (t *tour) paths() config.Paths {
	state := filepath.Join(t.dir, "state")
	return config.Paths{State: state, File: filepath.Join(t.dir, "config.toml"), Control: filepath.Join(state, "control.sock")}
}

// start starts the daemon and waits until it can be used.
func (t *tour) start(ctx context.Context) (err error) {
	c := config.Default()
	c.Listen = "127.0.0.1:0"
	c.Accounts = map[string]config.Account{viewing.DefaultAccount: {KeyHeader: "x-api-key"}}
	c.Kodi.Libraries = []config.Library{{Userdata: t.userdata()}}
	if t.control, t.stop, err = t.o.Start(ctx, c, t.paths(), t.o.Version); err != nil {
		return err
	}
	status, err := t.control.Status(ctx)
	t.listen = status.Listen
	return err
}

// halt stops the daemon, if it runs, and waits until it has.
func (t *tour) halt() error {
	if t.browser != nil {
		_ = t.browser.Close() // the daemon may have hung up first
		t.browser = nil
	}
	if t.stop == nil {
		return nil
	}
	stop := t.stop
	t.stop = nil
	return stop()
}

// pairBrowser pairs a browser as a user does: a code from the daemon, typed into the extension.
func (t *tour) pairBrowser(ctx context.Context) error {
	code, err := t.control.Pair(ctx)
	if err != nil {
		return err
	}
	if err := t.connectBrowser(ctx); err != nil {
		return err
	}
	if t.client, t.token, err = t.browser.Pair(ctx, code.Code, "the demo's browser"); err != nil {
		return fmt.Errorf("pair the browser: %w", err)
	}
	t.say("A browser pairs with the code %s.", code.Code)
	return nil
}

// connectBrowser opens the browser's socket; once paired it shows its token.
func (t *tour) connectBrowser(ctx context.Context) (err error) {
	t.browser, err = client.Dial(ctx, client.Options{
		URL: "ws://" + t.listen + "/v1/connector", Origin: "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
		Info:     protocol.ClientInfo{Name: "demo", Version: t.o.Version, Browser: "demo"},
		ClientID: t.client, Token: t.token,
	})
	return err
}

// inBrowser reports a viewing over the browser's socket and waits for the acknowledgement.
func (t *tour) inBrowser(ctx context.Context, m viewing.Media, ago time.Duration) error {
	began := time.Now()
	at := began.Add(-ago)
	if _, err := t.browser.Viewing(ctx, protocol.Viewing{
		ID: newUUID(), Media: m, WatchedAt: at.Format(time.RFC3339), Count: 1, Source: &protocol.Source{Site: "films.example"},
	}); err != nil {
		return fmt.Errorf("report a viewing: %w", err)
	}
	t.done(m, at, &t.result.History.Browser)
	t.say("Browser   finished %s; on disk and acknowledged after %.1f ms.", m.Label(), float64(time.Since(began).Microseconds())/1000)
	return nil
}

// newUUID is a random UUID, version 4, as a browser's crypto.randomUUID makes.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// inKodi plays a file of the library to its end now, as Kodi writes it.
func (t *tour) inKodi(ctx context.Context, file int, parts ...viewing.Media) error {
	// Two ends within two seconds look like marks, not like playbacks.
	select {
	case <-time.After(time.Until(t.played.Add(3 * time.Second))):
	case <-ctx.Done():
		return ctx.Err()
	}
	t.played = time.Now()
	if err := playToEnd(ctx, t.kodi, file, t.played); err != nil {
		return err
	}
	for _, m := range parts {
		t.done(m, t.played, &t.result.History.Kodi)
		t.say("Kodi      played %s to its end.", m.Label())
	}
	return nil
}

// byHand adds a viewing as "filmspool add" does.
func (t *tour) byHand(ctx context.Context, m viewing.Media, ago time.Duration) error {
	at := time.Now().Add(-ago).Truncate(time.Second)
	t.done(m, at, &t.result.History.CLI)
	return t.add(ctx, viewing.Event{Kind: viewing.KindViewing, Media: []viewing.Media{m}, WatchedAt: viewing.At(at), Count: 1})
}

// add adds an event as the command line does.
func (t *tour) add(ctx context.Context, v viewing.Event) error {
	v.EventID = rand.Text()
	e, err := t.control.Add(ctx, v)
	if err != nil {
		return err
	}
	t.say("CLI       added %s; it is entry %d.", e.Label(), e.ID)
	return nil
}

// film is a film by its TMDB identifier.
func film(id int64, title string, year int) viewing.Media {
	return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: id}, Title: title, Year: year}
}

// episode is an episode by its series' TMDB identifier.
func episode(show int64, title string, season, number int) viewing.Media {
	return viewing.Media{
		Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: show}, Title: title},
		Season: &season, Episode: &number,
	}
}
