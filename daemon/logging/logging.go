// Package logging writes log lines. Each record is one line, whatever its values contain, and
// keys of the service are removed.
package logging

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/filmspool/filmspool/daemon/config"
)

// New returns a logger that writes text lines to w. If w is systemd's journal, which adds its own
// timestamps, lines start with a priority instead of time and level. Anything that looks like a
// key of the service is removed, as a second line of defence.
func New(w io.Writer, level string, getenv func(string) string) *slog.Logger {
	var threshold slog.Level
	if threshold.UnmarshalText([]byte(level)) != nil {
		threshold = slog.LevelInfo
	}
	journal := UsesJournal(w, getenv)
	o := &slog.HandlerOptions{Level: threshold, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		switch {
		case journal && len(groups) == 0 && a.Key == slog.TimeKey:
			return slog.Attr{}
		case a.Value.Kind() == slog.KindString, a.Value.Kind() == slog.KindAny:
			return slog.String(a.Key, config.HideKeys(fmt.Sprint(a.Value.Any())))
		}
		return a
	}}
	if journal {
		w = journalWriter{w}
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// UsesJournal reports whether output to w goes to systemd's journal, where a line may begin with
// its priority ("<3>" is an error). JOURNAL_STREAM alone does not prove it: a terminal that
// systemd started passes it on to its shells.
func UsesJournal(w io.Writer, getenv func(string) string) bool {
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

// priorities maps a level to the journal's priority. Other levels have priority 6.
var priorities = map[string]int{"level=ERROR": 3, "level=WARN": 4, "level=DEBUG": 7}

// journalWriter replaces the level at the start of a line by its priority.
type journalWriter struct{ io.Writer }

// Write writes one line.
func (j journalWriter) Write(line []byte) (int, error) {
	level, rest, _ := bytes.Cut(line, []byte(" "))
	return j.Writer.Write(fmt.Appendf(nil, "<%d>%s", cmp.Or(priorities[string(level)], 6), rest))
}
