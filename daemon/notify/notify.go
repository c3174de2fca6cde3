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
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gen2brain/beeep"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/viewing"
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
	if err != nil {
		return err
	}
	if n.told == nil {
		records, err := n.Keep.Load(ctx)
		if err != nil {
			return err
		}
		if n.saved = records[record]; json.Unmarshal(n.saved, &n.told) != nil || n.told == nil { // as if there were none
			n.told = map[string]time.Time{}
		}
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

// compose makes one notice of problems, the worst first, each with the act that mends it.
func compose(problems []control.Problem) (n Notice) {
	var lines []string
	for _, p := range problems {
		text := p.Text + " " + p.Act.Text
		if c := p.Act.Command; c != nil && !strings.Contains(text, *c) {
			text = strings.TrimSuffix(text, ".") + ": " + *c
		}
		n.Codes, lines = append(n.Codes, p.Code), append(lines, text)
	}
	n.Text = strings.Join(lines, "\n")
	if letters := []rune(n.Text); len(letters) > maxText {
		n.Text = string(letters[:maxText-1]) + "…"
	}
	return n
}

const (
	title   = "Filmspool"
	timeout = 10 * time.Second // of the desktop, and of a webhook
)

// HasDesktop reports whether this process may reach the desktop of a person. On Linux it
// needs a session bus on this machine; other kinds of address would start programs, or go
// over the network.
func HasDesktop(getenv func(string) string) bool {
	address, folder := getenv("DBUS_SESSION_BUS_ADDRESS"), getenv("XDG_RUNTIME_DIR")
	if runtime.GOOS != "linux" || address != "" {
		return runtime.GOOS != "linux" || strings.HasPrefix(address, "unix:")
	}
	_, err := os.Stat(filepath.Join(folder, "bus"))
	return folder != "" && err == nil
}

// Desktop shows a notice on the desktop.
func Desktop(ctx context.Context, n Notice) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	text := n.Text
	if runtime.GOOS == "linux" { // desktops there read markup
		text = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text)
	}
	shown := make(chan error, 1)
	go func() {
		beeep.AppName = title
		shown <- beeep.Notify(title, text, "")
	}()
	select {
	case <-ctx.Done():
		return viewing.Say("notify.desktopSlow", "span", timeout.String())
	case err := <-shown:
		if err != nil {
			return viewing.Say("notify.notShown", "reason", err.Error())
		}
		return nil
	}
}

// Webhook posts a notice as text, with the headers of ntfy (docs.ntfy.sh/publish). The
// token may be empty. A redirect is not followed, since it could lead the token elsewhere.
func Webhook(address, token, agent string) func(context.Context, Notice) error {
	client := &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context, n Notice) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(n.Text))
		if err != nil {
			return viewing.Say("notify.address")
		}
		r.Header.Set("Content-Type", "text/plain; charset=utf-8")
		r.Header.Set("User-Agent", agent)
		r.Header.Set("Title", title)
		r.Header.Set("Priority", "high")
		r.Header.Set("Tags", strings.Join(n.Codes, ","))
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := client.Do(r)
		if at, is := errors.AsType[*url.Error](err); is && at.Timeout() {
			return viewing.Say("notify.webhookSlow", "span", timeout.String())
		} else if is { // without the address: with ntfy, everybody who knows it can read along
			err = at.Err
		}
		if err != nil {
			return viewing.Say("notify.webhook", "reason", err.Error())
		}
		defer answer.Body.Close()
		_, _ = io.CopyN(io.Discard, answer.Body, 4<<10) // so that the connection can be kept
		if answer.StatusCode/100 != 2 {
			return viewing.Say("notify.answered", "status", strconv.Itoa(answer.StatusCode))
		}
		return nil
	}
}
