package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// fakePosters is a TMDB with the film 603, the series 1396 and pictures.
type fakePosters struct {
	*testing.T
	mu    sync.Mutex
	asked []string
	away  bool
}

func (o *fakePosters) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, r.URL.Path)
	isImage := strings.HasPrefix(r.URL.Path, "/images/")
	if token := r.Header.Get("Authorization") != ""; token == isImage {
		o.Errorf("%s: the token: %v", r.URL.Path, token)
	}
	switch {
	case o.away:
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.URL.Path == "/images/w185/matrix.jpg":
		_, _ = io.WriteString(w, "\xff\xd8\xff\xe0 the picture")
	case r.URL.Path == "/movie/603":
		_, _ = io.WriteString(w, `{"id":603,"title":"The Matrix","release_date":"1999-03-31","runtime":136,"poster_path":"/matrix.jpg"}`)
	case r.URL.Path == "/tv/1396":
		_, _ = io.WriteString(w, `{"id":1396,"name":"Breaking Bad","first_air_date":"2008-01-20","poster_path":null,
			"season/1":{"episodes":[{"id":62086,"episode_number":2,"name":"Cat's in the Bag...","runtime":48}]}}`)
	case r.URL.Path == "/search/movie":
		_, _ = io.WriteString(w, `{"page":1,"total_pages":1,"total_results":2,"results":[{"id":1,"title":"Two"},{"id":2,"title":"Two","poster_path":"/matrix.jpg"}]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"status_code":34}`)
	}
}

// requests returns and clears the recorded requests.
func (o *fakePosters) requests() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.Join(o.asked, " ")
	o.asked = nil
	return text
}

func (o *fakePosters) goAway() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.away = true
}

// withPosters runs a pageTest with TMDB on or off, with its log in log.
func withPosters(t *testing.T, on bool, log io.Writer) (*pageTest, *fakePosters) {
	t.Helper()
	o := &fakePosters{T: t}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	l := &pageTest{cookies: map[string]*http.Cookie{}, pairedBrowser: startPaired(t, func(options *Options) {
		options.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		options.Config.Resolve.TMDB = config.TMDB{Enabled: on, BaseURL: server.URL, ImageURL: server.URL + "/images"}
		keys := config.Keys{Dir: options.Paths.State, Getenv: options.Getenv}
		must(t, keys.SaveTMDB(config.NewSecret("eyJ.secret.token")))
		must(t, os.MkdirAll(newCore(*options).picturesDir(), 0o700))
	})}
	l.pages = l.d.site.Handler()
	l.ask(http.MethodPost, "/in", url.Values{"ticket": {l.d.site.Ticket()}})
	return l, o
}

// adds adds a film and an episode without titles.
func (l *pageTest) adds() (film, episode int64) {
	l.Helper()
	one, two := 1, 2
	second := movie("episode", 0, "", 2*time.Minute)
	second.Media = []viewing.Media{{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: &one, Episode: &two}}
	ids := l.commits("browser:x", movie("film", 603, "", time.Hour), second)
	l.becomes(ids[0], viewing.StateDelivered)
	l.becomes(ids[1], viewing.StateDelivered)
	return ids[0], ids[1]
}

