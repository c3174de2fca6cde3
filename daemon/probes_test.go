package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// get asks the daemon as a program does; headers are pairs.
func (b *runningDaemon) get(path string, headers ...string) (status int, body string) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+b.address+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// figures are the lines of a scrape that hold a value.
func (b *runningDaemon) figures() []string {
	b.Helper()
	status, text := b.get("/metrics")
	if status != http.StatusOK {
		b.Fatalf("/metrics: %d %s", status, text)
	}
	return strings.Split(text, "\n")
}

// until scrapes until a line begins so. Entries are counted again only after a while.
func (b *runningDaemon) until(line string) {
	b.Helper()
	b.scrape(line, func(l string) bool { return strings.HasPrefix(l, line) })
}

// scrape waits for a line.
func (b *runningDaemon) scrape(line string, is func(string) bool) {
	b.Helper()
	for limit := time.After(20 * time.Second); ; {
		lines := b.figures()
		if slices.ContainsFunc(lines, is) {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-limit:
			b.Fatalf("no line %q in\n%s", line, strings.Join(lines, "\n"))
		}
	}
}

// measured is a daemon with figures, a browser, a service and TMDB.
func measured(t *testing.T) *visitor {
	t.Helper()
	tmdb := httptest.NewServer(&tmdbOf{})
	t.Cleanup(tmdb.Close)
	return visited(t, func(o *Options) {
		o.Config.Metrics.Enabled = true
		o.Config.Resolve.TMDB = config.TMDB{Enabled: true, BaseURL: tmdb.URL}
		o.Config.Kodi.Libraries = []config.Library{{Userdata: t.TempDir()}}
		keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
		if err := keys.SaveTMDB(config.NewSecret("eyJ.token")); err != nil {
			t.Fatal(err)
		}
	})
}

// tell has the browser tell of a film, with a fault at the service before it.
func (v *visitor) tell(n int, fault string) {
	v.Helper()
	if fault != "" {
		if err := v.box.Arm(sandbox.Fault{Match: "POST /history", Fault: fault, Times: 1}); err != nil {
			v.Fatal(err)
		}
	}
	v.say(fmt.Sprintf(`{"type":"viewing","id":"5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d%02d","media":{"type":"movie","title":"The Secret","ids":{"tmdb":%d}},"watchedAt":"2026-03-0%dT20:15:00Z"}`, n, 600+n, n))
	v.hear("ack")
}

// TestEachFigureMoves by what it counts.
func TestEachFigureMoves(t *testing.T) {
	v := measured(t)
	v.until(`filmspool_account_state{account="default",state="ok"} 1`)
	v.until(`filmspool_queue_writable 1`)
	v.until(`filmspool_websockets 1`)
	v.until(`filmspool_entries{account="default",state="delivered"} 0`)

	v.tell(1, "")
	v.until(`filmspool_entries{account="default",state="delivered"} 1`)
	v.until(`filmspool_sends_total{account="default",result="delivered"} 1`)
	v.tell(2, "status:422")
	v.until(`filmspool_entries{account="default",state="rejected"} 1`)
	v.until(`filmspool_sends_total{account="default",result="rejected"} 1`)
	v.tell(3, "drop-after")
	v.until(`filmspool_sends_total{account="default",result="in_doubt"} 1`)

	v.say(`{"type":"viewing","id":"nothing"}`)
	v.hear("error")
	v.until(`filmspool_refused_total{code="BAD_MESSAGE"} 1`)

	for _, kind := range []string{"found", "remembered", "none"} {
		title := map[string]string{"none": "Somebody"}[kind]
		if title == "" {
			title = "Nobody Knows"
		}
		if _, err := v.d.Control().Resolve(t.Context(), control.Wanted{Kind: viewing.Movie, Title: title, Year: 2004}); err != nil {
			t.Fatal(err)
		}
		count := map[string]string{"found": "4"}[kind] // three numbers were checked
		if count == "" {
			count = "1"
		}
		v.until(`filmspool_resolver_answers_total{kind="` + kind + `",resolver="tmdb"} ` + count)
	}

	v.tell(4, "retry-after:900")
	v.until(`filmspool_sends_total{account="default",result="throttled"} 1`)
	v.until(`filmspool_account_state{account="default",state="offline"} 1`)
	v.until(`filmspool_account_retry_seconds{account="default"} 8`) // 89 something
	v.until(`filmspool_libraries{state="waiting"} 1`)
	v.scrape("an age of the oldest", func(l string) bool { // its row is written after the account's state is
		age, is := strings.CutPrefix(l, "filmspool_oldest_pending_seconds ")
		return is && age != "0"
	})
	for _, l := range v.figures() {
		for _, secret := range []string{"Secret", "Nobody", "127.0.0.1", "Chrome", v.d.o.Paths.State, "sk_"} {
			if strings.Contains(l, secret) {
				t.Errorf("%q is in %s", secret, l)
			}
		}
	}
}

// TestWhoMayWatch: programs of this machine, where it is turned on.
func TestWhoMayWatch(t *testing.T) {
	on := runDaemon(t, func(o *Options) { o.Config.Metrics.Enabled = true })
	for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
		for _, c := range []struct {
			headers []string
			refused bool
		}{
			{nil, false},
			{[]string{"Host", "localhost" + on.address[strings.LastIndexByte(on.address, ':'):]}, false},
			{[]string{"Host", "evil.example"}, true},
			{[]string{"Host", "127.0.0.1"}, true},
			{[]string{"Origin", theExtension}, true},
			{[]string{"Origin", "null"}, true},
			{[]string{"Referer", "https://evil.example/"}, true},
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
