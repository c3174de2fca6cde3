package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/viewing"
)

// titleLookup asks TMDB for the titles and posters of numbers that are shown, and stores the
// answers. It is nil if TMDB is off; request, fetchNow and rememberPosters do nothing then.
type titleLookup struct {
	*core
	tmdb     *provider
	pictures *pictures
	wanted   chan resolve.Question
	requests singleflight.Group

	backoff backoff[resolve.Question]

	mu      sync.Mutex
	posters map[string]string // paths of the candidates' posters by titleKey
}

const (
	maxWanted       = 200              // waiting questions; others are asked when they are shown again
	maxKnown        = 10_000           // questions and posters in memory
	answeredBackoff = 20 * time.Hour   // as long as the cache keeps empty answers
	failedBackoff   = time.Minute      // before a failed question is asked again
	askTime         = 30 * time.Second // for one answer of TMDB
	pictureWait     = 5 * time.Second  // that a page waits for a poster
	titleWait       = 3 * time.Second  // that "add" waits for titles
)

// errNoPicture means that there is no picture, or that it cannot be fetched now.
var errNoPicture = errors.New("there is no picture")

// openTitles creates the title lookup if TMDB is on.
func (d *core) openTitles() {
	for _, p := range d.providers {
		if p.name == resolve.TMDB {
			d.titles = &titleLookup{
				core: d, tmdb: p, wanted: make(chan resolve.Question, maxWanted), posters: map[string]string{},
				pictures: newPictures(d.picturesDir(), tmdb.NewImages(d.o.Config.Resolve.TMDB.ImageURL).Poster),
			}
		}
	}
}

// request queues the titles that entries lack; [titleLookup.run] fetches them.
func (t *titleLookup) request(entries ...queue.Entry) {
	if t == nil {
		return
	}
	for _, e := range entries {
		for _, q := range missingTitles(e.Media) {
			if t.backoff.has(q) {
				continue
			}
			select {
			case t.wanted <- q:
			default: // too many
			}
		}
	}
}

// rememberPosters stores the poster paths of candidates in memory, so that showing them needs no
// further request to TMDB.
func (t *titleLookup) rememberPosters(all []resolve.Candidate) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.posters) >= maxKnown {
		clear(t.posters)
	}
	for _, c := range all {
		if c.Poster != "" {
			t.posters[titleKey(c.Type, c.TMDB)] = c.Poster
		}
	}
}

// fetchNow fetches the titles that items lack, for at most titleWait.
func (t *titleLookup) fetchNow(ctx context.Context, all []viewing.Media) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, titleWait)
	defer cancel()
	for _, m := range all {
		for _, q := range missingTitles(&m) {
			_ = t.fetch(ctx, q) // it is tried again when the item is shown again
		}
	}
}

// missingTitles returns the questions for the titles that an item lacks.
func missingTitles(m *viewing.Media) (all []resolve.Question) {
	switch {
	case m == nil:
	case m.Type != viewing.Episode:
		if m.IDs.TMDB > 0 && (m.Title == "" || m.Year == 0) {
			all = append(all, resolve.Question{Topic: resolve.Details, Kind: m.Type, Number: m.IDs.TMDB})
		}
	case m.Show != nil && m.Show.IDs.TMDB > 0:
		if m.Show.Title == "" {
			all = append(all, resolve.Question{Topic: resolve.Details, Kind: viewing.TV, Number: m.Show.IDs.TMDB})
		}
		if m.Title == "" && m.Placed() {
			all = append(all, resolve.Question{Topic: resolve.Season, Number: m.Show.IDs.TMDB, Season: *m.Season})
		}
	}
	return all
}

// run fetches the requested titles, one after the other, until ctx ends.
func (t *titleLookup) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-t.wanted:
			_ = t.fetch(ctx, q) // it is tried again when the item is shown again
		}
	}
}

