package page

import (
	"fmt"
	"net/http"
	"time"
)

const (
	// quiet is the least time between two news of one page: a replay of a thousand
	// viewings must not have it drawn a thousand times.
	quiet = time.Second
	// heartbeat is how often a page hears that we are there.
	heartbeat = 25 * time.Second
	// mostStreams is how many pages may listen at once; others work without news.
	mostStreams = 16
)

// change is the event that has a page asked for anew.
const change = "event: change\ndata:\n\n"

// live tells an open page that something has changed, as server-sent events. The
// page asks for itself anew then.
func (s *Site) live(w http.ResponseWriter, r *http.Request) {
	if !s.takeStream() {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer s.giveStream()
	changed, stop := s.o.Changed()
	defer stop()
	news := s.news()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	send := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(heartbeat)) // of a connection: cannot fail
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil
	}
	if !send("retry: 2000\nevent: here\ndata:\n\n") {
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		ok := true
		select {
		case <-r.Context().Done():
			return
		case <-s.running.Done():
			return
		case <-beat.C:
			ok = send(":\n\n")
		case <-news:
			_, in := s.door.session(r)
			news, ok = s.news(), send(change) && in
		case <-changed:
			ok = send(change) && s.pause(r)
		}
		if !ok {
			return
		}
	}
}

// pause waits between two news, and reports whether the page still listens.
func (s *Site) pause(r *http.Request) bool {
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-s.running.Done():
	}
	return false
}

// news is closed when something changes that is known here alone.
func (s *Site) news() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

func (s *Site) takeStream() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams >= mostStreams {
		return false
	}
	s.streams++
	return true
}

func (s *Site) giveStream() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams--
}
