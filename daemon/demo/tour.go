package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver of Kodi's library

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// kodiLibrary makes the tables that are read of a library of a real Kodi 20.1: eight films and two series, just
// scanned.
//
//go:embed kodi.sql
var kodiLibrary string

// tour is one tour under way. After an error it does nothing more.
type tour struct {
	Options
	began    time.Time
	paths    config.Paths
	userdata string // of Kodi
	err      error

	service *sandbox.Service
	address string // of the service, which keeps it while it is away
	server  *http.Server

	control *control.Client
	stop    func() error // of the daemon
	listen  string
	token   string // of the program that reports for a browser

	watched map[string]*int // what was done, and where it is counted when it has arrived
	result  Result
}

// try does something unless there was an error before.
func (t *tour) try(do func() error) {
	if t.err == nil {
		t.err = do()
	}
}

// say tells one line of the story, with the seconds since it began.
func (t *tour) say(format string, args ...any) {
	if t.err == nil {
		fmt.Fprintf(t.Story, "%5.1fs  %s\n", time.Since(t.began).Seconds(), fmt.Sprintf(format, args...))
	}
}

// serve lets the service answer, at the address it had.
func (t *tour) serve(ctx context.Context) {
	t.try(func() (err error) {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", t.address)
		if err != nil {
			return err
		}
		t.address = l.Addr().String()
		t.server = &http.Server{Handler: t.service.Handler(), ReadHeaderTimeout: 5 * time.Second}
		go t.server.Serve(l) //nolint:errcheck // it ends when the service is taken away
		return nil
	})
}

// takeAway takes the service away, in the middle of whatever it does.
func (t *tour) takeAway() {
	if t.server != nil {
		t.server.Close()
	}
}

// startDaemon starts the daemon and waits until it can be used.
func (t *tour) startDaemon(ctx context.Context) {
	c := config.Default()
	c.Listen = "127.0.0.1:0"
	c.Accounts = map[string]config.Account{viewing.DefaultAccount: {KeyHeader: "x-api-key"}}
	c.Kodi.Libraries = []config.Library{{Userdata: t.userdata}}
	t.try(func() (err error) {
		running, end := context.WithCancel(context.WithoutCancel(ctx))
		ready, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- daemon.Serve(running, daemon.Options{
				Config: c, Paths: t.paths, Version: t.Version, Logger: slog.New(slog.DiscardHandler),
				Getenv: func(string) string { return "" }, Ready: func(string) { close(ready) },
			})
			close(ended)
		}()
		t.stop = func() error { end(); return <-ended } // nil when it is asked again
		select {
		case <-ready:
		case err = <-ended:
			return fmt.Errorf("start the daemon: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		}
		t.control, err = daemon.Find(ctx, t.paths)
		return err
	})
	t.listen = t.until(ctx, "the daemon answers", func(control.Status) bool { return true }).Listen
}

// until asks for the status until it is good.
func (t *tour) until(ctx context.Context, what string, good func(control.Status) bool) (st control.Status) {
	t.try(func() (err error) {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			st, err = t.control.Status(ctx)
			health.Tell(locale.In(locale.English), &st)
			if err == nil && good(st) {
				return nil
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("wait until %s: %w; last status: %s", what, ctx.Err(), st.Summary)
			case <-tick.C:
			}
		}
	})
	return st
}

// delivered waits until nothing waits any more and everything that was done so far has been seen: the viewings,
// the wish and the list.
func (t *tour) delivered(ctx context.Context) {
	st := t.until(ctx, "all is delivered", func(st control.Status) bool {
		return st.Counts.Pending+st.Counts.Sending == 0 && st.Counts.Delivered+control.NeedUser(st.Counts) >= int64(len(t.watched))+2
	})
	t.say("Filmspool says: %s %d delivered so far.", st.Summary, st.Counts.Delivered)
}

// done remembers a viewing that was acknowledged, and where it is counted when it has arrived.
func (t *tour) done(m viewing.Media, at time.Time, count *int) {
	t.watched[m.Key()+" "+at.UTC().Format(time.RFC3339)] = count
}

// inBrowser posts a viewing and waits for the acknowledgement.
func (t *tour) inBrowser(ctx context.Context, m viewing.Media, ago time.Duration) {
	began := time.Now()
	at := began.Add(-ago)
	t.try(func() error {
		body, err := protocol.Encode(protocol.Viewing{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", len(t.watched)), Media: m,
			WatchedAt: at.Format(time.RFC3339), Source: protocol.Source{Site: "films.example"},
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
		if err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("report a viewing: the daemon answered %s", answer.Status)
		}
		if err != nil {
			return err
		}
		return answer.Body.Close()
	})
	t.done(m, at, &t.result.History.Browser)
	t.say("Browser   finished %s; on disk and acknowledged after %.1f ms.", m.Label(), float64(time.Since(began).Microseconds())/1000)
}

// inLibrary changes Kodi's library.
func (t *tour) inLibrary(ctx context.Context, query string, args ...any) {
	t.try(func() error {
		folder := filepath.Join(t.userdata, "Database")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		db, err := sql.Open("sqlite", filepath.Join(folder, "MyVideos121.db"))
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = db.ExecContext(ctx, "pragma busy_timeout = 5000; "+query, args...)
		return err
	})
}

// inKodi writes what Kodi writes when a file of its library was played to its end now.
func (t *tour) inKodi(ctx context.Context, file int, parts ...viewing.Media) {
	at := time.Now()
	t.inLibrary(ctx, `update files set playCount = 1, lastPlayed = ? where idFile = ?`, at.Format(time.DateTime), file)
	for _, m := range parts {
		t.done(m, at, &t.result.History.Kodi)
		t.say("Kodi      played %s to its end.", m.Label())
	}
}

// byHand adds a viewing as "filmspool add" does.
func (t *tour) byHand(ctx context.Context, m viewing.Media, ago time.Duration) {
	at := time.Now().Add(-ago).Truncate(time.Second)
	t.done(m, at, &t.result.History.CLI)
	t.add(ctx, viewing.Event{Kind: viewing.KindViewing, Media: []viewing.Media{m}, WatchedAt: viewing.At(at), Count: 1})
}

// add adds an event as the command line does.
func (t *tour) add(ctx context.Context, v viewing.Event) {
	v.EventID = rand.Text()
	t.try(func() error {
		e, err := t.control.Add(ctx, v)
		t.say("CLI       added %s; it is entry %d.", e.Label(), e.ID)
		return err
	})
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
