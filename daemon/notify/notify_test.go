package notify

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

// bench runs a Notifier with two channels over problems that a test sets, in a synctest bubble.
type bench struct {
	lock     sync.Mutex
	stored   map[string][]byte
	full     bool // the disk is full
	problems []control.Problem
	broken   map[string]error // by channel
	tries    int
	sent     []string // channel and codes
	log      strings.Builder
	news     chan struct{}
	end      func()
}

func (b *bench) Load(context.Context) (map[string][]byte, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return maps.Clone(b.stored), nil
}

func (b *bench) Save(_ context.Context, name string, record []byte) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.full {
		return errors.New("the disk is full")
	}
	b.stored[name] = record
	return nil
}

// Write implements [io.Writer] for the log.
func (b *bench) Write(line []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.log.Write(line)
}

// start runs the notifier until end is called.
func (b *bench) start() {
	ctx, cancel := context.WithCancel(context.Background())
	way := func(name string, codes ...string) Channel {
		return Channel{Name: name, Codes: codes, Send: func(_ context.Context, n Notice) error {
			b.lock.Lock()
			defer b.lock.Unlock()
			b.tries++
			if b.broken[name] == nil {
				b.sent = append(b.sent, name+": "+strings.Join(n.Codes, " "))
			}
			return b.broken[name]
		}}
	}
	var running sync.WaitGroup
	running.Go(func() {
		n := Notifier{
			Channels: []Channel{way("few", "a"), way("all")},
			Problems: func(context.Context) ([]control.Problem, error) {
				b.lock.Lock()
				defer b.lock.Unlock()
				return slices.Clone(b.problems), nil
			},
			News: b.news, Store: b, Logger: slog.New(slog.NewTextHandler(b, nil)),
		}
		n.Run(ctx)
	})
	b.end = func() { cancel(); running.Wait() }
}

// stand sets the current problems and signals the change.
func (b *bench) stand(all ...control.Problem) {
	b.lock.Lock()
	b.problems = all
	b.lock.Unlock()
	select {
	case b.news <- struct{}{}:
	default:
	}
}

func (b *bench) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (b *bench) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(b.sent, want) {
		t.Fatalf("at %s the notices were %q, want %q", time.Now(), b.sent, want)
	}
}

func in(t *testing.T, test func(*testing.T, *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{stored: map[string][]byte{}, broken: map[string]error{}, news: make(chan struct{}, 1)}
		b.start()
		defer func() { b.end() }()
		test(t, b)
	})
}

func problem(code string) control.Problem {
	return control.Problem{Code: code, Severity: control.NeedsYou, Text: code + " is wrong.", Act: control.Act{Text: "Mend it."}}
}

// Problems of one burst are one notice. Each channel reports its problems once, also across a
// restart.
func TestBurstIsOneNotice(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.stand(problem("a"))
		b.pass(3 * time.Second)
		soon, anna := problem("c"), problem("a")
		soon.Severity, anna.About = control.Soon, "anna"
		b.stand(problem("a"), problem("b"), soon)
		b.pass(time.Minute)
		b.expect(t, "few: a", "all: a b")
		b.end()
		b.start()
		b.stand(problem("a"), anna, problem("b"), soon)
		b.pass(time.Minute)
		b.expect(t, "few: a", "all: a b", "few: a", "all: a")
	})
}

func TestProblemsAreCheckedWithoutNews(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.pass(time.Minute)
		b.problems = []control.Problem{problem("b")}
		b.pass(checkInterval)
		b.expect(t, "all: b")
	})
}

func TestReminderAfterAWeek(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.stand(problem("b"))
		b.pass(remindAfter - time.Hour)
		b.end()
		b.start()
		b.pass(time.Hour - time.Minute)
		b.expect(t, "all: b")
		b.pass(2 * checkInterval)
		b.expect(t, "all: b", "all: b")
	})
}

func TestRecurringProblemIsReportedOnceADay(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for range 10 {
			b.stand(problem("b"))
			b.pass(time.Hour)
			b.stand()
			b.pass(time.Hour)
		}
		b.expect(t, "all: b")
		b.pass(5 * time.Hour)
		b.stand(problem("b"))
		b.pass(time.Minute)
		b.expect(t, "all: b", "all: b")
	})
}

