// Package notify tells a person about problems where they are: on their desktop or by a
// webhook. Each way tells a problem once, and again when it has lasted for a week or has
// come back a day after it was told. That holds over restarts. Problems that come together
// are one notice. What could not be sent is tried again every ten minutes.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
)

// Way is one way to reach a person.
type Way struct {
	Name string
	// Codes are the problems that it tells; none is all that need a person.
	Codes []string
	// Send sends one notice in bounded time. Its error names no secret.
	Send func(context.Context, Notice) error
}

// tells reports whether a way tells a problem. One whose cause it tells goes with the
// cause.
func (w Way) tells(p control.Problem, all []control.Problem) bool {
	caused := func(q control.Problem) bool { return q.Code == *p.Cause && w.tells(q, nil) }
	return p.Severity == control.NeedsYou &&
		(len(w.Codes) == 0 || slices.Contains(w.Codes, p.Code)) &&
		(p.Cause == nil || !slices.ContainsFunc(all, caused))
}

// Keep stores what was told, as one record.
type Keep interface {
	Load(context.Context) (map[string][]byte, error)
	Save(ctx context.Context, name string, record []byte) error
}

// record is the name of what [Keep] stores.
const record = "told"

// Notifier tells problems. All of its fields must be set.
type Notifier struct {
	Ways []Way
	// Problems are those that there are now, the worst first, with those that another causes.
	Problems func(context.Context) ([]control.Problem, error)
	// News says that they may have changed.
	News   <-chan struct{}
	Keep   Keep
	Logger *slog.Logger

	told  map[string]time.Time // when a way has told a problem; nil until it is loaded
	saved []byte               // what is stored of it
}

const (
	gather    = 10 * time.Second // from the first news to the look: a burst is one notice
	lookEvery = 10 * time.Minute // some problems come by time alone
	forgetIn  = 24 * time.Hour
	remindIn  = 7 * 24 * time.Hour
)

// Run tells problems until ctx ends.
func (n *Notifier) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(gather):
		}
		if err := n.look(ctx); err != nil && ctx.Err() == nil {
			n.Logger.Warn("notices wait; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-n.News:
		case <-time.After(lookEvery):
		}
	}
}

// look tells what is due, and stores that.
func (n *Notifier) look(ctx context.Context) error {
	problems, err := n.Problems(ctx)
	if err == nil && n.told == nil {
		err = n.load(ctx)
	}
	if err != nil {
		return err
	}
	var faults []error
	now := time.Now().Round(0).UTC() // by the calendar: a machine may sleep for days
	stands := map[string]bool{}
	for _, w := range n.Ways {
		var due []control.Problem
		for _, p := range problems {
			if !w.tells(p, problems) {
				continue
			}
			stands[key(w, p)] = true
			if at, told := n.told[key(w, p)]; !told || now.Sub(at) >= remindIn {
				due = append(due, p)
			}
		}
		if len(due) == 0 {
			continue
		}
		if err := w.Send(ctx, compose(due)); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", w.Name, err))
			continue
		}
		for _, p := range due {
			n.told[key(w, p)] = now
		}
	}
	for k, at := range n.told {
		switch {
		case at.After(now): // the clock was set back
			n.told[k] = now
		case !stands[k] && now.Sub(at) >= forgetIn:
			delete(n.told, k)
		}
	}
	raw, err := json.Marshal(n.told)
	if err == nil && !bytes.Equal(raw, n.saved) {
		if err = n.Keep.Save(context.WithoutCancel(ctx), record, raw); err == nil { // also at the end
			n.saved = raw
		}
	}
	return errors.Join(append(faults, err)...)
}

// key names a problem as told by a way.
func key(w Way, p control.Problem) string { return w.Name + " " + p.Code + " " + p.About }

// load reads what was told. A record that cannot be read is like none.
func (n *Notifier) load(ctx context.Context) error {
	records, err := n.Keep.Load(ctx)
	if err != nil {
		return err
	}
	if n.saved = records[record]; json.Unmarshal(n.saved, &n.told) != nil || n.told == nil {
		n.told = map[string]time.Time{}
	}
	return nil
}

// Notice is what is sent at once.
type Notice struct {
	Text  string   // a line for each problem
	Codes []string // of the problems, the worst first
}

// maxText is how many letters a notice has.
const maxText = 1000

// Test is a notice that says that it is a test.
func Test(s locale.Speech) Notice {
	return Notice{Text: s.Say("notify.test"), Codes: []string{"test"}}
}

// compose makes one notice of problems, the worst first.
func compose(problems []control.Problem) (n Notice) {
	for i, p := range problems {
		if i > 0 {
			n.Text += "\n"
		}
		n.Codes, n.Text = append(n.Codes, p.Code), n.Text+line(p)
	}
	if letters := []rune(n.Text); len(letters) > maxText {
		n.Text = string(letters[:maxText-1]) + "…"
	}
	return n
}

// line is one problem with the act that mends it.
func line(p control.Problem) string {
	text := p.Text + " " + p.Act.Text
	if c := p.Act.Command; c != nil && !strings.Contains(text, *c) {
		text = strings.TrimSuffix(text, ".") + ": " + *c
	}
	return text
}
