package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
)

// Backup writes a copy of the database, as of one moment, to file while all
// goes on. The file is whole and on disk when it returns, readable by this
// user only; one that exists is never overwritten: the error wraps
// [os.ErrExist]. When the copy is opened as a queue, what was pending in it is
// held with the reason [rules.Restored]: it may have been sent since.
func (s *Store) Backup(ctx context.Context, file string) error {
	if err := s.backup(ctx, file); err != nil {
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	return nil
}

func (s *Store) backup(ctx context.Context, file string) error {
	if err := copyInto(ctx, s.path, file); err != nil {
		return err
	}
	if err := markCopy(ctx, file, s.now()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// copyInto copies a database into a new file and flushes it. SQLite writes
// into a file that exists only when it is empty, so nobody else's is lost.
func copyInto(ctx context.Context, path, file string) (err error) {
	made, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := made.Close(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file))
		}
	}()
	db, err := openPool(1, path, "ro")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return storageError(err)
	}
	return flush(file)
}

// flush puts a file and its name on disk.
func flush(file string) error {
	open, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer open.Close()
	if err := open.Sync(); err != nil {
		return err
	}
	syncFolder(filepath.Dir(file))
	return nil
}

// markCopy tells whoever opens a copy when it was made.
func markCopy(ctx context.Context, file string, now time.Time) error {
	db, err := openPool(1, file, "rw", "synchronous(full)")
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT OR REPLACE INTO meta (key, value) VALUES ('copied', ?)", now.UnixMilli())
	if err := errors.Join(err, db.Close()); err != nil {
		return storageError(err)
	}
	return nil
}

// restored holds what was pending in a copy that is opened as the queue: it
// may have been sent after the copy was made.
func (t *tx) restored() error {
	var at int64
	found, err := t.find("SELECT value FROM meta WHERE key = 'copied'", nil, &at)
	if err != nil || !found {
		return err
	}
	held, err := t.holdPending("Held: this queue is a copy made at " + readTime(at).Format(time.RFC3339) + "; it may have been sent since.")
	if err != nil {
		return err
	}
	if _, err := t.exec("DELETE FROM meta WHERE key = 'copied'"); err != nil {
		return err
	}
	return t.notify(Notice{
		Text: fmt.Sprintf("This queue is a copy made at %s. %d entries that waited then are held: they may have been sent since.",
			readTime(at).Format(time.RFC3339), held),
		Hint: "filmspool queue release --reason restored",
	})
}

// holdPending holds what is pending in a database that is older than what was
// sent, and says how many entries that were.
func (t *tx) holdPending(why string) (held int, err error) {
	rows, err := t.query("SELECT id FROM entries WHERE state = 'pending'")
	pending, err := collect(rows, err, scanID)
	if err != nil {
		return 0, err
	}
	for _, id := range pending {
		_, err := t.exec("UPDATE entries SET state = 'held', reason = ?, lease = 0, lease_until = 0 WHERE id = ?", rules.Restored, id)
		if err != nil {
			return 0, err
		}
		t.leave(StatePending)
		t.enter(StateHeld)
		if err := t.step(id, "restored", why); err != nil {
			return 0, err
		}
	}
	return len(pending), nil
}

// keptBackups is how many copies made before migrations are kept.
const keptBackups = 2

// backupBefore copies the database before it is migrated from a version. The
// copy is one to go back to, so it is marked like any other: what waits in it
// may have been sent since.
func (s *Store) backupBefore(ctx context.Context, version int) error {
	stamp := s.now().UTC().Format(stampLayout)
	file := fmt.Sprintf("%s%s%d-%s", s.path, beforeSchema, version+1, stamp)
	if err := s.backup(ctx, file); err != nil {
		return fmt.Errorf("back up before migrating: %w: %w", ErrStorage, err)
	}
	s.logger.Info("backed up before migrating", "file", file)
	old := copiesBefore(s.path)
	for _, file := range old[:max(0, len(old)-keptBackups)] {
		if err := os.Remove(file); err != nil {
			s.logger.Warn("old backup not removed", "file", file, "error", err)
		}
	}
	return nil
}

// beforeSchema stands in the name of such a copy, between that of the database
// and the schema that it was copied for.
const beforeSchema = ".before-schema-"

// copiesBefore are the copies made before migrations, the oldest first. A
// folder that cannot be read has none.
func copiesBefore(path string) (copies []string) {
	names, _ := os.ReadDir(filepath.Dir(path))
	for _, name := range names {
		if strings.HasPrefix(name.Name(), filepath.Base(path)+beforeSchema) {
			copies = append(copies, filepath.Join(filepath.Dir(path), name.Name()))
		}
	}
	slices.SortFunc(copies, byStamp)
	return copies
}

// stampLayout is the time in names of files.
const stampLayout = "20060102T150405Z"

// stampFor is the stamp of a time, or of the next second after it that is free.
func stampFor(at time.Time, free func(stamp string) bool) string {
	stamp := at.UTC().Format(stampLayout)
	for !free(stamp) {
		at = at.Add(time.Second)
		stamp = at.UTC().Format(stampLayout)
	}
	return stamp
}

// nothing reports whether no file of a name can be seen.
func nothing(name string) bool {
	_, err := os.Lstat(name)
	return err != nil
}

// byStamp orders names that end in a stamp.
func byStamp(a, b string) int {
	return slices.Compare([]byte(a[max(0, len(a)-len(stampLayout)):]), []byte(b[max(0, len(b)-len(stampLayout)):]))
}