// A failed channel is tried again and its error is logged. The other channel does not repeat its
// notice.
func TestFailedChannelIsTriedAgain(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.broken["few"] = errors.New("nobody is there")
		b.stand(problem("a"))
		b.pass(time.Hour)
		b.expect(t, "all: a")
		if b.tries != 8 {
			t.Errorf("%d tries in an hour", b.tries)
		}
		delete(b.broken, "few")
		b.pass(checkInterval)
		b.expect(t, "all: a", "few: a")
		if n := strings.Count(b.log.String(), "few: nobody is there"); n != 7 {
			t.Errorf("the log says it %d times:\n%s", n, b.log.String())
		}
	})
}

func TestNoRepeatedNoticesOnAFullDisk(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.full = true
		b.stand(problem("b"))
		b.pass(26 * time.Hour)
		b.full = false
		b.pass(checkInterval)
		b.end()
		b.start()
		b.pass(checkInterval)
		b.expect(t, "all: b")
		if !strings.Contains(b.log.String(), "the disk is full") {
			t.Errorf("the log does not say why: %s", b.log.String())
		}
	})
}

// A channel omits a problem if it reports its cause.
func TestCausedProblemsAreOmitted(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		cause, effect := "b", problem("a")
		effect.Cause = &cause
		b.stand(problem("b"), effect)
		b.pass(time.Minute)
		b.expect(t, "few: a", "all: b")
	})
}

// A clock that was ahead does not suppress notices: a machine without a battery may start with a
// wrong time.
func TestClockThatWasAhead(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		ahead, err := json.Marshal(map[string]time.Time{"all b ": time.Now().AddDate(20, 0, 0)})
		if err != nil {
			t.Fatal(err)
		}
		b.stored[record] = ahead
		b.stand(problem("b"))
		b.pass(time.Hour)
		b.expect(t)
		b.pass(remindAfter)
		b.expect(t, "all: b")
	})
}

func TestWebhookRequest(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	n := Notice{Text: "Grüße", Codes: []string{"a", "b"}}
	if err := Webhook(server.URL+"/topic", "tk_secret", "filmspool/1")(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	h := got.Header
	if got.Method != http.MethodPost || got.URL.Path != "/topic" || string(body) != "Grüße" || h.Get("Title") != "Filmspool" ||
		h.Get("Priority") != "high" || h.Get("Tags") != "a,b" || h.Get("Authorization") != "Bearer tk_secret" || h.Get("User-Agent") != "filmspool/1" {
		t.Errorf("%s %s %q %v", got.Method, got.URL, body, h)
	}
	if err := Webhook(server.URL, "", "a")(t.Context(), Notice{}); err != nil || got.Header["Authorization"] != nil {
		t.Errorf("without a token: %v, %v", err, got.Header)
	}
}

// The error of a webhook explains the failure without its address and token, and redirects are
// not followed.
func TestFailedWebhookIsExplained(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/topic/redirect":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/topic/refuse":
			http.Error(w, "who are you?", http.StatusForbidden)
		case "/topic/hang":
			<-ended
		case "/topic/cut":
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	defer close(ended)
	for address, want := range map[string]string{
		server.URL + "/topic/redirect":  "notify.answered status=307",
		server.URL + "/topic/refuse":    "notify.answered status=403",
		server.URL + "/topic/hang":      "notify.webhookSlow",
		server.URL + "/topic/cut":       "notify.webhook ",
		"http://127.0.0.1:1/topic/gone": "notify.webhook ",
		"http://127.0.0.1:x/topic":      "notify.address",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if strings.HasSuffix(address, "hang") {
			cancel()
			ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		}
		err := Webhook(address, "tk_secret", "a")(ctx, Notice{Text: "text"})
		cancel()
		if _, reported := errors.AsType[viewing.Message](err); !reported || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "topic") || strings.Contains(err.Error(), "tk_") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// On Linux the desktop needs a session bus on this machine.
func TestDesktopNeedsALocalBus(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no bus")
	}
	empty, full := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		address, folder string
		want            bool
	}{
		{"", "", false},
		{"", empty, false},
		{"unixexec:path=/bin/sh", full, false},
		{"tcp:host=a,port=1", full, false},
		{"", full, true},
		{"unix:path=/run/bus", "", true},
	} {
		env := map[string]string{"DBUS_SESSION_BUS_ADDRESS": c.address, "XDG_RUNTIME_DIR": c.folder}
		if got := HasDesktop(func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%v: %v", env, got)
		}
	}
}
