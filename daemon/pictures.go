package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/resolve"
)

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
