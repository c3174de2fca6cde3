package daemon

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/connectortest"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A browser is told that a filter ignored its viewing, and why, so that it need not send it
// again.
func TestBrowserIsToldWhatIsIgnored(t *testing.T) {
	b := runDaemon(t, func(o *Options) {
		o.Config.Filters = []config.Filter{
			{Match: rules.Match{Site: "films.example", Kind: "movie"}, ShorterThan: &config.Duration{Duration: 20 * time.Minute}, Action: "ignore"},
			{Match: rules.Match{Source: "browser:mine", Kind: "episode"}, Action: "hold"}, // by the browser's name
		}
	})
	mine := b.browser()
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	one := 1
	episode := viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: &one, Episode: &one}
	for i, tt := range []struct {
		site   string
		length float64
		media  viewing.Media
		status viewing.Status
		reason string
	}{
		{"www.films.example", 600, film, viewing.StatusDropped, viewing.ReasonFiltered},
		{"films.example", 6000, film, viewing.StatusQueued, ""},
		{"other.example", 600, film, viewing.StatusQueued, ""},
		{"films.example", 600, episode, viewing.StatusQueued, ""},
	} {
		ack, err := mine.Viewing(t.Context(), protocol.Viewing{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Media: tt.media, WatchedAt: fmt.Sprintf("2026-03-0%dT20:00:00Z", i+1), Count: 1,
			Source: protocol.Source{Site: tt.site}, Progress: &viewing.Progress{Position: tt.length, Duration: tt.length, Played: tt.length},
		})
		if err != nil || ack.Status != tt.status || ack.Reason != tt.reason {
			t.Errorf("%s: %+v, %v", tt.site, ack, err)
		}
	}
	counts, err := b.d.store.Counts(t.Context())
	if want := (entry.Counts{Pending: 2, Held: 1, Dropped: 1}); err != nil || counts != want {
		t.Errorf("counts %+v, %v", counts, err)
	}
}

