// Package demo implements the tour "filmspool demo". In a temporary folder it starts a tracking
// service and the real daemon. A program in the role of a browser, the command line's API and a
// Kodi library produce viewings, the service is interrupted, and at the end the demo compares the
// service's records with what was watched.
package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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

// Options configures a tour.
type Options struct {
	Story   io.Writer // output of the story, line by line
	Once    bool      // end after the tour, else keep running until ctx ends
	Version string
}

// Result contains the counts of the service's records at the end.
type Result struct {
	History struct {
		Browser int `json:"browser"`
		Kodi    int `json:"kodi"`
		CLI     int `json:"cli"`
	} `json:"history"`
	Watchlist   int `json:"watchlist"`
	Lists       int `json:"lists"`
	Lost        int `json:"lost"`        // acknowledged, but not at the service
	Doubled     int `json:"doubled"`     // at the service more than once, or never acknowledged
	OfflineHeld int `json:"offlineHeld"` // maximum number of waiting entries during the interruption
}

// ErrMiscounted means that the service's records differ from what was watched.
var ErrMiscounted = errors.New("what arrived is not what was watched")

// tourTimeout limits the whole tour; it is generous for slow machines.
const tourTimeout = 2 * time.Minute

// Run runs the tour. The error wraps [ErrMiscounted] if anything was lost or doubled.
func Run(ctx context.Context, o Options) (Result, error) {
	dir, err := os.MkdirTemp("", "filmspool-demo-")
	if err != nil {
		return Result{}, fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	state := filepath.Join(dir, "state")
	t := &tour{
		Options: o, began: time.Now(), userdata: filepath.Join(dir, "userdata"), address: "127.0.0.1:0", watched: map[string]*int{},
		paths: config.Paths{State: state, File: filepath.Join(dir, "config.toml"), Control: filepath.Join(state, "control.sock")},
		stop:  func() error { return nil },
	}
	if t.service, err = sandbox.Open(ctx, sandbox.Options{}); err != nil {
		return Result{}, err
	}
	defer func() {
		_ = t.stop() // the result is known already
		t.interrupt()
		_ = t.service.Close()
	}()
	limited, cancel := context.WithTimeout(ctx, tourTimeout)
	defer cancel()
	t.setUp(limited)
	t.watchOnline(limited)
	t.watchOffline(limited)
	t.serve(limited)
	t.say("The service is back.")
	t.waitDelivered(limited)
	if t.err != nil {
		return t.result, fmt.Errorf("tour: %w", t.err)
	}
	records, err := t.service.Records(ctx)
	if err != nil {
		return t.result, err
	}
	t.tally(records)
	r := t.result
	t.say("The service has %d viewings: %d from the browser, %d from Kodi, %d from the command line; %d on the watchlist, %d lists.",
		len(records.History), r.History.Browser, r.History.Kodi, r.History.CLI, r.Watchlist, r.Lists)
	t.say("Lost: %d. Doubled: %d. While it was away, %d waited here.", r.Lost, r.Doubled, r.OfflineHeld)
	if r.Lost > 0 || r.Doubled > 0 {
		return r, fmt.Errorf("%w: %d lost, %d doubled", ErrMiscounted, r.Lost, r.Doubled)
	}
	if !o.Once {
		t.say("It stays up until Ctrl-C. In another terminal:")
		fmt.Fprintf(o.Story, "\n  filmspool --state-dir %[1]s diary\n  filmspool --state-dir %[1]s add 550\n  curl http://%[2]s/_sandbox/records\n\n", t.paths.State, t.address)
		<-ctx.Done()
		t.say("Good night: the folder is removed.")
	}
	return r, nil
}

// setUp starts the service and the daemon and connects the sources.
func (t *tour) setUp(ctx context.Context) {
	t.serve(ctx)
	base := "http://" + t.address + "/api/v1"
	t.say("A tracking service of our own answers at %s.", base)
	t.changeLibrary(ctx, kodiLibrary)
	t.startDaemon(ctx)
	t.say("Filmspool runs at http://%s and keeps its queue in %s.", t.listen, t.paths.State)
	t.try(func() error {
		login, err := t.control.Login(ctx, control.Login{Account: viewing.DefaultAccount, BaseURL: base, Key: t.service.SecretKey()})
		t.say("Login: the service knows the key, it is %s's.", login.User)
		return err
	})
	t.try(func() error {
		program, err := t.control.AddClient(ctx, control.NewProgram{Label: "the demo's browser"})
		t.token = program.Token
		return err
	})
	t.until(ctx, "Kodi's library is known", func(st control.Status) bool {
		return slices.ContainsFunc(st.Sources, func(s control.Source) bool { return s.Kind == viewing.SourceKodi && s.LastSeen != nil })
	})
	t.say("Kodi: its library is read. What was watched before is not sent.")
}

// watchOnline produces a viewing from each source while the service is reachable.
func (t *tour) watchOnline(ctx context.Context) {
	t.inBrowser(ctx, film(157336, "Gamma", 2014), time.Minute)
	t.inKodi(ctx, 1, film(603, "Alpha One", 1999))
	t.byHand(ctx, episode(121361, "Show Blue", 1, 1), 2*time.Hour)
	series := viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}, Title: "Show Red"}
	t.add(ctx, viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{series}})
	t.add(ctx, viewing.Event{Kind: viewing.KindList, List: &viewing.List{Name: "Rainy days", Description: "For when it rains"}})
	t.waitDelivered(ctx)
}

