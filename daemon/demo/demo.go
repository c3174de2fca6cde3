// Package demo is the tour behind "filmspool demo". In a temporary folder it starts a tracking service and the real
// daemon; a program that reports for a browser, the command line's interface and a library that a real Kodi wrote
// produce viewings. The service is taken away and comes back, and at the end the demo counts what the service
// has recorded.
package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Options is what a tour needs to know.
type Options struct {
	Story   io.Writer // where the story is told, line by line
	Once    bool      // end after the tour; otherwise stay up until ctx ends
	Version string
	// Start runs a daemon and finds it, until stop is called.
	Start func(context.Context, config.Config, config.Paths, string) (found *control.Client, stop func() error, err error)
}

// Result is the count at the end, taken from the service's records.
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
	OfflineHeld int `json:"offlineHeld"` // most that waited while the service was away
}

// ErrMiscounted is returned when the count is not what was watched.
var ErrMiscounted = errors.New("what arrived is not what was watched")

// tourTime bounds the whole tour, for machines under load.
const tourTime = 2 * time.Minute

// Run gives the tour. The error wraps [ErrMiscounted] when anything was lost or doubled.
func Run(ctx context.Context, o Options) (Result, error) {
	dir, err := os.MkdirTemp("", "filmspool-demo-")
	if err != nil {
		return Result{}, fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	t := &tour{o: o, dir: dir, began: time.Now(), watched: map[string]*int{}}
	defer t.close()
	limited, cancel := context.WithTimeout(ctx, tourTime)
	defer cancel()
	for _, act := range []func(context.Context) error{t.setTheStage, t.watchWithTheService, t.watchWithout, t.restart, t.bringBack} {
		if err := act(limited); err != nil {
			return t.result, fmt.Errorf("tour: %w", err)
		}
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
		state := t.paths().State
		t.say("It stays up until Ctrl-C. In another terminal:")
		fmt.Fprintf(o.Story, "\n  filmspool --state-dir %s diary\n  filmspool --state-dir %s add 550\n  curl http://%s/_sandbox/records\n\n", state, state, t.address)
		<-ctx.Done()
		t.say("Good night: the folder is removed.")
	}
	return r, nil
}

// tour is one tour under way.
type tour struct {
	o      Options
	dir    string
	began  time.Time
	kodi   *sql.DB   // its library
	played time.Time // the last end of a playback in Kodi
	tracking
	running
	watched map[string]*int // what was done, and where it is counted when it has arrived
	result  Result
}

// say tells one line of the story, with the seconds since it began.
func (t *tour) say(format string, args ...any) {
	fmt.Fprintf(t.o.Story, "%5.1fs  %s\n", time.Since(t.began).Seconds(), fmt.Sprintf(format, args...))
}

// setTheStage starts everything and introduces everybody.
func (t *tour) setTheStage(ctx context.Context) (err error) {
	if t.service, err = sandbox.Open(ctx, sandbox.Options{Path: filepath.Join(t.dir, "service.jsonl")}); err != nil {
		return err
	}
	t.address = "127.0.0.1:0"
	if err := t.serve(ctx); err != nil {
		return err
	}
	base := "http://" + t.address + "/api/v1"
	t.say("A tracking service of our own answers at %s.", base)
	if t.kodi, err = unpackLibrary(t.userdata()); err != nil {
		return err
	}
	if err := t.start(ctx); err != nil {
		return err
	}
	t.say("Filmspool runs at http://%s and keeps its queue in %s.", t.listen, t.paths().State)
	login, err := t.control.Login(ctx, control.Login{Account: viewing.DefaultAccount, BaseURL: base, Key: t.service.SecretKey()})
	if err != nil {
		return err
	}
	t.say("Login: the service knows the key, it is %s's.", login.User)
	if err := t.addBrowser(ctx); err != nil {
		return err
	}
	return t.until(ctx, "Kodi's library is known", func(st control.Status) bool {
		for _, src := range st.Sources {
			if src.Kind == "kodi" && src.LastSeen != nil {
				t.say("Kodi: its library is read. What was watched before is not sent.")
				return true
			}
		}
		return false
	})
}

// watchWithTheService lets everybody watch something while all is well.
func (t *tour) watchWithTheService(ctx context.Context) error {
	series := viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}, Title: "Show Red"}
	return errors.Join(
		t.inBrowser(ctx, film(157336, "Gamma", 2014), time.Minute),
		t.inKodi(ctx, firstFilm, film(603, "Alpha One", 1999)),
		t.byHand(ctx, episode(121361, "Show Blue", 1, 1), 2*time.Hour),
		t.add(ctx, viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{series}}),
		t.add(ctx, viewing.Event{Kind: viewing.KindList, List: &viewing.List{Name: "Rainy days", Description: "For when it rains"}}),
		t.delivered(ctx))
}

