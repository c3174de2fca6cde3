package kodi

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pace is how soon a change of the library is read. Kodi commits one playback
// several times within a second or two.
type pace struct {
	quiet   time.Duration // the files must rest so long
	ceiling time.Duration // however long they are written
	poll    time.Duration // between two looks, for what sends no events: network drives, servers, a folder that was not there
}

var usualPace = pace{quiet: 3 * time.Second, ceiling: 10 * time.Second, poll: time.Minute}

// Run imports until ctx ends, which is no error.
func (i *Importer) Run(ctx context.Context) error {
	if i.o.Announcements {
		var heard sync.WaitGroup
		heard.Go(func() { i.kodi.Run(ctx) })
		heard.Go(func() { i.followPlayback(ctx) })
		defer heard.Wait()
	}
	var watcher *fsnotify.Watcher // nil where the system allows no more: then the poll alone finds what changes
	var changes <-chan fsnotify.Event
	var faults <-chan error
	watch := func() { // the folder may have appeared, or been replaced
		dir := databaseFolder(i.path)
		if watcher == nil && stampOfFile(dir) != "" {
			if watcher, _ = fsnotify.NewWatcher(); watcher != nil {
				changes, faults = watcher.Events, watcher.Errors
			}
		}
		if watcher != nil {
			_ = watcher.Add(dir)
		}
	}
	watch()
	defer func() {
		if watcher != nil {
			_ = watcher.Close()
		}
	}()
	poll := time.NewTicker(i.pace.poll)
	defer poll.Stop()
	due := time.NewTimer(0) // the next reading
	defer due.Stop()
	var first time.Time // event that was not read yet
	for {
		select {
		case <-ctx.Done():
			i.save(ctx)
			return nil
		case <-due.C:
			first = time.Time{}
			if after := i.pass(ctx); after > 0 {
				due.Reset(after)
			}
			continue
		case <-poll.C:
			watch()
			if first.IsZero() && !i.unchanged(ctx) {
				due.Reset(0)
			}
			continue
		case e := <-changes:
			if e.Op == fsnotify.Chmod || !libraryFile.MatchString(filepath.Base(e.Name)) {
				continue
			}
		case err := <-faults:
			i.o.Logger.Debug("events of a library may be lost", "source", i.source, "error", err)
		}
		i.event.Store(true)
		if first.IsZero() {
			first = time.Now()
		}
		due.Reset(max(0, min(i.pace.quiet, i.pace.ceiling-time.Since(first))))
	}
}

// unchanged takes in that the library is as the last reading has shown it, or
// that readings fail and are tried again by themselves.
func (i *Importer) unchanged(ctx context.Context) (same bool) {
	var err error
	defer contain(&err) // of a fault the next reading tells
	i.work.Lock()
	defer i.work.Unlock()
	at := time.Now()
	if i.failed > 0 {
		return true
	}
	stamp, err := i.library.Stamp(ctx)
	if err != nil || stamp != i.stamp || stamp == "" {
		return false
	}
	unwatched := i.unwatched()
	i.sound, i.known.Meta.GoodAt = at, at.UnixMilli()
	i.saveTime(ctx)
	i.show.Lock()
	defer i.show.Unlock()
	i.status.Unwatched = unwatched
	return true
}