// In Review a site's videos without a title can be ignored, and the setting reverted. The page's
// address is shown there only.
func TestUntitledVideosAreIgnored(t *testing.T) {
	box, _ := openSandbox(t)
	told, sent := make(chan string, 100), make(chan struct{}, 10)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told <- fmt.Sprint(r.URL, r.Header, string(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		box.Handler().ServeHTTP(w, r)
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/history") {
			sent <- struct{}{}
		}
	}))
	t.Cleanup(service.Close)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	t.Cleanup(func() { _ = log.Close() })
	o := servedBy(t, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		"listen = '127.0.0.1:0'\n[accounts.default]\nbase_url = '"+service.URL+"/api/v1'\n", "FILMSPOOL_KEY", box.SecretKey())
	address, c := find(t, o)
	s := signIn(&runningDaemon{T: t}, c.API, address)
	code, err := c.Pair(t.Context())
	must(t, err)
	var id, token string
	n := 0
	tell := func(site string, m viewing.Media) protocol.Ack {
		t.Helper()
		b, err := connectortest.Dial(t.Context(), connectortest.Options{
			URL: "ws://" + address + "/v1/connector", Origin: theExtension, Info: protocol.ClientInfo{Name: "mine", Version: "1"}, ClientID: id, Token: token,
		})
		must(t, err)
		defer b.Close()
		if token == "" {
			if id, token, err = b.Pair(t.Context(), code.Text, "mine"); err != nil {
				t.Fatal(err)
			}
		}
		n++
		ack, err := b.Viewing(t.Context(), protocol.Viewing{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", n), Media: m, WatchedAt: fmt.Sprintf("2026-03-%02dT20:00:00Z", n),
			Source: protocol.Source{Site: site, URL: "https://" + site + "/hidden-page?secret=1"},
		})
		must(t, err)
		return ack
	}
	untitled := viewing.Media{Type: viewing.Movie}
	tell("www.films.example", viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}})
	<-sent
	tell("www.films.example", untitled)
	text := s.see("/review", `<a href="https://www.films.example/hidden-page" rel="noreferrer"`, "Open the page", "ignore videos without a title on www.films.example")
	if strings.Contains(text, "secret=1") {
		t.Errorf("the query is kept:\n%s", text)
	}
	version := regexp.MustCompile(`name="version" value="([^"]*)"`).FindStringSubmatch(text)[1]
	text = s.send("/review/ignore", url.Values{"id": {"2"}, "version": {version}, "site": {"www.films.example"}, "back": {"/review"}})
	if !strings.Contains(text, "Videos without a title on www.films.example are ignored from now on.") || strings.Contains(text, "Open the page") {
		t.Errorf("after it was ignored:\n%s", text)
	}
	for _, c := range []struct {
		site string
		m    viewing.Media
		want viewing.Status
	}{
		{"www.films.example", untitled, viewing.StatusDropped},
		{"films.example", untitled, viewing.StatusQueued},
		{"www.films.example", viewing.Media{Type: viewing.Movie, Title: "Alpha One"}, viewing.StatusQueued},
		{"www.films.example", viewing.Media{Type: viewing.Movie, Site: &viewing.Site{Name: "films", Title: "1"}}, viewing.StatusQueued},
		{"www.films.example", viewing.Media{Type: viewing.Episode, Show: &viewing.Show{Title: "Show Red"}}, viewing.StatusQueued},
	} {
		if ack := tell(c.site, c.m); ack.Status != c.want || (ack.Reason == viewing.ReasonUntitled) != (c.want == viewing.StatusDropped) {
			t.Errorf("%s, %+v: %+v", c.site, c.m, ack)
		}
	}
	s.see("/diary/3", "Ignored: a video without a title on www.films.example", "Open the page")
	if text := s.see("/diary/5", "Alpha One"); strings.Contains(text, "without a title") {
		t.Errorf("one with a title could be ignored:\n%s", text)
	}
	s.see("/sources", "No longer ignore those on www.films.example")
	text = s.send("/sources/untitled", url.Values{"site": {"www.films.example"}})
	if !strings.Contains(text, "are recorded again") || strings.Contains(text, "No longer ignore") {
		t.Errorf("taken back:\n%s", text)
	}
	if ack := tell("www.films.example", untitled); ack.Status != viewing.StatusQueued {
		t.Errorf("after it was taken back: %+v", ack)
	}
	logged, err := os.ReadFile(log.Name())
	if err != nil || len(logged) == 0 || strings.Contains(string(logged), "hidden-page") {
		t.Errorf("the address is logged, or nothing is: %v", err)
	}
	for len(told) > 0 {
		if request := <-told; strings.Contains(request, "hidden-page") {
			t.Errorf("the service is told the address: %s", request)
		}
	}
}

// The default actions of the configuration are those of package rules.
func TestDefaultClassActions(t *testing.T) {
	v := viewing.Event{Kind: viewing.KindViewing, WatchedAt: viewing.At(time.Now())}
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	c := config.Default()
	for class := range c.Kodi.Classes.ByName() {
		v.Class = viewing.Class(class)
		want := rules.Decide(rules.Settings{}, "kodi:/k", v, &film, time.Now())
		if got := rules.Decide(ruleSettings(c), "kodi:/k", v, &film, time.Now()); got.State != want.State || got.Reason != want.Reason {
			t.Errorf("%s: %s (%s), want %s (%s)", class, got.State, got.Reason, want.State, want.Reason)
		}
	}
	c.Kodi.Classes.Backdated = "send"
	v.Class = viewing.ClassBackdated
	if o := (kodiAccount{rules: ruleSettings(c)}).Predict("kodi:/k", v, film, time.Now()); o.State != viewing.StatePending || len(o.Steps) == 0 || o.Steps[0].Code != "rule.sent.class" {
		t.Errorf("%+v", o)
	}
}