// watchWithout takes the service away and lets everybody go on.
func (t *tour) watchWithout(ctx context.Context) error {
	t.takeAway()
	t.say("The service is gone. Everybody goes on watching.")
	return errors.Join(
		t.inBrowser(ctx, episode(1396, "Show Red", 1, 2), 30*time.Second),
		t.inBrowser(ctx, film(27205, "Beta", 2010), 20*time.Second),
		// One file with two episodes: Kodi counts one play, two were watched.
		t.inKodi(ctx, doubleEpisode, episode(1396, "Show Red", 1, 4), episode(1396, "Show Red", 1, 5)),
		t.byHand(ctx, film(278, "Delta", 1994), 26*time.Hour),
		t.until(ctx, "all of it waits", func(st control.Status) bool {
			waits := int(st.Counts.Pending + st.Counts.Sending)
			t.result.OfflineHeld = max(t.result.OfflineHeld, waits)
			if waits < 5 {
				return false
			}
			t.say("Filmspool says: %s", st.Summary)
			return true
		}))
}

// restart stops the daemon while the queue is full, and starts it again.
func (t *tour) restart(ctx context.Context) error {
	if err := t.halt(); err != nil {
		return err
	}
	t.say("Filmspool is stopped, with all that waits on disk.")
	if err := t.start(ctx); err != nil {
		return err
	}
	st, err := t.control.Status(ctx)
	if err != nil {
		return err
	}
	t.say("It is started again: %d entries wait, as before.", st.Counts.Pending+st.Counts.Sending)
	return nil
}

// bringBack brings the service back and waits until all is delivered.
func (t *tour) bringBack(ctx context.Context) error {
	if err := t.serve(ctx); err != nil {
		return err
	}
	t.say("The service is back.")
	return t.delivered(ctx)
}

// delivered waits until nothing waits any more and everything that was done so far has been seen: the viewings,
// the wish and the list.
func (t *tour) delivered(ctx context.Context) error {
	return t.until(ctx, "all is delivered", func(st control.Status) bool {
		if st.Counts.Pending+st.Counts.Sending > 0 || st.Counts.Delivered+control.NeedUser(st.Counts) < int64(len(t.watched))+2 {
			return false
		}
		t.say("Filmspool says: %s %d delivered so far.", st.Summary, st.Counts.Delivered)
		return true
	})
}

// until asks for the status until it is good.
func (t *tour) until(ctx context.Context, what string, good func(control.Status) bool) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		st, err := t.control.Status(ctx)
		if err == nil && good(st) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w; last status: %s", what, ctx.Err(), st.Summary)
		case <-tick.C:
		}
	}
}

// tally counts what arrived once, what did not arrive, and what arrived more often than it was done.
func (t *tour) tally(records sandbox.Records) {
	r := &t.result
	arrived := map[string]int{}
	for _, h := range records.History {
		arrived[recordKey(h)]++
	}
	for key, count := range t.watched {
		if arrived[key] == 0 {
			r.Lost++
			continue
		}
		*count++
		arrived[key]--
	}
	for _, surplus := range arrived {
		r.Doubled += surplus
	}
	r.Watchlist, r.Lists = len(records.Watchlist), len(records.Lists)
	for _, n := range []int{r.Watchlist, r.Lists} { // one of each was made
		r.Lost += max(1-n, 0)
		r.Doubled += max(n-1, 0)
	}
}

// recordKey names one record of the service, as [tour.done] names what was watched.
func recordKey(h sandbox.HistoryItem) string {
	at := h.WatchedAt.Format(time.RFC3339)
	if h.Type == "episode" {
		return fmt.Sprintf("episode:%d:%d:%d %s", h.TVShowID, *h.SeasonNumber, h.EpisodeNumber, at)
	}
	return fmt.Sprintf("%s:%d %s", h.Type, h.ID, at)
}

// done remembers a viewing that was acknowledged, and where it is counted when it has arrived.
func (t *tour) done(m viewing.Media, at time.Time, count *int) {
	t.watched[m.Key()+" "+at.UTC().Format(time.RFC3339)] = count
}

// close ends all that runs.
func (t *tour) close() {
	faults := []error{t.halt()}
	t.takeAway()
	if t.service != nil {
		faults = append(faults, t.service.Close())
	}
	if t.kodi != nil {
		faults = append(faults, t.kodi.Close())
	}
	if err := errors.Join(faults...); err != nil {
		t.say("not everything could be closed: %v", err)
	}
}