// watchOffline stops the service, produces more viewings, and restarts the daemon while they are
// waiting.
func (t *tour) watchOffline(ctx context.Context) {
	t.interrupt()
	t.say("The service is gone. Everybody goes on watching.")
	t.inBrowser(ctx, episode(1396, "Show Red", 1, 2), 30*time.Second)
	t.inBrowser(ctx, film(27205, "Beta", 2010), 20*time.Second)
	// One file with two episodes: Kodi counts one play, two were watched.
	t.inKodi(ctx, 15, episode(1396, "Show Red", 1, 4), episode(1396, "Show Red", 1, 5))
	t.byHand(ctx, film(278, "Delta", 1994), 26*time.Hour)
	st := t.until(ctx, "all of it waits", func(st control.Status) bool {
		waits := int(st.Counts.Pending + st.Counts.Sending)
		t.result.OfflineHeld = max(t.result.OfflineHeld, waits)
		return waits >= 5
	})
	t.say("Filmspool says: %s", st.Summary)
	t.try(func() error { return t.stop() })
	t.say("Filmspool is stopped, with all that waits on disk.")
	t.startDaemon(ctx)
	st = t.until(ctx, "it is back", func(control.Status) bool { return true })
	t.say("It is started again: %d entries wait, as before.", st.Counts.Pending+st.Counts.Sending)
}

// tally compares the service's records with what was watched.
func (t *tour) tally(records sandbox.Records) {
	r := &t.result
	for _, h := range records.History {
		key := fmt.Sprintf("%s:%d", h.Type, h.ID)
		if h.Type == "episode" {
			key = fmt.Sprintf("episode:%d:%d:%d", h.TVShowID, *h.SeasonNumber, h.EpisodeNumber)
		}
		key += " " + h.WatchedAt.Format(time.RFC3339)
		if count := t.watched[key]; count != nil {
			*count++
			delete(t.watched, key)
		} else {
			r.Doubled++
		}
	}
	r.Lost = len(t.watched)
	r.Watchlist, r.Lists = len(records.Watchlist), len(records.Lists)
	for _, n := range []int{r.Watchlist, r.Lists} { // one of each was created
		r.Lost += max(1-n, 0)
		r.Doubled += max(n-1, 0)
	}
}

// kodiLibrary creates the tables of a Kodi 20.1 library that are read: eight films and two series,
// just scanned.
//
//go:embed kodi.sql
var kodiLibrary string

// tour is the state of a running tour. After an error the remaining steps do nothing.
type tour struct {
	Options
	began    time.Time
	paths    config.Paths
	userdata string // of Kodi
	err      error

	service *sandbox.Service
	address string // of the service, also used after the interruption
	server  *http.Server

	control *control.Client
	stop    func() error // of the daemon
	listen  string
	token   string // of the program in the role of a browser

	watched map[string]*int // acknowledged viewings, with the counter for their arrival
	result  Result
}

// try calls do unless a previous step failed.
func (t *tour) try(do func() error) {
	if t.err == nil {
		t.err = do()
	}
}

