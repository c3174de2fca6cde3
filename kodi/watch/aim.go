package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxAims bounds how often aim follows a path that is being built under it;
// the poll tries again later.
const maxAims = 16

// aim listens to the folder, or to the nearest parent that exists. It opens a
// new watcher each time: a watch on a renamed folder would follow it.
func (l *loop) aim() {
	for range maxAims {
		l.close()
		target, info := nearest(l.o.Dir)
		l.target, l.info = target, info
		eyes, err := l.open(target)
		if err != nil {
			if _, gone := os.Stat(target); gone != nil {
				continue
			}
			l.goBlind(err)
			return
		}
		l.eyes = eyes
		// What appeared before the watch stood has sent no event.
		if again, now := nearest(l.o.Dir); again == target && info != nil && now != nil && os.SameFile(info, now) {
			l.blind = ""
			l.quiet = 0
			l.tell(l.distance())
			return
		}
	}
}

// listen opens a watcher on one folder.
func listen(dir string) (*fsnotify.Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("open watcher: %w", err)
	}
	if err := w.Add(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("watch folder: %w", err), w.Close())
	}
	return w, nil
}

func (l *loop) close() {
	if l.eyes == nil {
		return
	}
	if err := l.eyes.Close(); err != nil {
		l.o.Logger.Debug("closing a watcher failed", "dir", l.target, "error", err)
	}
	l.eyes = nil
}

// goBlind says once why only the poll works, and what would help.
func (l *loop) goBlind(err error) {
	l.tell(Ears{viewing.Said(err.Error()), limit(err)})
	if l.blind == err.Error() {
		return
	}
	l.blind = err.Error()
	l.o.Logger.Warn("cannot watch a folder, only looking at it now and then",
		"dir", l.target, "every", l.o.Poll, "error", err, "raise the sysctl", limit(err))
}

// limit is the sysctl that an error of opening a watch is about; "" for another error.
func limit(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "fs.inotify.max_user_watches"
	case errors.Is(err, syscall.EMFILE):
		return "fs.inotify.max_user_instances"
	default:
		return ""
	}
}

// nearest is dir, or the first parent of it that is a folder.
func nearest(dir string) (string, fs.FileInfo) {
	for {
		info, err := os.Stat(dir)
		if err == nil && info.IsDir() {
			return dir, info
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dir, info
		}
		dir = up
	}
}

// within reports whether dir is parent or lies below it.
func within(dir, parent string) bool {
	rest, ok := strings.CutPrefix(dir, parent)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]))
}
