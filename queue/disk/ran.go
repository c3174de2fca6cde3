package disk

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// ranBefore is what stands beside the database of the last run: by it a start
// sees that the database is gone, or older than it was.
type ranBefore struct {
	Installation string `json:"installation"`
	Run          int64  `json:"run"`
	Unmarked     bool   `json:"unmarked,omitempty"` // it ended without its mark, and left no log
	missing      bool   // the database was not there
	noLog        bool   // the log was not there, and nobody knows why
}

// ran is the file that names the last run.
func (f *File) ran() string { return f.path + "-run" }

// compare reads what stands beside the database, before anything is made.
func (f *File) compare() error {
	text, err := os.ReadFile(f.ran())
	if err != nil || json.Unmarshal(text, &f.before) != nil {
		f.before = ranBefore{} // nothing is known, so nothing is said
		return nil
	}
	empty := func(part string) bool {
		info, err := os.Stat(f.path + part)
		return err == nil && info.Size() == 0 || errors.Is(err, fs.ErrNotExist)
	}
	f.before.missing, f.before.noLog = empty(""), !f.before.Unmarked && empty("-wal")
	return nil
}

// noteRun writes down which run this is. Without it a later start cannot tell
// that something is missing; that is no reason not to run.
func (f *File) noteRun(run ranBefore) {
	f.before = run
	text, err := json.Marshal(run)
	fresh := f.ran() + ".new"
	if err == nil {
		err = os.WriteFile(fresh, text, 0o600)
	}
	if err == nil {
		err = flush(fresh)
	}
	if err == nil {
		err = os.Rename(fresh, f.ran())
	}
	if err != nil {
		f.logger.Warn("the run was not noted; a later start cannot tell whether the database is the newest", "error", err)
	}
}

// forgetLog follows an end without its mark, once all is closed. SQLite may
// have put the log into the database and removed it: the next start must not
// miss it. All else is checked as ever.
func (f *File) forgetLog(hadLog bool) {
	if hadLog && f.before.Run > 0 && nothing(f.path+"-wal") {
		f.before.Unmarked = true
		f.noteRun(f.before)
	}
}

// catchUp holds the database against the last run.
func (f *File) catchUp(t *Tx, o *Opening) error {
	var run int64
	var clean bool
	_, err := t.Find(`SELECT coalesce((SELECT value FROM meta WHERE key = 'run'), 0),
		coalesce((SELECT value FROM meta WHERE key = 'clean'), 1),
		coalesce((SELECT value FROM meta WHERE key = 'copied'), 0)`, nil, &run, &clean, &o.Copied)
	switch {
	case err != nil:
		return err
	case f.unsure:
		o.Older = true
	case f.before.Run == 0 || f.salvagedNow || o.Copied != 0: // a copy tells itself what it is
	case f.before.missing:
		o.Missing = true
		f.logger.Error("the database was missing; a new one was begun", "path", f.path)
	case run < f.before.Run || !clean && f.before.noLog:
		o.Older = true
		f.logger.Error("the database is older than the last run, or has lost its log", "path", f.path)
	}
	return nil
}
