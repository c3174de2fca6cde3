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

// How long answers are believed. TMDB's terms allow six months. What was not found,
// hits of a search, and the list of a season grow: new films and episodes come.
const (
	foundMaxAge   = 30 * 24 * time.Hour
	growingMaxAge = 20 * time.Hour // shorter than the first wait before an entry is asked about again
)

// Cache keeps on disk what was answered, so that each thing is asked once: a file for
// each answer, in a folder for each provider. No name tells what was asked. With it
// nothing is lost but questions that were asked already. A nil Cache remembers nothing.
type Cache struct {
	dir string
	now func() time.Time
}

// remembered is an answer in its file.
type cacheEntry struct {
	At     time.Time
	Answer Answer
}

// OpenCache opens or makes the folder. Answers that are too old, and those of others than
// named, as "TMDB", are forgotten: TMDB's terms ask for that. fresh is true where somebody
// named is new.
func OpenCache(dir string, names ...string) (c *Cache, fresh bool, err error) {
	c = &Cache{dir: dir, now: time.Now}
	var wanted []string
	for _, who := range names {
		folder := c.folder(who)
		wanted = append(wanted, folder)
		_, missing := os.Stat(folder)
		fresh = fresh || missing != nil
		err = errors.Join(err, os.MkdirAll(folder, 0o700))
	}
	known, _ := filepath.Glob(filepath.Join(dir, "from-*")) // no file tells of another error
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

func (c *Cache) folder(who string) string {
	return filepath.Join(c.dir, fmt.Sprintf("from-%x", sha256.Sum256([]byte(who))))
}

// file is that of a question.
func (c *Cache) file(who string, q Question) string {
	key := fmt.Sprintf("%s %s %d %d %d %s", q.Topic, q.Kind, q.Number, q.Season, q.Year, q.Text)
	return filepath.Join(c.folder(who), fmt.Sprintf("%x", sha256.Sum256([]byte(key))))
}

// recall is what is remembered of some questions, and young enough. What cannot be read
// is not remembered.
func (c *Cache) load(who string, wanted []Question) map[Question]*Answer {
	found := map[Question]*Answer{}
	if c == nil {
		return found
	}
	for _, q := range wanted {
		var r cacheEntry
		body, err := os.ReadFile(c.file(who, q))
		if err == nil && json.Unmarshal(body, &r) == nil && c.isFresh(q, r) {
			found[q] = &r.Answer
		}
	}
	return found
}

// young reports whether an answer may still be believed. One from the future is not:
// the clock was wrong, then or now.
func (c *Cache) isFresh(q Question, r cacheEntry) bool {
	lasts := foundMaxAge
	if r.Answer.isEmpty() || q.Topic == Season || q.Topic == ByTitle {
		lasts = growingMaxAge
	}
	age := c.now().Sub(r.At)
	return age >= 0 && age < lasts
}

// keep remembers answers.
func (c *Cache) save(who string, answers map[Question]*Answer) (all error) {
	if c == nil {
		return nil
	}
	for q, a := range answers {
		if a != nil {
			body, err := json.Marshal(cacheEntry{c.now(), *a})
			if err == nil {
				err = os.WriteFile(c.file(who, q), body, 0o600)
			}
			all = errors.Join(all, err)
		}
	}
	return all
}
