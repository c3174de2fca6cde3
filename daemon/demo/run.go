package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

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

// running is the daemon, and the program that reports to it for a browser.
type running struct {
	control *control.Client
	stop    func() error // nil while it does not run
	listen  string
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
	if t.stop == nil {
		return nil
	}
	stop := t.stop
	t.stop = nil
	return stop()
}

// addBrowser lets a program post what a browser has played.
func (t *tour) addBrowser(ctx context.Context) error {
	program, err := t.control.AddClient(ctx, control.NewProgram{Label: "the demo's browser"})
	t.token = program.Token
	return err
}

// inBrowser posts a viewing and waits for the acknowledgement.
func (t *tour) inBrowser(ctx context.Context, m viewing.Media, ago time.Duration) error {
	began := time.Now()
	at := began.Add(-ago)
	body, err := protocol.Encode(protocol.Viewing{
		ID: newUUID(), Media: m, WatchedAt: at.Format(time.RFC3339), Source: protocol.Source{Site: "films.example"},
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+t.listen+"/v1/viewings", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+t.token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("report a viewing: %w", err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("report a viewing: the daemon answered %s", answer.Status)
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
