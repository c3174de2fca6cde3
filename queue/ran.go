package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ranBefore is what stands beside the database of the last run: by it a start
// sees that the database is gone, or older than it was.
type ranBefore struct {
	Installation string `json:"installation"`
	Run          int64  `json:"run"`
	missing      bool   // the database was not there
	noLog        bool   // the log was not there
}

// ran is the file that names the last run.
func (s *Store) ran() string { return s.path + "-run" }

// compare reads what stands beside the database, before anything is made.
func (s *Store) compare() error {
	text, err := os.ReadFile(s.ran())
	if err != nil || json.Unmarshal(text, &s.before) != nil {
		s.before = ranBefore{} // nothing is known, so nothing is said
		return nil
	}
	empty := func(part string) bool {
		info, err := os.Stat(s.path + part)
		return err == nil && info.Size() == 0 || errors.Is(err, fs.ErrNotExist)
	}
	s.before.missing, s.before.noLog = empty(""), empty("-wal")
	return nil
}

// noteRun writes down which run this is. Without it a later start cannot tell
// that something is missing; that is no reason not to run.
func (s *Store) noteRun() {
	text, err := json.Marshal(ranBefore{Installation: s.installation, Run: s.run})
	fresh := s.ran() + ".new"
	if err == nil {
		err = os.WriteFile(fresh, text, 0o600)
	}
	if err == nil {
		err = flush(fresh)
	}
	if err == nil {
		err = os.Rename(fresh, s.ran())
	}
	if err != nil {
		s.logger.Warn("the run was not noted; a later start cannot tell whether the database is the newest", "error", err)
	}
}

// forgetRun follows an end without its mark, once all is closed. SQLite may
// have put the log into the database and removed it: the next start must not
// miss it.
func (s *Store) forgetRun(hadLog bool) error {
	if !hadLog || !nothing(s.path+"-wal") || nothing(s.ran()) {
		return nil
	}
	return os.Remove(s.ran())
}

// catchUp holds the database against the last run. In one that is older, what
// is pending may have been sent since.
func (s *Store) catchUp(t *tx) error {
	if s.unsure {
		return s.tellOlder(t)
	}
	if s.before.Run == 0 || s.salvagedNow {
		return nil
	}
	var run, at int64
	var clean bool
	_, err := t.find(`SELECT coalesce((SELECT value FROM meta WHERE key = 'run'), 0),
		coalesce((SELECT value FROM meta WHERE key = 'clean'), 1)`, nil, &run, &clean)
	if err != nil {
		return err
	}
	copied, err := t.find("SELECT value FROM meta WHERE key = 'copied'", nil, &at)
	switch {
	case err != nil || copied:
		return err // a copy tells itself what it is
	case s.before.missing:
		s.logger.Error("the database was missing; a new one was begun", "path", s.path)
		return t.notify(Notice{
			Text: fmt.Sprintf("The queue's file %s was missing, so a new one was begun. What waited in it is not here. "+
				"If you have a copy, stop filmspool and put it in place.", filepath.Base(s.path)),
			Hint: "filmspool queue list",
		})
	case run >= s.before.Run && (clean || !s.before.noLog):
		return nil
	}
	return s.tellOlder(t)
}

// tellOlder holds what is pending and tells why.
func (s *Store) tellOlder(t *tx) error {
	const since = "the newest part of the queue's file was missing"
	held, err := t.holdPending("Held: " + since + "; it may have been sent.")
	if err != nil {
		return err
	}
	s.logger.Error("the database is older than the last run, or has lost its log", "path", s.path, "held", held)
	return t.notify(Notice{
		Text: fmt.Sprintf("At the start at %s %s. What was taken last may be lost. %d entries that wait are held: they may have been sent.",
			readTime(t.now).Format(time.RFC3339), since, held),
		Hint: "filmspool queue list --reason restored",
	})
}
