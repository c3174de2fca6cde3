package kodi

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// intervals holds the debounce and poll intervals. Kodi commits one playback several times within a
// second or two.
type intervals struct {
	debounce time.Duration // time without a write before a read
	maxDelay time.Duration // longest time from the first write to the read
	poll     time.Duration // poll interval, for network drives, servers and new folders, which send no events
}

var defaultIntervals = intervals{debounce: 3 * time.Second, maxDelay: 10 * time.Second, poll: time.Minute}

// Run watches and reads the library until ctx ends. It always returns nil.
func (i *Importer) Run(ctx context.Context) error {
	if i.options.Announcements {
		var background sync.WaitGroup
		background.Go(func() { i.listener.Run(ctx) })
		background.Go(func() { i.followPlayback(ctx) })
		defer background.Wait()
	}
	var watcher *fsnotify.Watcher // nil if the system allows no more watchers: then only the poll finds changes
	var events <-chan fsnotify.Event
	var watchErrors <-chan error
	watch := func() { // the folder may have appeared, or been replaced
		dir := databaseFolder(i.path)
		if watcher == nil && fileStamp(dir) != "" {
			if watcher, _ = fsnotify.NewWatcher(); watcher != nil {
				events, watchErrors = watcher.Events, watcher.Errors
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
	poll := time.NewTicker(i.intervals.poll)
	defer poll.Stop()
	nextRead := time.NewTimer(0) // the next read
	defer nextRead.Stop()
	var firstEvent time.Time // time of the first event since the last read
	for {
		select {
		case <-ctx.Done():
			i.saveOnStop(ctx)
			return nil
		case <-nextRead.C:
			firstEvent = time.Time{}
			if after := i.runPass(ctx); after > 0 {
				nextRead.Reset(after)
			}
			continue
		case <-poll.C:
			watch()
			if firstEvent.IsZero() && !i.checkUnchanged(ctx) {
				nextRead.Reset(0)
			}
			continue
		case e := <-events:
			if e.Op == fsnotify.Chmod || !libraryFile.MatchString(filepath.Base(e.Name)) {
				continue
			}
		case err := <-watchErrors:
			i.options.Logger.Debug("events of a library may be lost", "source", i.source, "error", err)
		}
		i.eventSeen.Store(true)
		if firstEvent.IsZero() {
			firstEvent = time.Now()
		}
		nextRead.Reset(max(0, min(i.intervals.debounce, i.intervals.maxDelay-time.Since(firstEvent))))
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
