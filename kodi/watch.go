package kodi

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pace holds the debounce and poll intervals. Kodi commits one playback several times within a
// second or two.
type pace struct {
	quiet   time.Duration // time without a write before a read
	ceiling time.Duration // longest time from the first write to the read
	poll    time.Duration // poll interval, for network drives, servers and new folders, which send no events
}

var defaultPace = pace{quiet: 3 * time.Second, ceiling: 10 * time.Second, poll: time.Minute}

// Run watches and reads the library until ctx ends. It always returns nil.
func (i *Importer) Run(ctx context.Context) error {
	if i.o.Announcements {
		var listeners sync.WaitGroup
		listeners.Go(func() { i.listener.Run(ctx) })
		listeners.Go(func() { i.followPlayback(ctx) })
		defer listeners.Wait()
	}
	var watcher *fsnotify.Watcher // nil if the system allows no more watchers: then only the poll finds changes
	var changes <-chan fsnotify.Event
	var faults <-chan error
	watch := func() { // the folder may have appeared, or been replaced
		dir := databaseFolder(i.path)
		if watcher == nil && fileStamp(dir) != "" {
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
	due := time.NewTimer(0) // the next read
	defer due.Stop()
	var first time.Time // time of the first event since the last read
	for {
		select {
		case <-ctx.Done():
			i.saveOnStop(ctx)
			return nil
		case <-due.C:
			first = time.Time{}
			if after := i.runPass(ctx); after > 0 {
				due.Reset(after)
			}
			continue
		case <-poll.C:
			watch()
			if first.IsZero() && !i.checkUnchanged(ctx) {
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
		i.eventSeen.Store(true)
		if first.IsZero() {
			first = time.Now()
		}
		due.Reset(max(0, min(i.pace.quiet, i.pace.ceiling-time.Since(first))))
	}
}

// checkUnchanged reports whether the library equals the last snapshot, and then updates the time of the
// last successful read. It is also true while failed reads are retried.
func (i *Importer) checkUnchanged(ctx context.Context) (same bool) {
	var err error
	defer recoverPanic(&err) // the next read reports the error
	i.readMu.Lock()
	defer i.readMu.Unlock()
	at := time.Now()
	if i.failures > 0 {
		return true
	}
	stamp, err := i.library.Stamp(ctx)
	if err != nil || stamp != i.lastStamp || stamp == "" {
		return false
	}
	unwatched := i.unwatchedProfiles()
	i.verifiedAt, i.memory.Meta.VerifiedAt = at, at.UnixMilli()
	i.saveTime(ctx)
	i.statusMu.Lock()
	defer i.statusMu.Unlock()
	i.status.Unwatched = unwatched
	return true
}
