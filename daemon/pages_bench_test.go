package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/page"
	"github.com/filmspool/filmspool/queue/viewing"
)

// pagesEnv is how many entries the queue of [BenchmarkPages] has. A million take some
// minutes to make.
const pagesEnv = "FILMSPOOL_BENCH_PAGES"

// BenchmarkPages is the server's time for each page, with much in the queue: 144
// viewings a day, of two kinds of source, back from now.
func BenchmarkPages(b *testing.B) {
	entries, _ := strconv.Atoi(os.Getenv(pagesEnv)) // a little without it
	entries = max(entries, 5_000)
	dir := b.TempDir()
	c := config.Default()
	c.Accounts = map[string]config.Account{"default": {KeyHeader: "x-api-key"}}
	d, err := New(b.Context(), Options{
		Config: c, Version: "test", Logger: slog.New(slog.DiscardHandler), Getenv: func(string) string { return "" },
		Paths: config.Paths{State: dir, File: filepath.Join(dir, "config.toml"), Control: filepath.Join(dir, "control.json")},
	})
	if err != nil {
		b.Fatal(err)
	}
	err = d.withQueue(b.Context(), func(ctx context.Context) error {
		fillDiary(b, d, entries)
		site, err := page.New(page.Options{API: d.Control(), Changed: d.changes, Secret: make([]byte, 32), Log: d.log})
		if err != nil {
			return err
		}
		defer site.Close()
		for _, path := range []string{
			"/", "/diary", fmt.Sprintf("/diary?past=%d.0", time.Now().Add(-time.Duration(entries/2)*10*time.Minute).UnixMilli()), "/diary/" + strconv.Itoa(entries/2), "/diary?words=film+99999", "/diary?words=nothing+so",
			"/diary?words=%C3%BCber", "/diary?words=movie", "/diary?source=program", "/diary?state=rejected", "/diary?from=2001-01-01&to=2001-01-02", "/review",
		} {
			b.Run(strings.ReplaceAll(path, "/", "|"), func(b *testing.B) { benchmarkPage(b, site, path) })
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
}

// fillDiary commits viewings; every 500th is of something that nobody knows.
func fillDiary(b *testing.B, d *Daemon, entries int) {
	b.Helper()
	for n := 0; n < entries; n += 5_000 {
		var batch []viewing.Event
		for i := n; i < min(n+5_000, entries); i++ {
			v := movie(fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15), int64(i+1), fmt.Sprintf("The Long Title of Film %d", i), time.Duration(entries-i)*10*time.Minute)
			switch {
			case i%500 == 0:
				v.Media[0].IDs = viewing.IDs{}
			case i%3 == 0:
				v.Media[0] = viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: int64(i)}, Title: fmt.Sprint("Show ", i)}, Season: new(1), Episode: new(2)}
			}
			batch = append(batch, v)
		}
		source := []string{"kodi:/x", "browser:b"}[n/5_000%2]
		if _, err := d.store.Commit(b.Context(), viewing.Batch{Source: source, Events: batch}); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkPage measures one page.
func benchmarkPage(b *testing.B, site *page.Site, path string) {
	pages := site.Handler()
	ask := func(method, path, form string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(b.Context(), method, path, strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, c := range cookies {
			r.AddCookie(c)
		}
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, r)
		return answer
	}
	cookie := ask(http.MethodPost, "/in", url.Values{"ticket": {site.Ticket()}}.Encode()).Result().Cookies()[0]
	var took []time.Duration
	size := 0
	for b.Loop() {
		begun := time.Now()
		answer := ask(http.MethodGet, path, "", cookie)
		took = append(took, time.Since(begun))
		if size = answer.Body.Len(); answer.Code != http.StatusOK {
			b.Fatalf("%d\n%s", answer.Code, answer.Body)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(size)/1000, "KB")
}
