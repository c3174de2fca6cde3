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

// events are those of the folder of Kodi's library files. Without a folder, or
// where the system allows no more watches, there are none.
type events struct {
	dir     string
	watcher *fsnotify.Watcher
}

// open listens to the folder as it is now: it may have appeared, or been replaced.
func (e *events) open() {
	if e.watcher == nil && stampOfFile(e.dir) != "" {
		e.watcher, _ = fsnotify.NewWatcher() // nil: then the poll alone finds what changes
	}
	if e.watcher != nil {
		_ = e.watcher.Add(e.dir)
	}
}

func (e *events) close() {
	if e.watcher != nil {
		_ = e.watcher.Close()
	}
}

// channels are nil, and so never ready, while nothing is listened to.
func (e *events) channels() (<-chan fsnotify.Event, <-chan error) {
	if e.watcher == nil {
		return nil, nil
	}
	return e.watcher.Events, e.watcher.Errors
}

// Run imports until ctx ends, which is no error.
func (i *Importer) Run(ctx context.Context) error {
	if i.o.Announcements {
		var heard sync.WaitGroup
		heard.Go(func() { i.kodi.Run(ctx) })
		heard.Go(func() { i.followPlayback(ctx) })
		defer heard.Wait()
	}
	folder := events{dir: databaseFolder(i.path)}
	folder.open()
	defer folder.close()
	poll := time.NewTicker(i.pace.poll)
	defer poll.Stop()
	due := time.NewTimer(0) // the next reading
	defer due.Stop()
	var first time.Time // event that was not read yet
	for {
		changes, faults := folder.channels()
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
			folder.open()
			if first.IsZero() && !i.unchanged(ctx) {
				due.Reset(0)
			}
			continue
		case e := <-changes:
			if e.Op == fsnotify.Chmod || !isLibraryFile(filepath.Base(e.Name)) {
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
func (i *Importer) unchanged(ctx context.Context) bool {
	i.work.Lock()
	defer i.work.Unlock()
	at := time.Now()
	if i.failed > 0 {
		return true
	}
	stamp, profiles, err := i.glance(ctx)
	if err != nil || stamp != i.stamp || i.stamp == "" {
		return false
	}
	i.confirm(ctx, at)
	i.show.Lock()
	defer i.show.Unlock()
	i.status.Unwatched = profiles
	return true
}

// glance is what can be seen without reading the library: its stamp, and the profiles
// that are not watched.
func (i *Importer) glance(ctx context.Context) (stamp string, profiles []string, err error) {
	defer contain(&err)
	stamp, err = i.library.Stamp(ctx)
	return stamp, i.unwatched(), err
}
