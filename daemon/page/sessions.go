package page

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
)

const (
	sessionCookie = "filmspool"
	sessionLife   = 30 * 24 * time.Hour
	ticketLife    = 30 * time.Second
)

// sessions decides which browsers are signed in. The host name and the sessions are kept
// in a file.
type sessions struct {
	file string
	log  *slog.Logger

	mu      sync.Mutex
	saved   savedSessions
	tickets map[string]chan struct{} // closed when a browser has signed in with it
}

// savedSessions is the content of the file.
type savedSessions struct {
	Host string               `json:"host"`     // the first part of the host name
	Ends map[string]time.Time `json:"sessions"` // when each session ends, by its cookie
}

// openSessions reads the file. Without one, or with a damaged one, the host name is new.
func openSessions(file string, log *slog.Logger) (*sessions, error) {
	s := &sessions{file: file, log: log, tickets: map[string]chan struct{}{}}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the sessions: %w", err)
	}
	if json.Unmarshal(text, &s.saved) == nil && s.saved.Host != "" && s.saved.Ends != nil {
		return s, nil
	}
	s.saved = savedSessions{"filmspool-" + strings.ToLower(rand.Text()), map[string]time.Time{}}
	return s, s.save()
}

func (s *sessions) save() error {
	text, err := json.Marshal(s.saved)
	if err != nil {
		return err
	}
	return config.WriteFile(s.file, text)
}

// newTicket makes a ticket, good once.
func (s *sessions) newTicket() string {
	text := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tickets[text] = make(chan struct{})
	time.AfterFunc(ticketLife, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.tickets, text)
	})
	return text
}

// redeem uses a ticket. It reports whether the ticket was good.
func (s *sessions) redeem(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	used, ok := s.tickets[text]
	if !ok {
		return false
	}
	select {
	case <-used:
		return false
	default:
		close(used)
		return true
	}
}

// await waits until a browser has signed in with a ticket, or the ticket has expired. It
// reports whether one has.
func (s *sessions) await(ctx context.Context, text string) bool {
	s.mu.Lock()
	used, ok := s.tickets[text]
	s.mu.Unlock()
	if !ok {
		return false
	}
	select {
	case <-used:
		return true
	case <-time.After(ticketLife):
	case <-ctx.Done():
	}
	return false
}

// begin signs a browser in. Where that cannot be saved, the session ends with the program.
func (s *sessions) begin(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, now := rand.Text(), time.Now()
	maps.DeleteFunc(s.saved.Ends, func(_ string, ends time.Time) bool { return now.After(ends) })
	s.saved.Ends[id] = now.Add(sessionLife)
	if err := s.save(); err != nil {
		s.log.Warn("a session could not be saved", "error", err)
	}
	setCookie(w, sessionCookie, id, sessionLife)
}

// setCookie gives the browser a cookie for this host alone, that scripts cannot read. A life
// below 0 takes it away.
func setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(life / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// has reports whether a request comes from a browser that is signed in.
func (s *sessions) has(r *http.Request) bool {
	c, err := r.Cookie(sessionCookie)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.saved.Ends[c.Value])
}

// endAll ends all sessions and tickets. Nothing has changed where it fails.
func (s *sessions) endAll() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.saved.Ends
	s.saved.Ends = map[string]time.Time{}
	if err := s.save(); err != nil {
		s.saved.Ends = before
		return err
	}
	clear(s.tickets)
	return nil
}

// flashCookie carries the report of an act to the page that follows. It lasts over a
// reload of the settings, which the act may have caused.
const flashCookie = "filmspool-flash"

func setFlashes(w http.ResponseWriter, flashes []string) {
	if len(flashes) > 0 {
		setCookie(w, flashCookie, url.QueryEscape(strings.Join(flashes, "\n")), time.Minute)
	}
}

// takeFlashes returns the report of the last act, once.
func takeFlashes(w http.ResponseWriter, r *http.Request) []string {
	c, err := r.Cookie(flashCookie)
	if err != nil {
		return nil
	}
	setCookie(w, flashCookie, "", -time.Second)
	text, err := url.QueryUnescape(c.Value)
	if err != nil {
		return nil
	}
	return strings.Split(text, "\n")
}
