package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/resolve"
)

// names lists the pictures that are kept.
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

// TestPicturesAreBounded: the oldest go where there is no room for another, those of an
// earlier run, too, and what is older than TMDB's terms allow.
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

// TestPicturesThatCannotBeHad: one fetch answers all who ask meanwhile; one who waits no
// longer leaves the others alone. A failure is remembered for a while, of one picture or,
// where TMDB does not answer, of all.
func TestPicturesThatCannotBeHad(t *testing.T) {
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
			synctest.Wait() // the first, who waits the shortest, has asked
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
