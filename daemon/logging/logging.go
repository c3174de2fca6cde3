// Package logging writes the lines of the log: each is one line whatever strangers wrote, and
// no key of the service is in it.
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

// priorities are those of the journal; that of another level is 6.
var priorities = map[string]int{"level=ERROR": 3, "level=WARN": 4, "level=DEBUG": 7}

// journalWriter puts the priority of a line in the place of the level with which it begins.
type journalWriter struct{ io.Writer }

// Write writes one line.
func (j journalWriter) Write(line []byte) (int, error) {
	level, rest, _ := bytes.Cut(line, []byte(" "))
	return j.Writer.Write(fmt.Appendf(nil, "<%d>%s", cmp.Or(priorities[string(level)], 6), rest))
}
