package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Backup writes a copy of the database, as of one moment, to file while all
// goes on. The file is whole and on disk when it returns, readable by this
// user only; one that exists is never overwritten: the error wraps
// [os.ErrExist]. A start on it learns when it was made, see [Opening].
func (f *File) Backup(ctx context.Context, file string) error {
	if err := f.backup(ctx, file); err != nil {
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	return nil
}

func (f *File) backup(ctx context.Context, file string) error {
	if err := f.copyInto(ctx, file); err != nil {
		return err
	}
	if err := f.markCopy(ctx, file); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// copyInto copies the database into a new file and flushes it. SQLite writes
// into a file that exists only when it is empty, so nobody else's is lost.
func (f *File) copyInto(ctx context.Context, file string) (err error) {
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
	db := f.reader
	if !f.reading { // a long copy must not keep other readers waiting
		if db, err = openPool(1, f.path, "ro", f.busy); err != nil {
			return err
		}
		defer db.Close()
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return StorageError(err)
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
func (f *File) markCopy(ctx context.Context, file string) error {
	db, err := openPool(1, file, "rw", f.busy, "synchronous(full)")
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT OR REPLACE INTO meta (key, value) VALUES ('copied', ?)", f.now().UnixMilli())
	if err := errors.Join(err, db.Close()); err != nil {
		return StorageError(err)
	}
	return nil
}

// keptBackups is how many copies made before migrations are kept.
const keptBackups = 2

// backupBefore copies the database before it is migrated from a version. The
// copy is one to go back to, so it is marked like any other: what waits in it
// may have been sent since. It gets its name when it is whole.
func (f *File) backupBefore(ctx context.Context, version int) error {
	name := fmt.Sprintf("%s%s%d-", f.path, beforeSchema, version+1)
	file := name + stampFor(f.now(), func(stamp string) bool { return nothing(name + stamp) })
	half := f.path + halfCopy
	_ = os.Remove(half) // what a crash has left of one
	err := f.backup(ctx, half)
	if err == nil {
		err = os.Rename(half, file)
	}
	if err != nil {
		return fmt.Errorf("back up before migrating: %w: %w", ErrStorage, err)
	}
	syncFolder(filepath.Dir(file))
	f.logger.Info("backed up before migrating", "file", file)
	old := copiesBefore(f.path)
	for _, file := range old[:max(0, len(old)-keptBackups)] {
		if err := os.Remove(file); err != nil {
			f.logger.Warn("old backup not removed", "file", file, "error", err)
		}
	}
	return nil
}

// halfCopy follows the name of the database in that of a copy that is being
// made. One that is there at a start was left by a crash.
const halfCopy = ".copying"

// beforeSchema stands in the name of such a copy, between that of the database
// and the schema that it was copied for.
const beforeSchema = ".before-schema-"

// copiesBefore are the copies made before migrations, the oldest first. A
// folder that cannot be read has none.
func copiesBefore(path string) (copies []string) {
	names, _ := os.ReadDir(filepath.Dir(path))
	for _, name := range names {
		after, ok := strings.CutPrefix(name.Name(), filepath.Base(path)+beforeSchema)
		if ok && isStamped(after) {
			copies = append(copies, filepath.Join(filepath.Dir(path), name.Name()))
		}
	}
	slices.SortFunc(copies, byStamp)
	return copies
}

// isStamped reports whether a name ends in a stamp, as no file beside a copy
// does.
func isStamped(name string) bool {
	_, err := time.Parse(stampLayout, name[max(0, len(name)-len(stampLayout)):])
	return err == nil
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
