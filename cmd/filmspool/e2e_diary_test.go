package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/connectortest"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// act is a viewing, a watchlist item or a list that one source reports. All acts differ.
type act struct {
	kind  viewing.Kind
	media viewing.Media
	name  string // of a list
	at    time.Time
}

// mark identifies the act's record at the service.
func (a act) mark() string {
	switch a.kind {
	case viewing.KindList:
		return "list " + a.name
	case viewing.KindWatchlist:
		return fmt.Sprintf("wish %d", a.media.IDs.TMDB)
	}
	if a.media.Type == viewing.Movie {
		return fmt.Sprintf("movie %d %d", a.media.IDs.TMDB, a.at.UnixMilli())
	}
	return fmt.Sprintf("episode %d %d %d %d", a.media.Show.IDs.TMDB, *a.media.Season, *a.media.Episode, a.at.UnixMilli())
}

// diary lets several sources report to one daemon and records what was acknowledged.
type diary struct {
	t       testing.TB
	h       *fixture
	address atomic.Pointer[string] // of the daemon; nil while it is down
	every   time.Duration          // interval between the acts of a source
	began   time.Time

	mu       sync.Mutex
	invented int
	reported map[string]bool   // marks that may be at the service
	acked    map[string]string // by event id, or by "entry N": the mark
}

func newDiary(h *fixture) *diary {
	return &diary{
		t: h.t, h: h, every: 20 * time.Millisecond, began: time.Now().Add(-1000 * 24 * time.Hour).Truncate(time.Hour),
		reported: map[string]bool{}, acked: map[string]string{},
	}
}

// invent returns the next act: films, some of them again an hour later, which is another
// playback; episodes of one series; some watchlist items and lists.
func (d *diary) invent() act {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.invented++
	n := d.invented
	a := act{kind: viewing.KindViewing, at: d.began.Add(time.Duration(n) * 10 * time.Minute)}
	switch season, episode := 1, n; {
	case n%29 == 0:
		a.kind, a.name = viewing.KindList, fmt.Sprintf("List %d", n)
	case n%19 == 0:
		a.kind, a.media = viewing.KindWatchlist, film(int64(n))
	case n%5 == 0:
		a.media = viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: &season, Episode: &episode}
	case n%7 == 0:
		a.media = film(int64(n - 6)) // a second time
	default:
		a.media = film(int64(n))
	}
	d.reported[a.mark()] = true
	return a
}

func film(id int64) viewing.Media {
	return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: id}, Title: fmt.Sprint("Film ", id)}
}

// keep records an acknowledgement.
func (d *diary) keep(id string, a act) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.acked[id] = a.mark()
}

// acknowledged returns the number of acknowledged acts.
func (d *diary) acknowledged() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.acked)
}

// rest waits for d and reports whether ctx has not ended.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// browse reports acts as a paired browser, each repeatedly until it is acknowledged.
func (d *diary) browse(ctx context.Context, o connectortest.Options) {
	var socket *connectortest.Client
	defer func() {
		if socket != nil {
			socket.Close()
		}
	}()
	for rest(ctx, d.every) {
		a, id := d.invent(), uuid()
		for {
			err := d.report(ctx, &socket, o, a, id)
			if err == nil {
				d.keep(id, a)
				break
			}
			if refusal, ok := errors.AsType[*protocol.Error](err); ok && !refusal.Retryable {
				d.t.Errorf("%s was refused: %v", a.mark(), err)
				return
			}
			if !rest(ctx, 10*time.Millisecond) {
				return
			}
		}
	}
}

// report sends one act, on a new socket if there is no open one.
func (d *diary) report(ctx context.Context, socket **connectortest.Client, o connectortest.Options, a act, id string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if *socket == nil {
		address := d.address.Load()
		if address == nil {
			return errors.New("the daemon is down")
		}
		o.URL = "ws://" + *address + "/v1/connector"
		if *socket, err = connectortest.Dial(ctx, o); err != nil {
			*socket = nil
			return err
		}
	}
	switch a.kind {
	case viewing.KindList:
		_, err = (*socket).List(ctx, protocol.List{ID: id, Name: a.name, Visibility: "PRIVATE"})
	case viewing.KindWatchlist:
		_, err = (*socket).Watchlist(ctx, protocol.Watchlist{ID: id, Media: a.media})
	default:
		_, err = (*socket).Viewing(ctx, protocol.Viewing{ID: id, Media: a.media, WatchedAt: a.at.Format(time.RFC3339), Count: 1})
	}
	if _, refused := errors.AsType[*protocol.Error](err); err != nil && !refused {
		(*socket).Close()
		*socket = nil
	}
	return err
}

// typeIn adds acts with the command line; exit code 0 is the acknowledgement.
func (d *diary) typeIn(ctx context.Context) {
	for rest(ctx, 20*d.every) {
		a := d.invent()
		args := []string{"add", fmt.Sprint(a.media.IDs.TMDB), a.at.Format(time.RFC3339)}
		switch {
		case a.kind == viewing.KindList:
			continue // the command line adds an item to it
		case a.kind == viewing.KindWatchlist:
			args = []string{"add", fmt.Sprint(a.media.IDs.TMDB), "--watchlist"}
		case a.media.Type == viewing.Episode:
			args = []string{"add", "1396", fmt.Sprintf("S01E%02d", *a.media.Episode), a.at.Format(time.RFC3339)}
		}
		out, err := d.h.command(context.WithoutCancel(ctx), append(args, "--json")...).Output()
		d.h.said.add(out)
		var added entry.Entry
		if err == nil && json.Unmarshal(out, &added) == nil {
			d.keep(fmt.Sprint("entry ", added.ID), a)
		}
	}
}

func uuid() string {
	b := make([]byte, 16)
	rand.Read(b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// recorded counts the service's records by mark.
func recorded(r sandbox.Records) map[string]int {
	have := map[string]int{}
	for _, v := range r.History {
		if v.Type == string(viewing.Movie) {
			have[fmt.Sprintf("movie %d %d", v.ID, v.WatchedAt.UnixMilli())]++
			continue
		}
		have[fmt.Sprintf("episode %d %d %d %d", v.TVShowID, *v.SeasonNumber, v.EpisodeNumber, v.WatchedAt.UnixMilli())]++
	}
	for _, w := range r.Watchlist {
		have[fmt.Sprintf("wish %d", w.ID)]++
	}
	for _, l := range r.Lists {
		have["list "+l.Name]++
	}
	return have
}
