package control_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
)

// tell asks the program at the server's address for its status.
func tell(t *testing.T, s *httptest.Server) error {
	t.Helper()
	c := control.NewClient(s.Listener.Addr().String(), "token")
	defer c.Close()
	_, err := c.Login(t.Context(), control.Login{Key: "sk_secret"})
	return err
}

// Nothing but the question for a proof reaches a program that has none.
func TestNothingIsToldToTheUnproven(t *testing.T) {
	daemon := httptest.NewServer(nil)
	defer daemon.Close()
	daemon.Config.Handler = control.Prove("token", daemon.Listener.Addr().String())
	for name, answer := range map[string]http.HandlerFunc{
		"another token": func(w http.ResponseWriter, r *http.Request) { control.Prove("other", r.Host).ServeHTTP(w, r) },
		"empty":         func(http.ResponseWriter, *http.Request) {},
		"empty proof":   func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"proof":""}`) },
		"nonce back":    func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"proof":%q}`, r.FormValue("nonce")) },
		"right, but fails": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			control.Prove("token", r.Host).ServeHTTP(w, r)
		},
		"right, but closes": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			control.Prove("token", r.Host).ServeHTTP(w, r)
		},
		"endless": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.Copy(w, endless{}) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, daemon.URL+r.URL.String(), http.StatusFound)
		},
		"passed on to the daemon": func(w http.ResponseWriter, r *http.Request) {
			answer, err := http.Get(daemon.URL + r.URL.String())
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			w.WriteHeader(answer.StatusCode)
			_, _ = io.Copy(w, answer.Body)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != control.ProofPath || len(r.Header) > 0 || r.ContentLength != 0 {
					t.Errorf("it was told %s %s %v", r.Method, r.URL, r.Header)
				}
				answer(w, r)
			}))
			defer s.Close()
			if err := tell(t, s); !errors.Is(err, control.ErrUnproven) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// endless is text without end.
type endless struct{}

func (endless) Read(into []byte) (int, error) { return copy(into, strings.Repeat("x", len(into))), nil }

// Every connection is proven anew: the program behind an address can change.
func TestEveryConnectionIsProven(t *testing.T) {
	var proofs atomic.Int64
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	defer s.Close()
	mux.HandleFunc(control.ProofPath, func(w http.ResponseWriter, r *http.Request) {
		proofs.Add(1)
		control.Prove("token", s.Listener.Addr().String()).ServeHTTP(w, r)
	})
	mux.HandleFunc("/v1/control/status", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token" {
			t.Errorf("header %v", r.Header)
		}
		fmt.Fprint(w, "{}")
	})
	c := control.NewClient(s.Listener.Addr().String(), "token")
	defer c.Close()
	for i := range 3 {
		if _, err := c.Status(t.Context()); err != nil || proofs.Load() != 1 {
			t.Fatalf("%d: %v after %d proofs", i, err, proofs.Load())
		}
	}
	s.CloseClientConnections()
	c.Close()
	if _, err := c.Status(t.Context()); err != nil || proofs.Load() != 2 {
		t.Errorf("%v after %d proofs", err, proofs.Load())
	}
}

func TestProofRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		nonce  string
		origin string
		want   int
	}{
		"good":    {strings.Repeat("n", 26), "", 200},
		"short":   {"n", "", 400},
		"long":    {strings.Repeat("n", 65), "", 400},
		"browser": {strings.Repeat("n", 26), "https://evil.example", 403},
	} {
		r := httptest.NewRequest("GET", control.ProofPath+"?nonce="+c.nonce, nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		if control.Prove("token", "127.0.0.1:1").ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
