// Package logging writes the lines of the log: each is one line whatever strangers wrote, and
// no key of the service is in it.
package logging

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"github.com/filmspool/filmspool/daemon/config"
)

// New writes plain lines to w. Where w goes to systemd's journal, which stamps lines
// itself, they carry a priority instead of time and level. Whatever looks like a key of the
// service is cut out: a net under the care taken elsewhere.
func New(w io.Writer, level string, getenv func(string) string) *slog.Logger {
	var threshold slog.Level
	if threshold.UnmarshalText([]byte(level)) != nil {
		threshold = slog.LevelInfo
	}
	journal := Journalled(w, getenv)
	o := &slog.HandlerOptions{Level: threshold, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		switch {
		case journal && len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey):
			return slog.Attr{}
		case a.Value.Kind() == slog.KindString, a.Value.Kind() == slog.KindAny:
			return slog.String(a.Key, config.HideKeys(fmt.Sprint(a.Value.Any())))
		}
		return a
	}}
	if !journal {
		return slog.New(slog.NewTextHandler(w, o))
	}
	j := &journalWriter{w: w}
	return slog.New(journalHandler{slog.NewTextHandler(j, o), j})
}

// Journalled reports whether what is written to w goes to systemd's journal, where a line may
// begin with its priority ("<3>" is an error). The variable alone is no proof: a terminal that
// systemd started hands it on to its shells.
func Journalled(w io.Writer, getenv func(string) string) bool {
	if getenv("JOURNAL_STREAM") == "" {
		return false
	}
	f, isFile := w.(*os.File)
	if !isFile {
		return true
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeSocket != 0
}

// journalWriter begins each line with the priority of its level.
type journalWriter struct {
	w     io.Writer
	mu    sync.Mutex
	level slog.Level
}

// Write writes one line; mu is held.
func (j *journalWriter) Write(line []byte) (int, error) {
	priority := 6
	switch {
	case j.level >= slog.LevelError:
		priority = 3
	case j.level >= slog.LevelWarn:
		priority = 4
	case j.level < slog.LevelInfo:
		priority = 7
	}
	return j.w.Write(fmt.Appendf(nil, "<%d>%s", priority, line))
}

// journalHandler tells the writer the level of each line.
type journalHandler struct {
	slog.Handler
	journal *journalWriter
}

// Handle implements [slog.Handler].
func (h journalHandler) Handle(ctx context.Context, r slog.Record) error {
	h.journal.mu.Lock()
	defer h.journal.mu.Unlock()
	h.journal.level = r.Level
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h journalHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return journalHandler{h.Handler.WithAttrs(attrs), h.journal}
}

// WithGroup implements [slog.Handler].
func (h journalHandler) WithGroup(name string) slog.Handler {
	return journalHandler{h.Handler.WithGroup(name), h.journal}
}
