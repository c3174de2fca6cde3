package daemon

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

// tmdbOf is a TMDB that knows one film and one series, both called "Nobody Knows".
type tmdbOf struct {
	asked atomic.Int64
	away  atomic.Bool
}

func (o *tmdbOf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.asked.Add(1)
	hit := `{"id":11,"title":"Nobody Knows","release_date":"2004-08-07"}`
	switch query := strings.ToLower(r.URL.Query().Get("query")); {
	case o.away.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
	case query != "nobody knows":
		_, _ = io.WriteString(w, `{"results":[],"page":1,"total_pages":1,"total_results":0}`)
	case strings.HasSuffix(r.URL.Path, "/search/tv"):
		hit = `{"id":12,"name":"Nobody Knows","first_air_date":"2010-01-01"}`
		fallthrough
	default:
		_, _ = io.WriteString(w, `{"results":[`+hit+`],"page":1,"total_pages":1,"total_results":1}`)
	}
}

// withTMDB is visited with TMDB, turned on or off.
func withTMDB(t *testing.T, on bool) (*visitor, *tmdbOf) {
	t.Helper()
	o := &tmdbOf{}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	return visited(t, func(options *Options) {
		options.Config.Resolve.TMDB = config.TMDB{Enabled: on, BaseURL: server.URL}
		keys := config.Keys{Dir: options.Paths.State, Getenv: options.Getenv}
		if err := keys.SaveTMDB(config.NewSecret("eyJ.token")); err != nil {
			t.Fatal(err)
		}
	}), o
}

// heard is an answer in one line: its outcome, the number that is certain, and the
// candidates.
func heard(m map[string]any) string {
	said := fmt.Sprint(m["outcome"])
	media, _ := m["media"].(map[string]any)
	if ids, ok := media["ids"].(map[string]any); ok {
		said += fmt.Sprint(" ", ids["tmdb"])
	}
	list, _ := m["candidates"].([]any)
	for _, one := range list {
		c, _ := one.(map[string]any)
		said += fmt.Sprint(" ", c["type"], c["tmdb"])
	}
	return said
}

// A browser and the command line hear the same: what a person has said, then the
// service, then TMDB. TMDB hears only what the service does not know.
func TestTheSameChainForBrowserAndCommandLine(t *testing.T) {
	v, o := withTMDB(t, true)
	said := viewing.Media{Type: viewing.Movie, Title: "Our Film", Year: 2004}
	if _, err := v.d.store.Correct(t.Context(), queue.Correcting{Told: said, Is: identity.Candidate{Type: viewing.Movie, TMDB: 77}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		title string
		year  int
		heard string
		by    string
		tmdb  int64
		asks  bool
	}{
		{"Our Film", 2004, "certain 77", "correction", 77, false},
		{"Dune", 2021, "certain 438631", "service", 438631, false},
		{"Nobody Knows", 2004, "certain 11", "memory", 11, true}, // the browser has had it asked
		{"Nobody Knows", 0, "open movie11", "memory", 0, false},  // it is known by now
		{"Nothing Knows", 2004, "open", "none", 0, true},
	} {
		before := o.asked.Load()
		v.say(fmt.Sprintf(`{"type":"resolve","id":"r","media":{"type":"movie","title":%q,"year":%d}}`, c.title, c.year))
		if got := heard(v.hear("resolved")); got != c.heard {
			t.Errorf("%s: the browser heard %s, want %s", c.title, got, c.heard)
		}
		if asks := o.asked.Load() > before; asks != c.asks {
			t.Errorf("%s: TMDB asked: %v", c.title, asks)
		}
		r, err := v.d.Control().Resolve(t.Context(), control.Wanted{Kind: viewing.Movie, Title: c.title, Year: c.year})
		if err != nil || r.By != c.by || (r.Certain != nil) != (c.tmdb > 0) || c.tmdb > 0 && r.Certain.TMDB != c.tmdb {
			t.Errorf("%s: the command line heard %+v, %v", c.title, r, err)
		}
	}
	o.away.Store(true)
	v.say(`{"type":"resolve","id":"r","media":{"type":"movie","title":"Another","year":2004}}`)
	if got := heard(v.hear("resolved")); got != protocol.Later {
		t.Errorf("with TMDB away: heard %s", got)
	}
}

func TestWordsGoToTMDBOnlyWhereItIsOn(t *testing.T) {
	const words = `{"type":"candidates","id":"c","words":"nobody knows"`
	v, o := withTMDB(t, true)
	v.say(words + `}`)
	if got := heard(v.hear("resolved")); got != "open movie11 tv12" {
		t.Errorf("heard %s", got)
	}
	v.say(words + `,"kind":"tv"}`)
	if got := heard(v.hear("resolved")); got != "open tv12" || o.asked.Load() != 2 {
		t.Errorf("heard %s, and TMDB was asked %d times", got, o.asked.Load())
	}
	// While the service cannot be asked, TMDB still can.
	v.paused()
	v.say(words + `}`)
	if got := heard(v.hear("resolved")); got != "open movie11 tv12" {
		t.Errorf("without the service: heard %s", got)
	}
	v.say(`{"type":"candidates","id":"c","words":"another"}`)
	if got := heard(v.hear("resolved")); got != protocol.Later {
		t.Errorf("of what nobody knows now: heard %s", got)
	}
	v, o = withTMDB(t, false)
	v.say(words + `}`)
	if got := heard(v.hear("resolved")); got != protocol.Open || o.asked.Load() != 0 {
		t.Errorf("turned off: heard %s, and TMDB was asked %d times", got, o.asked.Load())
	}
}

// What a person types and says stands in no log but that for debugging.
func TestWordsOfAPersonAreNotLogged(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	v := visited(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(file, nil)) })
	v.say(`{"type":"candidates","id":"c","words":"secret words"}`)
	v.hear("resolved")
	v.say(`{"type":"correct","id":"t","media":{"type":"movie","title":"secret words","year":1999},"is":{"type":"movie","tmdb":603,"title":"secret words"}}`)
	v.hear("corrected")
	v.say(`{"type":"resolve","id":"r","media":{"type":"movie","title":"secret words","year":2001}}`)
	v.hear("resolved")
	v.d.log.Info("the end")
	log, err := os.ReadFile(file.Name())
	if err != nil || !strings.Contains(string(log), "the end") || strings.Contains(string(log), "secret") {
		t.Errorf("%v; logged:\n%s", err, log)
	}
}
