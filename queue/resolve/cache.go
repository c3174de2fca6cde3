package resolve

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// How long answers are used. TMDB's terms allow six months. Empty answers, search hits and
// the episodes of a season expire sooner: new films and episodes appear.
const (
	foundMaxAge   = 30 * 24 * time.Hour
	growingMaxAge = 20 * time.Hour // shorter than the first wait before an entry is looked up again
)

// Cache stores answers on disk, so that each question is asked once: one file per answer, in
// one folder per provider. File names are hashes and do not reveal the questions. Deleting
// the cache only costs requests. A nil Cache stores nothing.
type Cache struct {
	dir string
	now func() time.Time
}

// cacheEntry is the content of a cache file.
type cacheEntry struct {
	At     time.Time
	Answer Answer
}

// OpenCache opens or creates the folder. It deletes expired answers, and the answers of all
// providers but those with the given [Provider.CacheKey]s: TMDB's terms require that. fresh
// reports that one of the providers had no folder yet.
func OpenCache(dir string, names ...string) (c *Cache, fresh bool, err error) {
	c = &Cache{dir: dir, now: time.Now}
	var wanted []string
	for _, provider := range names {
		folder := c.folder(provider)
		wanted = append(wanted, folder)
		_, missing := os.Stat(folder)
		fresh = fresh || missing != nil
		err = errors.Join(err, os.MkdirAll(folder, 0o700))
	}
	known, _ := filepath.Glob(filepath.Join(dir, "from-*")) // the only error is a bad pattern
	for _, folder := range known {
		if !slices.Contains(wanted, folder) {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}
	err = errors.Join(err, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) >= foundMaxAge {
			err = os.Remove(path)
		}
		return err
	}))
	if err != nil {
		return nil, false, fmt.Errorf("open the cache of answers: %w", err)
	}
	return c, fresh, nil
}

// folder returns the folder of a provider's answers.
func (c *Cache) folder(provider string) string {
	return filepath.Join(c.dir, fmt.Sprintf("from-%x", sha256.Sum256([]byte(provider))))
}

// file returns the path of the answer to a question.
func (c *Cache) file(provider string, q Question) string {
	key := fmt.Sprintf("%s %s %d %d %d %s", q.Topic, q.Kind, q.Number, q.Season, q.Year, q.Text)
	return filepath.Join(c.folder(provider), fmt.Sprintf("%x", sha256.Sum256([]byte(key))))
}

// load returns the stored answers to questions that are not expired. Unreadable files are
// ignored.
func (c *Cache) load(provider string, wanted []Question) map[Question]*Answer {
	found := map[Question]*Answer{}
	if c == nil {
		return found
	}
	for _, q := range wanted {
		var r cacheEntry
		body, err := os.ReadFile(c.file(provider, q))
		if err == nil && json.Unmarshal(body, &r) == nil && c.isFresh(q, r) {
			found[q] = &r.Answer
		}
	}
	return found
}

// isFresh reports whether an answer is not expired. An answer from the future counts as
// expired: the clock was or is wrong.
func (c *Cache) isFresh(q Question, r cacheEntry) bool {
	maxAge := foundMaxAge
	if r.Answer.isEmpty() || q.Topic == Season || q.Topic == ByTitle {
		maxAge = growingMaxAge
	}
	age := c.now().Sub(r.At)
	return age >= 0 && age < maxAge
}

// save stores answers.
func (c *Cache) save(provider string, answers map[Question]*Answer) (all error) {
	if c == nil {
		return nil
	}
	for q, a := range answers {
		if a != nil {
			body, err := json.Marshal(cacheEntry{c.now(), *a})
			if err == nil {
				err = os.WriteFile(c.file(provider, q), body, 0o600)
			}
			all = errors.Join(all, err)
		}
	}
	return all
}
