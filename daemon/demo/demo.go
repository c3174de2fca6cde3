// Package demo is the tour behind "filmspool demo". In a temporary folder it starts a tracking service and the real
// daemon; a program that reports for a browser, the command line's interface and a Kodi library produce viewings.
// The service is taken away and comes back, and at the end the demo counts what the service has recorded.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
		_ = t.stop() // a story that was told ends well
		t.takeAway()
		_ = t.service.Close()
	}()
	limited, cancel := context.WithTimeout(ctx, tourTime)
	defer cancel()
	t.setTheStage(limited)
	t.watch(limited)
	t.watchWithoutTheService(limited)
	t.serve(limited)
	t.say("The service is back.")
	t.delivered(limited)
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

// setTheStage starts everything and introduces everybody.
func (t *tour) setTheStage(ctx context.Context) {
	t.serve(ctx)
	base := "http://" + t.address + "/api/v1"
	t.say("A tracking service of our own answers at %s.", base)
	t.inLibrary(ctx, kodiLibrary)
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

// watch lets everybody watch something while all is well.
func (t *tour) watch(ctx context.Context) {
	t.inBrowser(ctx, film(157336, "Gamma", 2014), time.Minute)
	t.inKodi(ctx, 1, film(603, "Alpha One", 1999))
	t.byHand(ctx, episode(121361, "Show Blue", 1, 1), 2*time.Hour)
	series := viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}, Title: "Show Red"}
	t.add(ctx, viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{series}})
	t.add(ctx, viewing.Event{Kind: viewing.KindList, List: &viewing.List{Name: "Rainy days", Description: "For when it rains"}})
	t.delivered(ctx)
}

// watchWithoutTheService takes the service away and lets everybody go on. Then it stops the daemon with all that
// waits, and starts it again.
func (t *tour) watchWithoutTheService(ctx context.Context) {
	t.takeAway()
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

// tally counts what arrived once, what did not arrive, and what arrived more often than it was done.
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
	for _, n := range []int{r.Watchlist, r.Lists} { // one of each was made
		r.Lost += max(1-n, 0)
		r.Doubled += max(n-1, 0)
	}
}
