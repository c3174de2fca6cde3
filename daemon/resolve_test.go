package daemon

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// fakeTMDB is a TMDB with one film and one series, both called "Nobody Knows".
type fakeTMDB struct {
	asked atomic.Int64
	away  atomic.Bool
}

func (o *fakeTMDB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.asked.Add(1)
	hit := `{"id":11,"title":"Nobody Knows","release_date":"2004-08-07"}`
	switch query := strings.ToLower(r.URL.Query().Get("query")); {
	case o.away.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
	case strings.HasPrefix(r.URL.Path, "/movie/"): // a number that a source reported
		_, _ = io.WriteString(w, `{"id":`+strings.TrimPrefix(r.URL.Path, "/movie/")+`}`)
	case query != "nobody knows":
		_, _ = io.WriteString(w, `{"results":[],"page":1,"total_pages":1,"total_results":0}`)
	case strings.HasSuffix(r.URL.Path, "/search/tv"):
		hit = `{"id":12,"name":"Nobody Knows","first_air_date":"2010-01-01"}`
		fallthrough
	default:
		_, _ = io.WriteString(w, `{"results":[`+hit+`],"page":1,"total_pages":1,"total_results":1}`)
	}
}

// withTMDB is startPaired with TMDB on or off.
func withTMDB(t *testing.T, on bool) (*pairedBrowser, *fakeTMDB) {
	t.Helper()
	o := &fakeTMDB{}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	return startPaired(t, func(options *Options) {
		options.Config.Resolve.TMDB = config.TMDB{Enabled: on, BaseURL: server.URL}
		keys := config.Keys{Dir: options.Paths.State, Getenv: options.Getenv}
		must(t, keys.SaveTMDB(config.NewSecret("eyJ.token")))
	}), o
}

// corrected stores a correction for a title.
func corrected(t *testing.T, v *pairedBrowser, title string, year int, tmdb int64) {
	t.Helper()
	e := viewing.Event{Kind: viewing.KindViewing, EventID: title, Media: []viewing.Media{{Type: viewing.Movie, Title: title, Year: year}}, WatchedAt: viewing.At(time.Now()), Count: 1}
	o, err := v.d.store.Commit(t.Context(), viewing.Batch{Source: "browser:b1", Events: []viewing.Event{e}})
	if err == nil {
		_, err = v.d.store.Correct(t.Context(), queue.CorrectionRequest{Entry: o[0].Entries[0], Is: resolve.Candidate{Type: viewing.Movie, TMDB: tmdb, Title: title}})
	}
	must(t, err)
}

// A correction has precedence, then the service, then TMDB. TMDB gets titles, and nothing if it
// is off.
func TestPrecedenceOfIdentification(t *testing.T) {
	v, o := withTMDB(t, true)
	corrected(t, v, "Our Film", 2004, 77)
	for _, c := range []struct {
		title string
		year  int
		by    string
		tmdb  int64
		asks  bool
	}{
		{"Our Film", 2004, "correction", 77, false},
		{"Dune", 2021, "service", 438631, true}, // TMDB may have another film with this title
		{"Nobody Knows", 2004, "tmdb", 11, true},
		{"Nobody Knows", 2004, "memory", 11, false},
		{"Nothing Knows", 2004, "none", 0, true},
	} {
		before := o.asked.Load()
		r, err := v.d.Control().Resolve(t.Context(), viewing.Media{Type: viewing.Movie, Title: c.title, Year: c.year})
		if err != nil || r.By != c.by || (r.Certain != nil) != (c.tmdb > 0) || c.tmdb > 0 && r.Certain.TMDB != c.tmdb {
			t.Errorf("%s: %+v, %v", c.title, r, err)
		}
		if asks := o.asked.Load() > before; asks != c.asks {
			t.Errorf("%s: TMDB asked: %v", c.title, asks)
		}
	}
	v, o = withTMDB(t, false)
	r, err := v.d.Control().Resolve(t.Context(), viewing.Media{Type: viewing.Movie, Title: "Nobody Knows", Year: 2004})
	if err != nil || r.Certain != nil || o.asked.Load() != 0 {
		t.Errorf("turned off: %+v, %v, and TMDB was asked %d times", r, err, o.asked.Load())
	}
}

// The user's searches are logged at the level debug only.
func TestSearchesAreNotLogged(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	defer file.Close()
	v := startPaired(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(file, nil)) })
	corrected(t, v, "secret words", 1999, 603)
	for _, year := range []int{1999, 2001} {
		if _, err := v.d.Control().Resolve(t.Context(), viewing.Media{Type: viewing.Movie, Title: "secret words", Year: year}); err != nil {
			t.Fatal(err)
		}
	}
	v.d.log.Info("the end")
	log, err := os.ReadFile(file.Name())
	if err != nil || !strings.Contains(string(log), "the end") || strings.Contains(string(log), "secret") {
		t.Errorf("%v; logged:\n%s", err, log)
	}
}

// A missing token is shown in the status of TMDB and affects nothing else.
func TestTMDBWithoutToken(t *testing.T) {
	for name, remedy := range map[string]string{"": "hint.command", "/file": "hint.lookAtFolder"} {
		state := t.TempDir()
		must(t, os.WriteFile(state+"/file", nil, 0o600))
		d := newCore(Options{Paths: config.Paths{State: state + name}, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler)})
		d.o.Config.Resolve.TMDB = config.TMDB{Enabled: true, BaseURL: "https://api.themoviedb.org/3"}
		d.openProviders(t.Context())
		row := d.providers[0].status()
		if row.State != account.Attention || row.Hint.Code != remedy || len(d.chain()) > 0 {
			t.Errorf("%q: %+v", name, row)
		}
		if name == "" && row.Details[0].Code != "asked.noToken" {
			t.Errorf("the reason is %+v", row.Details)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A commit triggers updates for browsers, pages and notices.
func TestCommitTriggersUpdates(t *testing.T) {
	d, _ := opened(t, testOptions(t))
	err := d.withQueue(t.Context(), func(ctx context.Context) error {
		news, stop := d.changes()
		defer stop()
		<-news
		addFilm(t, d, "e1")
		<-news
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
