package page

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/time/rate"
)

const (
	minEventGap  = time.Second // so that sending a thousand entries redraws a page once a second
	eventTimeout = 15 * time.Second
)

// live sends an open page a server-sent event whenever it should reload its content.
func (s *Site) live(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	changed, stop := s.o.Changed()
	defer stop()
	local := s.localChange()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	limit := rate.NewLimiter(rate.Every(minEventGap), 1)
	for event := "here"; limit.Wait(ctx) == nil; event = "change" {
		_ = out.SetWriteDeadline(time.Now().Add(eventTimeout))
		_, err := fmt.Fprintf(w, "retry: 2000\nevent: %s\ndata:\n\n", event)
		if err != nil || out.Flush() != nil || event == "change" && !s.sessions.has(r) {
			return
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-local:
			local = s.localChange()
		}
	}
}

// localChange returns a channel that is closed by the next [Site.notify].
func (s *Site) localChange() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// notify reloads the content of all open pages.
func (s *Site) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}
