package daemon

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
)

// A port in use is reported with a hint; a non-local address is another error.
func TestPortInUseIsReported(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	address := l.Addr().String()
	at := func(address string) Options {
		return Options{Config: config.Config{Listen: address}, Paths: config.Paths{File: "/etc/filmspool/config.toml"}}
	}
	_, err = listen(t.Context(), at(address))
	fault, ok := errors.AsType[*control.Fault](err)
	if !ok || !errors.Is(err, config.ErrInvalid) || locale.In("").Error(err) != address+" is in use by another program" || fault.Hint.Code != "hint.otherPort" {
		t.Errorf("got %v", err)
	}
	if _, err := listen(t.Context(), at("192.0.2.1:43456")); !errors.Is(err, config.ErrInvalid) || strings.Contains(err.Error(), "portTaken") {
		t.Errorf("got %v", err)
	}
	if PortTaken(t.Context(), at("127.0.0.1:0")) != nil {
		t.Error("port 0 is held")
	}
}

// The port is also taken on the other loopback addresses: Chromium tries ::1 first for
// "localhost" and would send the ticket to another listener.
func TestPortIsTakenOnAllLoopbackAddresses(t *testing.T) {
	if l, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("this machine has no [::1]")
	} else if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b := runDaemon(t, nil)
	_, port, err := net.SplitHostPort(b.address)
	must(t, err)
	if l, err := net.Listen("tcp", "[::1]:"+port); err == nil {
		l.Close()
		t.Error("another program gets the port at [::1]")
	}
	answer, err := http.Get("http://[::1]:" + port + "/v1/health")
	must(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("at [::1]: %s", answer.Status)
	}
}

// A daemon does not start if another program has the port on one of the loopback addresses.
func TestPortInUseOnAnotherLoopbackAddress(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no [::1]")
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	all, err := listen(t.Context(), Options{Config: config.Config{Listen: "127.0.0.1:" + port}})
	if fault, ok := errors.AsType[*control.Fault](err); !ok || fault.Message.Code != "portTaken" || all != nil {
		t.Fatalf("got %v, %v", all, err)
	}
	again, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatalf("the first address is kept: %v", err)
	}
	again.Close()
}

// Requests during a reload wait for the next instance, and fail if the process stops.
func TestRequestsWaitForTheNextInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &process{dispatcher: newDispatcher()}
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
		p.activate(says("one"))
		if a, b := <-early, <-ask(); a.Body.String() != "one" || b.Body.String() != "one" {
			t.Errorf("the first instance says %q and %q", a.Body, b.Body)
		}
		d.restartWith(t.Context(), config.Default())
		late := ask()
		p.activate(says("two"))
		if a := <-late; a.Body.String() != "two" {
			t.Errorf("after a change %q answers", a.Body)
		}
		p.deactivate()
		never := ask()
		close(p.closed)
		if a := <-never; a.Code != http.StatusServiceUnavailable {
			t.Errorf("at the end: %d", a.Code)
		}
	})
}

// An instance waits for running requests for a limited time.
func TestInstanceWaitsForRunningRequests(t *testing.T) {
	for name, c := range map[string]struct{ takes, waits time.Duration }{
		"quick": {time.Second, time.Second}, "slow": {time.Hour, stopTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newDispatcher()
				i := newInstance(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					select {
					case <-r.Context().Done():
					case <-time.After(c.takes):
					}
				}), nil)
				g.activate(i)
				go g.forward(func(i *instance) http.Handler { return i.public }).ServeHTTP(
					httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
				synctest.Wait()
				g.deactivate()
				begun := time.Now()
				if i.finish(); time.Since(begun) != c.waits {
					t.Errorf("waited %s, want %s", time.Since(begun), c.waits)
				}
			})
		})
	}
}
