package demo

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// pairBrowser pairs a browser as a user does: a code from the daemon, typed
// into the extension.
func (t *tour) pairBrowser(ctx context.Context) error {
	s := &t.stage
	code, err := s.control.Pair(ctx)
	if err != nil {
		return err
	}
	if err := t.connectBrowser(ctx); err != nil {
		return err
	}
	if s.clientID, s.token, err = s.browser.Pair(ctx, code.Code, "the demo's browser"); err != nil {
		return fmt.Errorf("pair the browser: %w", err)
	}
	t.say("A browser pairs with the code %s.", code.Code)
	return nil
}

// connectBrowser opens the browser's socket; once paired it shows its token.
func (t *tour) connectBrowser(ctx context.Context) (err error) {
	s := &t.stage
	s.browser, err = client.Dial(ctx, client.Options{
		URL: "ws://" + s.listen + "/v1/connector", Origin: origin,
		Info:     protocol.ClientInfo{Name: "demo", Version: t.o.Version, Browser: "demo"},
		ClientID: s.clientID, Token: s.token,
	})
	return err
}

// inBrowser reports a viewing over the browser's socket and waits for the
// acknowledgement.
func (t *tour) inBrowser(ctx context.Context, m viewing.Media, at time.Time) error {
	at = seconds(at)
	began := time.Now()
	if _, err := t.stage.browser.Viewing(ctx, protocol.Viewing{
		ID: newUUID(), Media: m, WatchedAt: at.Format(time.RFC3339), Count: 1,
		Source: &protocol.Source{Site: "films.example"},
	}); err != nil {
		return fmt.Errorf("report a viewing: %w", err)
	}
	t.plan.watched = append(t.plan.watched, act{browser, m, at})
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

// stay keeps everything up until ctx ends and says what can be tried.
func (t *tour) stay(ctx context.Context) {
	t.say("It stays up until Ctrl-C. In another terminal:")
	state := t.stage.paths.State
	fmt.Fprintf(t.o.Story, "\n  filmspool --state-dir %s queue list\n  filmspool --state-dir %s add movie 550\n  curl http://%s/_sandbox/records\n\n",
		state, state, t.stage.address)
	<-ctx.Done()
	t.say("Good night: the folder is removed.")
}
