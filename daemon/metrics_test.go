package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// get sends a request like a program. headers contains names and values.
func (b *runningDaemon) get(path string, headers ...string) (status int, body string) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+b.address+path, nil)
	must(b, err)
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	answer, err := http.DefaultClient.Do(r)
	must(b, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(b, err)
	return answer.StatusCode, string(text)
}

// until reads the metrics, again after each change, until a line begins with line.
func (b *runningDaemon) until(line string) string {
	b.Helper()
	news, stop := b.d.changes()
	defer stop()
	limit, again := time.After(time.Minute), time.Tick(time.Second) // not all that metrics count is announced
	for {
		status, text := b.get("/metrics")
		if status == http.StatusOK && strings.Contains("\n"+text, "\n"+line) {
			return text
		}
		select {
		case <-news:
		case <-again:
		case <-limit:
			b.Fatalf("no line %q in\n%s", line, text)
		}
	}
}

// Each metric changes with what it counts. Names and labels are valid for Prometheus and contain
// no personal data.
func TestEachMetricChanges(t *testing.T) {
	tmdb := httptest.NewServer(&fakeTMDB{})
	t.Cleanup(tmdb.Close)
	v := startPaired(t, func(o *Options) {
		o.Config.Metrics.Enabled = true
		o.Config.Resolve.TMDB = config.TMDB{Enabled: true, BaseURL: tmdb.URL}
		o.Config.Kodi.Libraries = []config.Library{{Userdata: t.TempDir()}}
		keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
		must(t, keys.SaveTMDB(config.NewSecret("eyJ.token")))
	})
	tell := func(n int, fault string) {
		if fault != "" {
			must(t, v.box.Arm(sandbox.Fault{Match: "POST /history", Fault: fault, Times: 1}))
		}
		v.say(fmt.Sprintf(`{"type":"viewing","id":"5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d%02d","media":{"type":"movie","title":"The Secret","ids":{"tmdb":%d}},"watchedAt":"2026-03-0%dT20:15:00Z"}`, n, 600+n, n))
		v.receive("ack")
	}
	v.until(`filmspool_account_state{account="default",state="ok"} 1`)
	v.until(`filmspool_queue_writable 1`)
	v.until(`filmspool_websockets 1`)
	v.until(`filmspool_entries{account="default",state="delivered"} 0`)
	v.until(`filmspool_libraries{state="waiting"} 1`)
	tell(1, "")
	v.until(`filmspool_entries{account="default",state="delivered"} 1`)
	v.until(`filmspool_sends_total{account="default",result="delivered"} 1`)
	tell(2, "status:422")
	v.until(`filmspool_entries{account="default",state="rejected"} 1`)
	v.say(`{"type":"viewing","id":"nothing"}`)
	v.receive("error")
	v.until(`filmspool_refused_total{code="BAD_MESSAGE"} 1`)
	if _, err := v.d.Control().Resolve(t.Context(), viewing.Media{Type: viewing.Movie, Title: "Somebody", Year: 2004}); err != nil {
		t.Fatal(err)
	}
	v.until(`filmspool_resolver_answers_total{kind="none",resolver="tmdb"} 1`)
	tell(4, "retry-after:900")
	v.until(`filmspool_account_state{account="default",state="offline"} 1`)
	text := v.until(`filmspool_oldest_pending_seconds`)
	row := regexp.MustCompile(`^filmspool_[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? [0-9]+$`)
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if !strings.HasPrefix(line, "# ") && !row.MatchString(line) {
			t.Errorf("Prometheus does not read %q", line)
		}
		for _, secret := range []string{"Secret", "Somebody", "127.0.0.1", "Chrome", v.d.o.Paths.State, "sk_"} {
			if strings.Contains(line, secret) {
				t.Errorf("%q is in %s", secret, line)
			}
		}
	}
}

// Metrics are served to programs on this machine only, and only if enabled.
func TestMetricsAreForLocalPrograms(t *testing.T) {
	on := runDaemon(t, func(o *Options) { o.Config.Metrics.Enabled = true })
	if status, word := on.get("/healthz"); status != http.StatusOK || word != "ok\n" {
		t.Errorf("/healthz: %d %q", status, word)
	}
	for _, path := range []string{"/metrics", "/healthz"} {
		for _, c := range []struct {
			headers []string
			refused bool
		}{
			{nil, false},
			{[]string{"Host", "localhost" + on.address[strings.LastIndexByte(on.address, ':'):]}, false},
			{[]string{"Host", "evil.example"}, true},
			{[]string{"Origin", theExtension}, true},
			{[]string{"Sec-Fetch-Site", "none"}, true},
		} {
			status, body := on.get(path, c.headers...)
			if (status == http.StatusForbidden) != c.refused || c.refused && strings.Contains(body, "filmspool_") {
				t.Errorf("%s with %q: %d %s", path, c.headers, status, body)
			}
		}
	}
	off := runDaemon(t, nil)
	if status, _ := off.get("/metrics"); status != http.StatusNotFound {
		t.Errorf("turned off: %d", status)
	}
}
