package tracker_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// openSandbox serves a sandbox; every request and answer of an operation of
// the contract is held against the document, but for empty probes.
func openSandbox(t *testing.T, contractOnly bool) (*sandbox.Service, string) {
	t.Helper()
	s, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "sandbox.jsonl"), ContractOnly: contractOnly})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(watched(t, s.Handler()))
	t.Cleanup(func() {
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, h.URL + "/api/v1"
}

func watched(t *testing.T, next http.Handler) http.Handler {
	contract := tracker.LoadContract(t)
	operations := map[string]tracker.Operation{"/api/v1/history": tracker.History, "/api/v1/watchlist": tracker.Watchlist, "/api/v1/lists": tracker.Lists}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		op, ok := operations[r.URL.Path]
		if err == nil && ok && r.Method == http.MethodPost && string(body) != "{}" {
			copied := r.Clone(context.Background())
			copied.URL.Scheme, copied.URL.Host, copied.Host = "https", "tracker.example", "tracker.example"
			copied.Body = io.NopCloser(bytes.NewReader(body))
			if err := contract.Request(copied); err != nil {
				t.Errorf("request %s %s: %v", r.URL.Path, body, err)
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		tee := &tee{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(tee, r) // one that breaks off panics past what follows
		if !ok || r.Method != http.MethodPost || tee.Header().Get("Content-Type") == "" {
			return
		}
		if err := contract.Answer(op, tee.status, tee.body.String()); err != nil && !tee.page() {
			t.Errorf("answer %s %d %s: %v", r.URL.Path, tee.status, tee.body.String(), err)
		}
	})
}

// tee keeps what passes through.
type tee struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (t *tee) WriteHeader(status int) {
	t.status = status
	t.ResponseWriter.WriteHeader(status)
}

func (t *tee) Write(p []byte) (int, error) {
	t.body.Write(p)
	return t.ResponseWriter.Write(p)
}

func (t *tee) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// page reports whether the answer is the fault that sends HTML.
func (t *tee) page() bool { return bytes.HasPrefix(bytes.TrimSpace(t.body.Bytes()), []byte("<")) }

func newClient(t *testing.T, base, key string) *tracker.Client {
	t.Helper()
	c, err := tracker.New(tracker.Options{BaseURL: base, Key: key, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func watchedAt() viewing.Instant {
	return viewing.At(time.Date(2026, 3, 1, 19, 0, 0, 0, time.UTC))
}

func request(t *testing.T, kind viewing.Kind, m viewing.Media) tracker.Request {
	t.Helper()
	r, err := tracker.NewRequest(kind, m, watchedAt(), &viewing.List{Name: "Noir"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func film() viewing.Media { return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}} }

func placed() viewing.Media {
	season, number := 1, 2
	return viewing.Media{Type: viewing.Episode, Season: &season, Episode: &number, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}}
}

func TestSandboxTakesEveryOperation(t *testing.T) {
	for _, contractOnly := range []bool{false, true} {
		s, base := openSandbox(t, contractOnly)
		c := newClient(t, base, s.SecretKey())
		sent := []tracker.Request{
			request(t, viewing.KindViewing, film()), request(t, viewing.KindViewing, placed()),
			request(t, viewing.KindWatchlist, film()), request(t, viewing.KindList, viewing.Media{}),
		}
		var listID string
		for _, r := range sent {
			v := c.Send(t.Context(), r)
			if v.Fate != tracker.Delivered || !v.Proves {
				t.Errorf("%+v: %+v", r, v)
			}
			listID = v.ListID
		}
		got, err := s.Records(t.Context())
		if err != nil || len(got.History) != 2 || len(got.Watchlist) != 1 || len(got.Lists) != 1 || got.Lists[0].ID != listID {
			t.Errorf("recorded %+v, %v; list id %q", got, err, listID)
		}
		if !c.Proven() {
			t.Error("the address is not proven")
		}
	}
}

func TestSandboxKeys(t *testing.T) {
	for _, contractOnly := range []bool{false, true} {
		s, base := openSandbox(t, contractOnly)
		good, bad := newClient(t, base, s.SecretKey()), newClient(t, base, "sk_unknown")
		if k := good.CheckKey(t.Context()); !k.Proven || k.Verdict.Fate != tracker.Delivered || (k.UserID == "") != contractOnly {
			t.Errorf("%+v", k)
		}
		if k := bad.CheckKey(t.Context()); k.Proven || k.Verdict.Fate != tracker.Refused {
			t.Errorf("%+v", k)
		}
		if v := good.Probe(t.Context()); v.Fate != tracker.Delivered {
			t.Errorf("%+v", v)
		}
		if v := bad.Probe(t.Context()); v.Fate != tracker.Refused {
			t.Errorf("%+v", v)
		}
		if v := bad.Send(t.Context(), request(t, viewing.KindViewing, film())); v.Fate != tracker.Refused || v.Code != "UNAUTHORIZED" {
			t.Errorf("%+v", v)
		}
		if got, err := s.Records(t.Context()); err != nil || len(got.History) != 0 {
			t.Errorf("recorded %+v, %v", got, err)
		}
	}
}

// TestSandboxFaults arms each fault once and compares the fate with what was really
// recorded: what is delivered is there, what is not sent or put off is not, and only
// what is in doubt may be either.
func TestSandboxFaults(t *testing.T) {
	s, base := openSandbox(t, true)
	c := newClient(t, base, s.SecretKey())
	if v := c.Probe(t.Context()); v.Fate != tracker.Delivered || !c.Proven() {
		t.Fatalf("%+v", v)
	}
	for _, f := range []struct {
		fault    string
		want     tracker.Fate
		recorded int
	}{
		{"status:503", tracker.Later, 0},
		{"bare:503", tracker.InDoubt, 0},
		{"status:500", tracker.InDoubt, 0},
		{"status:422", tracker.Rejected, 0},
		{"bare:404", tracker.Offline, 0},
		{"bare:511", tracker.Offline, 0},
		{"retry-after:2", tracker.Later, 0},
		{"drop-before", tracker.InDoubt, 0},
		{"reset", tracker.InDoubt, 0},
		{"html", tracker.InDoubt, 0},
		{"empty", tracker.InDoubt, 0},
		{"drop-after", tracker.InDoubt, 1},
		{"cut", tracker.InDoubt, 1},
		{"delay:1ms", tracker.Delivered, 1},
	} {
		for op, kind := range map[tracker.Operation]viewing.Kind{tracker.History: viewing.KindViewing, tracker.Lists: viewing.KindList} {
			if err := s.Arm(sandbox.Fault{Match: "POST /" + string(op), Fault: f.fault, Times: 1}); err != nil {
				t.Fatal(err)
			}
			before := recorded(t, s)
			v := c.Send(t.Context(), request(t, kind, film()))
			if n := recorded(t, s) - before; v.Fate != f.want || !v.Sent || n != f.recorded {
				t.Errorf("%s of %s: %+v, want %s; %d recorded", f.fault, op, v, f.want, n)
			}
		}
	}
}

func recorded(t *testing.T, s *sandbox.Service) int {
	t.Helper()
	r, err := s.Records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(r.History) + len(r.Watchlist) + len(r.Lists)
}

func TestSandboxIdempotencyKey(t *testing.T) {
	s, base := openSandbox(t, false)
	c := newClient(t, base, s.SecretKey())
	r := request(t, viewing.KindList, viewing.Media{})
	r.IdempotencyKey = "one-act"
	if err := s.Arm(sandbox.Fault{Match: "POST /lists", Fault: "drop-after", Times: 1}); err != nil {
		t.Fatal(err)
	}
	if v := c.Send(t.Context(), r); v.Fate != tracker.InDoubt {
		t.Errorf("%+v", v)
	}
	r.Resend = true
	v := c.Send(t.Context(), r)
	got, err := s.Records(t.Context())
	if v.Fate != tracker.Delivered || err != nil || len(got.Lists) != 1 || got.Lists[0].ID != v.ListID {
		t.Errorf("%+v; recorded %+v, %v", v, got.Lists, err)
	}
	// While the first is still being worked on, the second leaves the doubt.
	if err := s.Arm(sandbox.Fault{Match: "POST /history", Fault: "late:1h", Times: 1}); err != nil {
		t.Fatal(err)
	}
	r = request(t, viewing.KindViewing, film())
	r.IdempotencyKey = "another-act"
	if v := c.Send(t.Context(), r); v.Fate != tracker.InDoubt {
		t.Errorf("%+v", v)
	}
	r.Resend = true
	if v := c.Send(t.Context(), r); v.Fate != tracker.InDoubt || v.Status != http.StatusConflict {
		t.Errorf("%+v", v)
	}
}
