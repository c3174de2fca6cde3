// Package notify reports problems to the user on the desktop or through a webhook. Each channel
// reports a problem once, and again if it has lasted for a week or returns after a day; this is
// remembered across restarts. Problems that occur together are one notice. A notice that could
// not be sent is tried again after ten minutes.
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

// Channel is a way to reach the user.
type Channel struct {
	Name string
	// Codes are the problems that it reports; if empty, all that need the user.
	Codes []string
	// Send sends one notice within a limited time. Its error contains no secret.
	Send func(context.Context, Notice) error
}

// reports reports whether the channel reports a problem. It omits a problem if it reports its
// cause.
func (c Channel) reports(p control.Problem, all []control.Problem) bool {
	caused := func(q control.Problem) bool { return q.Code == *p.Cause && c.reports(q, nil) }
	return p.Severity == control.NeedsYou &&
		(len(c.Codes) == 0 || slices.Contains(c.Codes, p.Code)) &&
		(p.Cause == nil || !slices.ContainsFunc(all, caused))
}

// Store stores which problems were reported, as one record.
type Store interface {
	Load(context.Context) (map[string][]byte, error)
	Save(ctx context.Context, name string, record []byte) error
}

// record is the name of the stored record.
const record = "told"

// Notifier reports problems. All exported fields must be set.
type Notifier struct {
	Channels []Channel
	// Problems returns the current problems, the most severe first, including those with a cause.
	Problems func(context.Context) ([]control.Problem, error)
	// News signals that the problems may have changed.
	News   <-chan struct{}
	Store  Store
	Logger *slog.Logger

	reported map[string]time.Time // when a channel reported a problem, by key; nil until loaded
	saved    []byte               // the stored encoding of it
}

const (
	collectTime   = 10 * time.Second // after a change, so that a burst is one notice
	checkInterval = 10 * time.Minute // because some problems only depend on time
	forgetAfter   = 24 * time.Hour
	remindAfter   = 7 * 24 * time.Hour
)

// Run reports problems until ctx ends.
func (n *Notifier) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(collectTime):
		}
		if err := n.check(ctx); err != nil && ctx.Err() == nil {
			n.Logger.Warn("notices wait; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-n.News:
		case <-time.After(checkInterval):
		}
	}
}

// check sends the notices that are due and stores that.
func (n *Notifier) check(ctx context.Context) error {
	problems, err := n.Problems(ctx)
	if err != nil {
		return err
	}
	if n.reported == nil {
		records, err := n.Store.Load(ctx)
		if err != nil {
			return err
		}
		if n.saved = records[record]; json.Unmarshal(n.saved, &n.reported) != nil || n.reported == nil { // an unreadable record counts as empty
			n.reported = map[string]time.Time{}
		}
	}
	var faults []error
	now := time.Now().Round(0).UTC() // wall clock: the machine may have been asleep
	current := map[string]bool{}
	for _, c := range n.Channels {
		var due []control.Problem
		for _, p := range problems {
			if !c.reports(p, problems) {
				continue
			}
			current[key(c, p)] = true
			if at, reported := n.reported[key(c, p)]; !reported || now.Sub(at) >= remindAfter {
				due = append(due, p)
			}
		}
		if len(due) == 0 {
			continue
		}
		if err := c.Send(ctx, compose(due)); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", c.Name, err))
			continue
		}
		for _, p := range due {
			n.reported[key(c, p)] = now
		}
	}
	for k, at := range n.reported {
		switch {
		case at.After(now): // the clock was set back
			n.reported[k] = now
		case !current[k] && now.Sub(at) >= forgetAfter:
			delete(n.reported, k)
		}
	}
	raw, err := json.Marshal(n.reported)
	if err == nil && !bytes.Equal(raw, n.saved) {
		if err = n.Store.Save(context.WithoutCancel(ctx), record, raw); err == nil { // also during shutdown
			n.saved = raw
		}
	}
	return errors.Join(append(faults, err)...)
}

// key identifies a problem of a channel.
func key(c Channel, p control.Problem) string { return c.Name + " " + p.Code + " " + p.About }

// Notice is one message to the user.
type Notice struct {
	Text  string   // one line per problem
	Codes []string // of the problems, the worst first
}

// maxText is the maximum length of a notice in characters.
const maxText = 1000

// Test returns a test notice.
func Test(s locale.Speech) Notice {
	return Notice{Text: s.Say("notify.test"), Codes: []string{"test"}}
}

// compose returns one notice about problems, each with its remedy.
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

// HasDesktop reports whether this process can show desktop notifications. On Linux it needs a
// session bus on a Unix socket; other kinds of address would start programs or use the network.
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
	if runtime.GOOS == "linux" { // desktops there interpret markup
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

// Webhook returns a function that posts a notice as text, with the headers of ntfy
// (docs.ntfy.sh/publish). The token may be empty. Redirects are not followed, because they could
// send the token to another server.
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
		} else if is { // without the address: with ntfy, anyone who knows it can read the messages
			err = at.Err
		}
		if err != nil {
			return viewing.Say("notify.webhook", "reason", err.Error())
		}
		defer answer.Body.Close()
		_, _ = io.CopyN(io.Discard, answer.Body, 4<<10) // so that the connection can be reused
		if answer.StatusCode/100 != 2 {
			return viewing.Say("notify.answered", "status", strconv.Itoa(answer.StatusCode))
		}
		return nil
	}
}