// Shown items without a title get one in the background. A picture is downloaded once.
func TestTitlesAndPosters(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	defer log.Close()
	l, o := withPosters(t, true, log)
	film, episode := l.adds()
	changed, stop := l.d.store.Subscribe()
	defer stop()
	page := l.sees("/diary", `<img src="/poster/movie/603" alt="" width="185" height="278" loading="lazy"`, `<img src="/poster/tv/1396" alt=""`)
	for !strings.Contains(page, "The Matrix") || !strings.Contains(page, "Breaking Bad") || !strings.Contains(page, "S01E02 · Cat&#39;s in the Bag...") {
		select {
		case <-changed:
			page = l.sees("/diary")
		case <-time.After(20 * time.Second):
			t.Fatal(page)
		}
	}
	if minutes := []int{l.entry(film).Minutes, l.entry(episode).Minutes}; fmt.Sprint(minutes) != "[136 48]" {
		t.Errorf("minutes: %v", minutes)
	}
	o.requests()
	for range 2 {
		answer := l.ask(http.MethodGet, "/poster/movie/603", nil)
		if h := answer.Header(); answer.Code != http.StatusOK || answer.Body.String() != "\xff\xd8\xff\xe0 the picture" || h.Get("Content-Type") != "image/jpeg" ||
			h.Get("Cache-Control") != "private, max-age=86400" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%d %q %v", answer.Code, answer.Body, h)
		}
	}
	for _, path := range []string{"/poster/tv/1396", "/poster/movie/9", "/poster/movie/9", "/poster/episode/603", "/poster/movie/0", "/poster/movie/x"} {
		if answer := l.ask(http.MethodGet, path, nil); answer.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
	if got := o.requests(); got != "/images/w185/matrix.jpg /movie/9" {
		t.Errorf("asked for %s", got)
	}
	for range 2 { // an open page would reload forever
		select {
		case <-changed:
		default:
		}
		for _, q := range []resolve.Question{{Topic: resolve.Season, Number: 1396, Season: 1}, {Topic: resolve.Details, Kind: viewing.Movie, Number: 603}} {
			if err := l.d.titles.fetch(t.Context(), q); err != nil {
				t.Error(err)
			}
		}
	}
	select {
	case <-changed:
		t.Error("what was learned is learned again")
	default:
	}
	l.sees("/log?what=two", `src="/poster/movie/2"`)
	o.requests()
	if answer := l.ask(http.MethodGet, "/poster/movie/2", nil); answer.Code != http.StatusOK || o.requests() != "" {
		t.Errorf("what was found: %d, or TMDB was asked about it", answer.Code)
	}
	l.sees("/about", "not endorsed or certified by TMDB")
	if text, err := os.ReadFile(log.Name()); err != nil || len(text) == 0 || strings.Contains(string(text), "eyJ") {
		t.Errorf("%v, or the token is in the log:\n%s", err, text)
	}
}

// The title of an item added by number is in the answer.
func TestItemAddedByNumberGetsATitle(t *testing.T) {
	l, _ := withPosters(t, true, io.Discard)
	event := movie("added", 603, "", 0)
	if e, err := l.d.Control().Add(t.Context(), event); err != nil || e.Label() != "The Matrix (1999)" {
		t.Errorf("%s, %v", e.Label(), err)
	}
	l.sees("/log?what=603", "<h3>The Matrix</h3>", "1999", `value="603 1999 The Matrix"`)
	l.sees("/log?what=themoviedb.org/tv/1396/season/1/episode/2", "<h3>Breaking Bad</h3>", "S01E02")
}

// TMDB is not asked about long lists, which no person reads.
func TestLongListsAreNotLookedUp(t *testing.T) {
	o := testOptions(t)
	o.Config.Resolve.TMDB.Enabled = true
	d, _ := opened(t, o)
	var events []viewing.Event
	for n := range maxShown + 1 {
		events = append(events, movie(fmt.Sprint("many ", n), int64(10_000+n), "", time.Duration(n)*time.Hour))
	}
	err := d.withQueue(t.Context(), func(ctx context.Context) error {
		d.openProviders(ctx)
		d.openTitles() // without a worker for the requests
		_, err := d.store.Commit(ctx, viewing.Batch{Source: "browser:x", Events: events})
		for _, c := range [][2]int{{0, 0}, {1000, 0}, {maxShown, maxShown}} {
			limit, want := c[0], c[1]
			if _, failed := d.List(ctx, entry.Filter{Limit: limit}); failed != nil || len(d.titles.wanted) != want {
				t.Errorf("%d entries: %d questions, %v", limit, len(d.titles.wanted), failed)
			}
		}
		return err
	})
	must(t, err)
}

// If TMDB does not answer, the pages work without it and it is not asked again for some time.
func TestUnreachableTMDB(t *testing.T) {
	l, o := withPosters(t, true, io.Discard)
	o.goAway()
	l.adds()
	for range 3 {
		l.sees("/diary", "603")
		if answer := l.ask(http.MethodGet, "/poster/movie/603", nil); answer.Code != http.StatusNotFound {
			t.Errorf("the picture: %d", answer.Code)
		}
	}
	if err := l.d.titles.fetch(t.Context(), missingTitles(&viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}})[0]); err != nil {
		t.Error(err)
	}
	if got := o.requests(); strings.Count(got, "/") > 2 {
		t.Errorf("asked for %s", got)
	}
}

