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

// titleLookup asks TMDB about numbers that somebody looks at: what they are called, and for a
// picture of them. It keeps what it learns. Where TMDB is off it is nil, and want,
// learnNow and offers do nothing.
type titleLookup struct {
	*core
	tmdb     *provider
	pictures *pictures
	wanted   chan resolve.Question
	flights  singleflight.Group

	rests rests[resolve.Question]

	mu    sync.Mutex
	found map[string]string // paths of pictures by [titleKey], of what somebody was offered
}

const (
	maxWanted   = 200              // questions that wait; more are asked when they are shown again
	maxKnown    = 10_000           // questions and pictures that are remembered
	askedFor    = 20 * time.Hour   // as long as answers of "none" are kept
	failedFor   = time.Minute      // before a question without an answer is asked again
	askTime     = 30 * time.Second // for one answer of TMDB
	pictureWait = 5 * time.Second  // that a page waits for a picture
	titleWait   = 3 * time.Second  // that somebody waits who adds something
)

// errNoPicture says that there is no picture, or that it cannot be had now.
var errNoPicture = errors.New("there is no picture")

// openTitles makes them, where TMDB is on.
func (d *core) openTitles() {
	for _, p := range d.providers {
		if p.name == resolve.TMDB {
			d.titles = &titleLookup{
				core: d, tmdb: p, wanted: make(chan resolve.Question, maxWanted), found: map[string]string{},
				pictures: newPictures(d.picturesDir(), tmdb.NewImages(d.o.Config.Resolve.TMDB.ImageURL).Poster),
			}
		}
	}
}

// want has the titles asked for that entries lack, some time later.
func (t *titleLookup) want(entries ...queue.Entry) {
	if t == nil {
		return
	}
	for _, e := range entries {
		for _, q := range lacking(e.Media) {
			if t.rests.has(q) {
				continue
			}
			select {
			case t.wanted <- q:
			default: // too many
			}
		}
	}
}

// offers remembers the pictures of what a person may choose from, so that nobody asks TMDB
// about each.
func (t *titleLookup) offers(all []resolve.Candidate) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.found) >= maxKnown {
		clear(t.found)
	}
	for _, c := range all {
		if c.Poster != "" {
			t.found[titleKey(c.Type, c.TMDB)] = c.Poster
		}
	}
}

// learnNow learns the titles that items lack, unless that takes too long.
func (t *titleLookup) learnNow(ctx context.Context, all []viewing.Media) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, titleWait)
	defer cancel()
	for _, m := range all {
		for _, q := range lacking(&m) {
			_ = t.learn(ctx, q) // it is asked again when it is shown
		}
	}
}

// lacking returns the questions whose answers tell the titles that an item lacks.
func lacking(m *viewing.Media) (all []resolve.Question) {
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

// run asks what is wanted, one after the other, until ctx ends.
func (t *titleLookup) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-t.wanted:
			_ = t.learn(ctx, q) // it is asked again when it is shown again
		}
	}
}

// learn asks TMDB and keeps the answer, unless that was done. Whoever asks the same
// meanwhile waits for the same answer.
func (t *titleLookup) learn(ctx context.Context, q resolve.Question) error {
	done := t.flights.DoChan(fmt.Sprint(q), func() (any, error) {
		client := t.tmdb.client.Load()
		if client == nil || t.rests.has(q) {
			return nil, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
		defer cancel()
		answer, err := client.Ask(ctx, q)
		if told := titlesOf(answer); err == nil && len(told) > 0 {
			err = t.store.Learn(ctx, told)
		}
		if err != nil {
			t.rests.add(q, failedFor)
			t.log.Debug("titles not learned", "error", err)
			return nil, err
		}
		t.rests.add(q, askedFor)
		return nil, nil
	})
	select {
	case r := <-done:
		return r.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// titlesOf is an answer of TMDB in the words of the queue.
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

// poster returns the picture of a film or series. TMDB is asked about a number of which it
// was not asked yet.
func (t *titleLookup) poster(ctx context.Context, kind viewing.MediaType, number int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, pictureWait)
	defer cancel()
	path, known, err := t.store.Poster(ctx, titleKey(kind, number))
	if !known {
		t.mu.Lock()
		path = t.found[titleKey(kind, number)]
		t.mu.Unlock()
	}
	if err == nil && !known && path == "" {
		if err = t.learn(ctx, resolve.Question{Topic: resolve.Details, Kind: kind, Number: number}); err == nil {
			path, _, err = t.store.Poster(ctx, titleKey(kind, number))
		}
	}
	if err != nil || path == "" {
		return nil, cmp.Or(err, errNoPicture)
	}
	return t.pictures.get(ctx, path)
}

const (
	maxPictures  = 100 << 20            // bytes of all pictures
	pictureTime  = 15 * time.Second     // for one
	pictureLasts = 150 * 24 * time.Hour // TMDB's terms allow six months
	pictureFails = 10 * time.Minute     // before one that could not be had is asked for again
	imagesRest   = time.Minute          // before any is, where nobody answers as TMDB does
)

// pictures are files that were fetched from elsewhere. They are bounded: the oldest go.
type pictures struct {
	dir     string
	max     int64
	fetch   func(ctx context.Context, path string) ([]byte, error)
	flights singleflight.Group // one request for each picture

	keeping sync.Mutex
	rests   rests[string] // by path; "" is all pictures
}

func newPictures(dir string, fetch func(context.Context, string) ([]byte, error)) *pictures {
	return &pictures{dir: dir, max: maxPictures, fetch: fetch}
}

// rests says what is left alone for some time.
type rests[K comparable] struct {
	mu    sync.Mutex
	until map[K]time.Time
}

func (r *rests[K]) has(key K) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(r.until[key])
}

// add leaves something alone. Where that are too many, the others are forgotten.
func (r *rests[K]) add(key K, span time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.until) >= maxKnown || r.until == nil {
		r.until = map[K]time.Time{}
	}
	r.until[key] = time.Now().Add(span)
}

// picturesDir is the folder of the pictures.
func (d *core) picturesDir() string { return filepath.Join(d.o.Paths.State, "posters") }

// get returns a picture: the file, else what is fetched for it.
func (p *pictures) get(ctx context.Context, path string) ([]byte, error) {
	file := filepath.Join(p.dir, filepath.Base(path))
	if body, err := os.ReadFile(file); err == nil {
		return body, nil
	}
	done := p.flights.DoChan(path, func() (any, error) {
		if p.rests.has(path) || p.rests.has("") {
			return nil, errNoPicture
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pictureTime)
		defer cancel()
		body, err := p.fetch(ctx, path)
		if err == nil {
			return body, p.keep(file, body)
		}
		p.rests.add(path, pictureFails)
		if !errors.Is(err, resolve.ErrUnanswerable) {
			p.rests.add("", imagesRest)
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

// keep writes a file. It removes those that are too old and, until there is room for it, the
// oldest.
func (p *pictures) keep(file string, body []byte) error {
	p.keeping.Lock()
	defer p.keeping.Unlock()
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
		if size <= p.max && time.Since(f.ModTime()) < pictureLasts {
			break
		}
		if err := os.Remove(filepath.Join(p.dir, f.Name())); err != nil {
			return err
		}
		size -= f.Size()
	}
	return config.WriteFile(file, body)
}
