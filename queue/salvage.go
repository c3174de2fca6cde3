package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The files that a database consists of, by what follows its name.
func parts() []string { return []string{"", "-wal", "-shm"} }

// salvage saves what can be read of a damaged database into a fresh one, and
// then puts that in its place. The damaged one is only read: it stays beside
// it under another name. A crash at any moment leaves either the damaged
// database where it was, or a whole fresh one that [Store.finishSwap] finds.
func (s *Store) salvage(ctx context.Context, scripts []string, cause string) error {
	log, err := os.ReadFile(s.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("salvage database: %w: %w", ErrStorage, err)
	}
	return s.salvageFrom(ctx, scripts, remains{base: s.path, log: readLog(log), cause: cause})
}

// remains are what a salvage reads.
type remains struct {
	base  string // a file like the database, which may have a log beside it
	log   logged // the pages of the log, for rows that base does not lead to
	cause string
	gone  bool // the database's own file was missing or empty
}

// salvageFrom is salvage for a wreck that may stand elsewhere.
func (s *Store) salvageFrom(ctx context.Context, scripts []string, w remains) error {
	stamp := s.freeStamp()
	s.logger.Error("database is damaged; saving what can be read", "path", s.path, "cause", w.cause)
	fresh := s.path + ".salvaging"
	if err := removeDatabase(fresh); err != nil {
		return fmt.Errorf("salvage database: %w: %w", ErrStorage, err)
	}
	found, err := s.rescue(ctx, scripts, fresh, stamp, w)
	if err != nil {
		return fmt.Errorf("salvage database: %w", err)
	}
	if err := s.stage(fresh, stamp); err != nil {
		return err
	}
	if err := s.finishSwap(); err != nil {
		return err
	}
	s.salvagedNow = true
	s.logger.Error("database was set aside", "aside", s.aside(stamp), "events", found.events, "entries", found.entries,
		"damaged", found.damaged, "unreadable", found.unreadable, "anew", found.anew)
	return nil
}

// stage puts a whole fresh database where [Store.finishSwap] finds it.
func (s *Store) stage(fresh, stamp string) error {
	if err := flush(fresh); err != nil {
		return fmt.Errorf("salvage database: %w: %w", ErrStorage, err)
	}
	if err := os.Rename(fresh, s.salvaged(stamp)); err != nil {
		return fmt.Errorf("salvage database: %w: %w", ErrStorage, err)
	}
	syncFolder(filepath.Dir(s.path))
	return nil
}

// freeStamp is the time now for names of files, or the next second at which
// nothing was set aside yet.
func (s *Store) freeStamp() string {
	return stampFor(s.now(), func(stamp string) bool {
		return nothing(s.aside(stamp)) && nothing(s.aside(stamp)+"-wal") && nothing(s.salvaged(stamp))
	})
}

// aside is where a damaged database is put.
func (s *Store) aside(stamp string) string { return s.path + ".damaged-" + stamp }

// salvaged is a whole fresh database that is to take the damaged one's place.
func (s *Store) salvaged(stamp string) string { return s.path + ".salvaged-" + stamp }

// finishSwap puts a salvaged database in its place, if there is one.
func (s *Store) finishSwap() error {
	ready, err := filepath.Glob(s.salvaged("*"))
	if err != nil || len(ready) == 0 {
		return err
	}
	stamp := strings.TrimPrefix(ready[0], s.salvaged(""))
	for _, part := range parts() {
		err := os.Rename(s.path+part, s.aside(stamp)+part)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set database aside: %w: %w", ErrStorage, err)
		}
	}
	if err := os.Rename(ready[0], s.path); err != nil {
		return fmt.Errorf("replace database: %w: %w", ErrStorage, err)
	}
	if err := os.Remove(s.suspicion()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget damage: %w: %w", ErrStorage, err)
	}
	syncFolder(filepath.Dir(s.path))
	return nil
}

// removeDatabase removes what an attempt that was cut short has left.
func removeDatabase(path string) error {
	for _, part := range parts() {
		if err := os.Remove(path + part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// salvaged is what came of a salvage.
type salvaged struct {
	events, entries int64 // saved
	damaged         int64 // entries among them that are held, for they may be wrong
	unreadable      int64 // rows that could not be read or kept
	anew            int64 // those of them that were made again from their events
	lost            int64 // events of which only the name is left
	gone            bool  // only the log of the database was there
}

// notice tells a person.
func (f salvaged) notice(aside string) Notice {
	text := fmt.Sprintf("The queue's file was damaged. It was set aside as %s; %d events and %d entries of it are saved.",
		filepath.Base(aside), f.events, f.entries)
	if f.gone {
		text = fmt.Sprintf("The queue's file was missing or empty, but its log was there: %d events and %d entries are saved from that. "+
			"What stood only in the file is lost. The log was set aside as %s-wal.", f.events, f.entries, filepath.Base(aside))
	}
	if f.damaged > 0 {
		text += fmt.Sprintf(" %d entries are held, because what is left of them may be wrong or may have been sent.", f.damaged)
	}
	if f.lost > 0 {
		text += fmt.Sprintf(" %d events are lost but for their names.", f.lost)
	}
	return Notice{Text: text, Hint: "filmspool queue list --state held"}
}

// rescue makes the fresh database and fills it.
func (s *Store) rescue(ctx context.Context, scripts []string, fresh, stamp string, w remains) (found salvaged, err error) {
	if err := makeFile(fresh); err != nil {
		return found, err
	}
	if err := s.emptyDatabase(ctx, fresh, scripts); err != nil {
		return found, err
	}
	from, err := s.readable(ctx, w.base, fresh)
	if err != nil {
		return found, err
	}
	to, err := connect(fresh)
	if err != nil {
		return found, errors.Join(err, from.Close())
	}
	r := &rescue{ctx: ctx, from: from.db, tx: &tx{connection: to, settings: s.settings, now: s.now().UnixMilli(), moved: map[viewing.State]count{}}}
	r.found.gone = w.gone
	err = r.fill(s.aside(stamp), w.log)
	return r.found, errors.Join(err, to.close(), from.Close())
}

// emptyDatabase makes a database and puts it whole into its one file.
func (s *Store) emptyDatabase(ctx context.Context, path string, scripts []string) error {
	c, err := connect(path)
	if err != nil {
		return err
	}
	return errors.Join(migrate(ctx, c.conn, scripts), c.close())
}

// fill copies what can be read, mends what hangs together, and counts.
func (r *rescue) fill(aside string, log logged) error {
	if _, err := r.tx.exec("PRAGMA foreign_keys = off"); err != nil {
		return err
	}
	if _, err := r.tx.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, stage := range []func() error{
		r.copyTables, func() error { return r.copyStray(log) }, r.mendEvents, r.mendNames, r.mendEntries, r.mendRest, r.count,
		func() error { return r.tx.notify(r.found.notice(aside)) },
		func() error { return r.tx.mark("clean", 1) },
		r.tx.commit,
	} {
		if err := stage(); err != nil {
			return err
		}
	}
	return nil
}

// holdUnsure keeps entries from leaving whose row is not what was written.
const holdUnsure = `UPDATE entries AS n SET state = 'held', reason = '` + viewing.ReasonDamaged + `'
	WHERE state IN ('pending', 'sending') AND sum IS NOT ` + sealedEntry