// Without TMDB nothing is requested and stored pictures are removed.
func TestWithoutTMDB(t *testing.T) {
	l, o := withPosters(t, false, io.Discard)
	l.adds()
	if page := l.sees("/diary", "603") + l.sees("/about") + l.sees("/"); strings.Contains(page, "/poster/") || strings.Contains(page, "TMDB API") {
		t.Error(page)
	}
	if answer := l.ask(http.MethodGet, "/poster/movie/603", nil); answer.Code != http.StatusNotFound {
		t.Errorf("%d", answer.Code)
	}
	if _, err := l.d.Control().Resolve(t.Context(), viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}); err != nil || o.requests() != "" {
		t.Errorf("%v, or TMDB was asked", err)
	}
	if _, err := os.Stat(l.d.picturesDir()); !os.IsNotExist(err) {
		t.Errorf("the pictures: %v", err)
	}
}

// names lists the stored pictures.
func (p *pictures) names(t *testing.T) string {
	t.Helper()
	all, err := os.ReadDir(p.dir)
	must(t, err)
	var names []string
	for _, e := range all {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// The oldest pictures are removed if there is no space, as are pictures of an earlier run and
// those older than TMDB's terms allow.
func TestPicturesAreBounded(t *testing.T) {
	fetched := 0
	fetch := func(context.Context, string) ([]byte, error) { fetched++; return make([]byte, 100), nil }
	p := newPictures(filepath.Join(t.TempDir(), "posters"), fetch)
	p.max = 1000
	get := func(n int) {
		t.Helper()
		path := fmt.Sprintf("/%02d.jpg", n)
		if body, err := p.get(t.Context(), path); err != nil || len(body) != 100 {
			t.Fatalf("%s: %d bytes, %v", path, len(body), err)
		}
		at := time.Now().Add(time.Duration(n-100) * time.Hour)
		must(t, os.Chtimes(filepath.Join(p.dir, path), at, at))
	}
	for n := range 10 {
		get(n)
	}
	get(0)
	if got := p.names(t); got != "00.jpg 01.jpg 02.jpg 03.jpg 04.jpg 05.jpg 06.jpg 07.jpg 08.jpg 09.jpg" || fetched != 10 {
		t.Errorf("%s after %d fetches", got, fetched)
	}
	p = newPictures(p.dir, fetch)
	p.max = 1000
	old := time.Now().Add(-200 * 24 * time.Hour)
	must(t, os.Chtimes(filepath.Join(p.dir, "09.jpg"), old, old))
	for n := 10; n < 13; n++ {
		get(n)
	}
	if got := p.names(t); got != "02.jpg 03.jpg 04.jpg 05.jpg 06.jpg 07.jpg 08.jpg 10.jpg 11.jpg 12.jpg" {
		t.Error(got)
	}
}

// Concurrent requests share one download, and one that gives up does not affect the others. After
// a failure the picture, or after a server failure any picture, is not requested for some time.
func TestFailedPictureDownloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetches, trouble := map[string]int{}, error(nil)
		p := newPictures(filepath.Join(t.TempDir(), "posters"), func(ctx context.Context, path string) ([]byte, error) {
			fetches[path]++
			select {
			case <-time.After(10*time.Second + time.Second/2):
				return []byte("picture"), trouble
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		var all sync.WaitGroup
		for i := range 5 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+8)*time.Second)
				defer cancel()
				if _, err := p.get(ctx, "/a.jpg"); (err == nil) != (i >= 3) {
					t.Errorf("%d: %v", i, err)
				}
			})
			synctest.Wait() // the first request, with the shortest timeout, has started the download
		}
		all.Wait()
		after := func(wait time.Duration, path string, want int, kept bool) {
			t.Helper()
			time.Sleep(wait)
			if _, err := p.get(t.Context(), path); (err == nil) != kept || fetches[path] != want {
				t.Errorf("%s: %v, %d fetches, want %d", path, err, fetches[path], want)
			}
		}
		after(0, "/a.jpg", 1, true)
		trouble = resolve.ErrUnanswerable
		after(0, "/gone.jpg", 1, false)
		after(9*time.Minute, "/gone.jpg", 1, false)
		trouble = nil
		after(0, "/also.jpg", 1, true)
		trouble = resolve.ErrUnanswerable
		after(2*time.Minute, "/gone.jpg", 2, false)
		trouble = errors.New("nobody answers")
		after(0, "/b.jpg", 1, false)
		after(0, "/c.jpg", 0, false)
		after(0, "/a.jpg", 1, true)
		after(2*time.Minute, "/c.jpg", 1, false)
	})
}