// say prints one line of the story, with the elapsed seconds.
func (t *tour) say(format string, args ...any) {
	if t.err == nil {
		fmt.Fprintf(t.Story, "%5.1fs  %s\n", time.Since(t.began).Seconds(), fmt.Sprintf(format, args...))
	}
}

// serve starts the service, at its previous address if it has one.
func (t *tour) serve(ctx context.Context) {
	t.try(func() (err error) {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", t.address)
		if err != nil {
			return err
		}
		t.address = l.Addr().String()
		t.server = &http.Server{Handler: t.service.Handler(), ReadHeaderTimeout: 5 * time.Second}
		go t.server.Serve(l) //nolint:errcheck // it returns when the server is closed
		return nil
	})
}

// interrupt stops the service at once, including running requests.
func (t *tour) interrupt() {
	if t.server != nil {
		t.server.Close()
	}
}

// startDaemon starts the daemon and waits until it is ready.
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
		t.stop = func() error { end(); return <-ended } // nil for a second call
		select {
		case <-ready:
		case err = <-ended:
			return fmt.Errorf("start the daemon: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		}
		t.control, err = daemon.Connect(ctx, t.paths)
		return err
	})
	t.listen = t.until(ctx, "the daemon answers", func(control.Status) bool { return true }).Listen
}

// until polls the status until it fulfils a condition.
func (t *tour) until(ctx context.Context, what string, good func(control.Status) bool) (st control.Status) {
	t.try(func() (err error) {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			st, err = t.control.Status(ctx)
			health.Render(locale.In(locale.English), &st)
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

// waitDelivered waits until all acknowledged viewings, the watchlist item and the list are
// delivered or need the user.
func (t *tour) waitDelivered(ctx context.Context) {
	st := t.until(ctx, "all is delivered", func(st control.Status) bool {
		return st.Counts.Pending+st.Counts.Sending == 0 && st.Counts.Delivered+st.NeedUser() >= int64(len(t.watched))+2
	})
	t.say("Filmspool says: %s %d delivered so far.", st.Summary, st.Counts.Delivered)
}

// acknowledged records a viewing, with the counter for its arrival.
func (t *tour) acknowledged(m viewing.Media, at time.Time, count *int) {
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
	t.acknowledged(m, at, &t.result.History.Browser)
	t.say("Browser   finished %s; on disk and acknowledged after %.1f ms.", m.Label(), float64(time.Since(began).Microseconds())/1000)
}

// changeLibrary executes a query on Kodi's library.
func (t *tour) changeLibrary(ctx context.Context, query string, args ...any) {
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

// inKodi writes what Kodi writes when a file was played to its end now.
func (t *tour) inKodi(ctx context.Context, file int, parts ...viewing.Media) {
	at := time.Now()
	t.changeLibrary(ctx, `update files set playCount = 1, lastPlayed = ? where idFile = ?`, at.Format(time.DateTime), file)
	for _, m := range parts {
		t.acknowledged(m, at, &t.result.History.Kodi)
		t.say("Kodi      played %s to its end.", m.Label())
	}
}

// byHand adds a viewing like "filmspool add".
func (t *tour) byHand(ctx context.Context, m viewing.Media, ago time.Duration) {
	at := time.Now().Add(-ago).Truncate(time.Second)
	t.acknowledged(m, at, &t.result.History.CLI)
	t.add(ctx, viewing.Event{Kind: viewing.KindViewing, Media: []viewing.Media{m}, WatchedAt: viewing.At(at), Count: 1})
}

// add adds an event like the command line.
func (t *tour) add(ctx context.Context, v viewing.Event) {
	v.EventID = rand.Text()
	t.try(func() error {
		e, err := t.control.Add(ctx, v)
		t.say("CLI       added %s; it is entry %d.", e.Label(), e.ID)
		return err
	})
}

// film returns a film with a TMDB number.
func film(id int64, title string, year int) viewing.Media {
	return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: id}, Title: title, Year: year}
}

// episode returns an episode of a series with a TMDB number.
func episode(show int64, title string, season, number int) viewing.Media {
	return viewing.Media{
		Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: show}, Title: title},
		Season: &season, Episode: &number,
	}
}
