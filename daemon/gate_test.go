package daemon

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
)

// TestRequestsWaitForTheNextInstance, but not for one that never comes.
func TestRequestsWaitForTheNextInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &process{gate: newGate()}
		d := &Daemon{core: newCore(Options{Logger: slog.New(slog.DiscardHandler)}), process: p, stop: func() {}}
		says := func(word string) *instance {
			return newInstance(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, word) }), nil)
		}
		ask := func() <-chan *httptest.ResponseRecorder {
			answer := make(chan *httptest.ResponseRecorder, 1)
			go func() {
				w := httptest.NewRecorder()
				p.forward(func(i *instance) http.Handler { return i.public }).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
				answer <- w
			}()
			synctest.Wait()
			return answer
		}
		early := ask()
		p.enter(says("one"))
		if a, b := <-early, <-ask(); a.Body.String() != "one" || b.Body.String() != "one" {
			t.Errorf("the first instance says %q and %q", a.Body, b.Body)
		}
		d.restartWith(t.Context(), config.Default())
		late := ask()
		p.enter(says("two"))
		if a := <-late; a.Body.String() != "two" {
			t.Errorf("after a change %q answers", a.Body)
		}
		p.leave()
		never := ask()
		close(p.closed)
		if a := <-never; a.Code != http.StatusServiceUnavailable {
			t.Errorf("at the end: %d", a.Code)
		}
	})
}

// TestAnInstanceWaitsForItsAnswers for a while, then cuts them off.
func TestAnInstanceWaitsForItsAnswers(t *testing.T) {
	for name, c := range map[string]struct{ takes, waits time.Duration }{
		"quick": {time.Second, time.Second}, "slow": {time.Hour, stopTime},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate()
				i := newInstance(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					select {
					case <-r.Context().Done():
					case <-time.After(c.takes):
					}
				}), nil)
				g.enter(i)
				go g.forward(func(i *instance) http.Handler { return i.public }).ServeHTTP(
					httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
				synctest.Wait()
				g.leave()
				begun := time.Now()
				if i.finish(); time.Since(begun) != c.waits {
					t.Errorf("waited %s, want %s", time.Since(begun), c.waits)
				}
			})
		})
	}
}
