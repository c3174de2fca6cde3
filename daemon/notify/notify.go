// Package notify tells a person of problems where they are: on their desktop or by
// a webhook.
//
// It owns what each way has told, and when. It promises that a way tells of a problem
// once. It tells again only when the problem was over for an hour, or when it has
// lasted for seven more days. That holds over restarts. Problems that come together
// are one notice.
//
// A way that fails is tried again while the problem lasts, after one minute to one
// hour. A notice comes twice only where the program ends between sending it and
// writing that down.
//
// It refuses to find problems, and it says nothing when one is over.
package notify

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
)

// Way is one way to reach a person.
type Way struct {
	Name string
	// Tells reports whether this way tells of a problem.
	Tells func(control.Problem) bool
	// Send shows or sends one notice, and takes bounded time. Its error is for a person,
	// and names no secret.
	Send func(context.Context, Notice) error
}

// Keep is where it stands what was told: a record for each way, by its name.
type Keep interface {
	Load(context.Context) (map[string][]byte, error)
	Save(ctx context.Context, name string, record []byte) error
}

// Options is what [Run] works with. All of it must be set.
type Options struct {
	Ways []Way
	// Problems are those that there are now, the worst first, with those that another causes.
	Problems func(context.Context) ([]control.Problem, error)
	// News brings a nudge when they may have changed.
	News   <-chan struct{}
	Keep   Keep
	Speech locale.Speech
	Logger *slog.Logger
}

// The times between looks. Problems also come by time alone, without news.
const (
	gather    = 10 * time.Second // from the first news to the look: a burst is one notice
	lookEvery = 10 * time.Minute
	firstTry  = time.Minute // from a failure to the next try
	lastTry   = time.Hour
)

// Run tells of problems until ctx ends. Without a way it looks at nothing.
func Run(ctx context.Context, o Options) {
	if len(o.Ways) == 0 {
		<-ctx.Done()
		return
	}
	r := &run{Options: o}
	for wait := gather; ; wait = r.look(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			continue
		case <-o.News:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(gather):
		}
	}
}

// run is one Run; only its goroutine touches it.
type run struct {
	Options
	tellers []*teller // none until what was told is loaded
	blind   bool      // the last look failed, and the log says so
}

// teller is one way and what it has told.
type teller struct {
	Way
	told    ledger
	unsaved bool
	retry   time.Duration // how long the next failure waits; 0 while the way works
	next    time.Time     // it is not tried before
}

// look tells what is due, and says when to look again.
func (r *run) look(ctx context.Context) time.Duration {
	problems, err := r.Problems(ctx)
	if err == nil && r.tellers == nil {
		err = r.load(ctx)
	}
	if err != nil {
		if !r.blind && ctx.Err() == nil {
			r.Logger.Warn("notices wait: the problems cannot be looked up", "error", err)
		}
		r.blind = true
		return lookEvery
	}
	r.blind = false
	wait := lookEvery
	for _, t := range r.tellers {
		r.tell(ctx, t, problems)
		if t.retry > 0 {
			wait = min(wait, time.Until(t.next))
		}
	}
	return max(wait, time.Second)
}

// load reads what was told. A record that cannot be read is like none.
func (r *run) load(ctx context.Context) error {
	records, err := r.Keep.Load(ctx)
	if err != nil {
		return err
	}
	for _, w := range r.Ways {
		t := &teller{Way: w, told: ledger{}}
		if record := records[w.Name]; record != nil && json.Unmarshal(record, &t.told) != nil {
			t.told = ledger{}
		}
		r.tellers = append(r.tellers, t)
	}
	return nil
}

// tell has one way tell what is due, if it may now, and writes that down.
func (r *run) tell(ctx context.Context, t *teller, problems []control.Problem) {
	now := time.Now()
	due, changed := t.told.due(now, standing(problems, t.Tells))
	if len(due) > 0 && !now.Before(t.next) && r.send(ctx, t, due) {
		t.told.note(now, due)
		changed = true
	}
	if !changed && !t.unsaved {
		return
	}
	record, err := json.Marshal(t.told)
	if err == nil {
		err = r.Keep.Save(context.WithoutCancel(ctx), t.Name, record) // what was sent is written down, also at the end
	}
	if err != nil && !t.unsaved {
		r.Logger.Warn("what was told could not be written down; trying again", "way", t.Name, "error", err)
	}
	t.unsaved = err != nil
}

// send sends one notice, and reports whether that went well.
func (r *run) send(ctx context.Context, t *teller, due []control.Problem) bool {
	err := t.Send(ctx, compose(r.Speech, due))
	switch {
	case ctx.Err() != nil && err != nil:
		return false
	case err != nil:
		if t.retry == 0 {
			r.Logger.Warn("a notice could not be given; trying again", "way", t.Name, "error", err)
		}
		t.retry = min(max(2*t.retry, firstTry), lastTry)
		t.next = time.Now().Add(t.retry)
		return false
	case t.retry > 0:
		r.Logger.Info("notices can be given again", "way", t.Name)
	}
	t.retry, t.next = 0, time.Time{}
	return true
}
