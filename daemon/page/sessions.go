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

// sessions knows which browsers are signed in. It stores the host name and the sessions in a
// file.
type sessions struct {
	file string
	log  *slog.Logger

	mu      sync.Mutex
	saved   savedSessions
	tickets map[string]chan struct{} // the channel is closed when a browser signs in
}

// savedSessions is the content of the file.
type savedSessions struct {
	Host string               `json:"host"`     // the first label of the host name
	Ends map[string]time.Time `json:"sessions"` // end of each session, by its cookie
}

// openSessions reads the file. If it is missing or damaged, the host name is new.
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

// newTicket returns a ticket that is valid once.
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

// redeem uses a ticket. It reports whether the ticket was valid.
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

// await waits until a browser signs in with a ticket or the ticket expires. It reports whether
// one signed in.
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

// begin signs a browser in. If that cannot be saved, the session ends with the program.
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

// setCookie sets a cookie for this host, which scripts cannot read. A negative life deletes it.
func setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(life / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// has reports whether a request is from a signed-in browser.
func (s *sessions) has(r *http.Request) bool {
	c, err := r.Cookie(sessionCookie)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.saved.Ends[c.Value])
}

// endAll ends all sessions and tickets. If it fails, nothing has changed.
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

// flashCookie carries the report of an act to the next page, also across a reload of the daemon that
// the act caused.
const flashCookie = "filmspool-flash"

func setFlashes(w http.ResponseWriter, flashes []string) {
	if len(flashes) > 0 {
		setCookie(w, flashCookie, url.QueryEscape(strings.Join(flashes, "\n")), time.Minute)
	}
}

// takeFlashes returns the report of the last act and deletes its cookie.
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
