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
	maxFailed    = 1000
)

// pictures are files that were fetched from elsewhere. They are bounded: the oldest go.
type pictures struct {
	dir     string
	max     int64
	fetch   func(ctx context.Context, path string) ([]byte, error)
	flights singleflight.Group // one request for each picture

	mu     sync.Mutex
	size   int64                // of all files; below 0 before they were counted
	failed map[string]time.Time // asked for again after that, by path; "" is all of them
}

func newPictures(dir string, fetch func(context.Context, string) ([]byte, error)) *pictures {
	return &pictures{dir: dir, max: maxPictures, fetch: fetch, size: -1, failed: map[string]time.Time{}}
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
		if p.resting(path) {
			return nil, errNoPicture
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pictureTime)
		defer cancel()
		body, err := p.fetch(ctx, path)
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil {
			p.fail(path, err)
			return nil, err
		}
		return body, p.keep(file, body)
	})
	select {
	case r := <-done:
		body, _ := r.Val.([]byte)
		return body, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// resting reports whether a picture is not asked for now.
func (p *pictures) resting(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	return now.Before(p.failed[path]) || now.Before(p.failed[""])
}

// fail remembers that a picture could not be had; p.mu is held.
func (p *pictures) fail(path string, err error) {
	if len(p.failed) >= maxFailed {
		clear(p.failed)
	}
	p.failed[path] = time.Now().Add(pictureFails)
	if !errors.Is(err, resolve.ErrUnanswerable) {
		p.failed[""] = time.Now().Add(imagesRest)
	}
}

// keep writes a file, and removes the oldest where there is no room for it; p.mu is held.
func (p *pictures) keep(file string, body []byte) error {
	if p.size < 0 || p.size+int64(len(body)) > p.max {
		if err := p.clean(int64(len(body))); err != nil {
			return err
		}
	}
	if err := config.WriteFile(file, body); err != nil {
		return err
	}
	p.size += int64(len(body))
	return nil
}

// clean counts the files, and removes those that are too old and, until there is room for
// more, the oldest. A tenth of the bound stays free then.
func (p *pictures) clean(more int64) error {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return err
	}
	var files []os.FileInfo
	p.size = 0
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			files, p.size = append(files, info), p.size+info.Size()
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	full := p.size+more > p.max
	for _, f := range files {
		if time.Since(f.ModTime()) < pictureLasts && (!full || p.size+more <= p.max*9/10) {
			break
		}
		if err := os.Remove(filepath.Join(p.dir, f.Name())); err != nil {
			return err
		}
		p.size -= f.Size()
	}
	return nil
}