// fetch asks TMDB a question and stores the answer, unless it was asked recently. Concurrent
// calls for the same question share one request.
func (t *titleLookup) fetch(ctx context.Context, q resolve.Question) error {
	done := t.requests.DoChan(fmt.Sprint(q), func() (any, error) {
		client := t.tmdb.client.Load()
		if client == nil || t.backoff.has(q) {
			return nil, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
		defer cancel()
		answer, err := client.Ask(ctx, q)
		if titles := titlesOf(answer); err == nil && len(titles) > 0 {
			err = t.store.SaveTitles(ctx, titles)
		}
		if err != nil {
			t.backoff.add(q, failedBackoff)
			t.log.Debug("titles not learned", "error", err)
			return nil, err
		}
		t.backoff.add(q, answeredBackoff)
		return nil, nil
	})
	select {
	case r := <-done:
		return r.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// titlesOf converts an answer of TMDB.
func titlesOf(a *resolve.Answer) (all []queue.Title) {
	if a == nil {
		return nil
	}
	for _, w := range a.Works {
		if w.Title != "" {
			all = append(all, queue.Title{Key: titleKey(w.Type, w.TMDB), Title: w.Title, Year: w.Year, Minutes: w.Minutes, Poster: w.Poster})
		}
	}
	for _, e := range a.Episodes {
		if e.Name != "" {
			all = append(all, queue.Title{Key: fmt.Sprintf("episode:%d:%d:%d", e.Show, e.Season, e.Number), Title: e.Name, Minutes: e.Minutes})
		}
	}
	return all
}

func titleKey(kind viewing.MediaType, number int64) string { return fmt.Sprintf("%s:%d", kind, number) }

// poster returns the picture of a film or series. If its path is unknown, TMDB is asked for it.
func (t *titleLookup) poster(ctx context.Context, kind viewing.MediaType, number int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, pictureWait)
	defer cancel()
	path, known, err := t.store.Poster(ctx, titleKey(kind, number))
	if !known {
		t.mu.Lock()
		path = t.posters[titleKey(kind, number)]
		t.mu.Unlock()
	}
	if err == nil && !known && path == "" {
		if err = t.fetch(ctx, resolve.Question{Topic: resolve.Details, Kind: kind, Number: number}); err == nil {
			path, _, err = t.store.Poster(ctx, titleKey(kind, number))
		}
	}
	if err != nil || path == "" {
		return nil, cmp.Or(err, errNoPicture)
	}
	return t.pictures.get(ctx, path)
}

const (
	maxPictures   = 100 << 20            // bytes of all pictures
	pictureTime   = 15 * time.Second     // for one download
	pictureMaxAge = 150 * 24 * time.Hour // TMDB's terms allow six months
	pictureRetry  = 10 * time.Minute     // before a failed picture is fetched again
	serverRetry   = time.Minute          // before any picture is fetched, if the server failed
)

// pictures is a folder of downloaded pictures with a maximum size; the oldest are removed first.
type pictures struct {
	dir      string
	max      int64
	fetch    func(ctx context.Context, path string) ([]byte, error)
	requests singleflight.Group // one request for each picture

	saving  sync.Mutex
	backoff backoff[string] // by path; "" stands for all pictures
}

func newPictures(dir string, fetch func(context.Context, string) ([]byte, error)) *pictures {
	return &pictures{dir: dir, max: maxPictures, fetch: fetch}
}

// backoff stores until when keys must not be tried again.
type backoff[K comparable] struct {
	mu    sync.Mutex
	until map[K]time.Time
}

func (r *backoff[K]) has(key K) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(r.until[key])
}

// add blocks a key for some time. If there are too many keys, the others are forgotten.
func (r *backoff[K]) add(key K, span time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.until) >= maxKnown || r.until == nil {
		r.until = map[K]time.Time{}
	}
	r.until[key] = time.Now().Add(span)
}

// picturesDir returns the folder of the pictures.
func (d *core) picturesDir() string { return filepath.Join(d.o.Paths.State, "posters") }

// get returns a picture from the folder, or downloads it.
func (p *pictures) get(ctx context.Context, path string) ([]byte, error) {
	file := filepath.Join(p.dir, filepath.Base(path))
	if body, err := os.ReadFile(file); err == nil {
		return body, nil
	}
	done := p.requests.DoChan(path, func() (any, error) {
		if p.backoff.has(path) || p.backoff.has("") {
			return nil, errNoPicture
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pictureTime)
		defer cancel()
		body, err := p.fetch(ctx, path)
		if err == nil {
			return body, p.save(file, body)
		}
		p.backoff.add(path, pictureRetry)
		if !errors.Is(err, resolve.ErrUnanswerable) {
			p.backoff.add("", serverRetry)
		}
		return nil, err
	})
	select {
	case r := <-done:
		body, _ := r.Val.([]byte)
		return body, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// save writes a picture. It removes pictures that are too old and, until there is space, the
// oldest ones.
func (p *pictures) save(file string, body []byte) error {
	p.saving.Lock()
	defer p.saving.Unlock()
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return err
	}
	var files []os.FileInfo
	size := int64(len(body))
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			files, size = append(files, info), size+info.Size()
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if size <= p.max && time.Since(f.ModTime()) < pictureMaxAge {
			break
		}
		if err := os.Remove(filepath.Join(p.dir, f.Name())); err != nil {
			return err
		}
		size -= f.Size()
	}
	return config.WriteFile(file, body)
}
