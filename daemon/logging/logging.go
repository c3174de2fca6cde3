// Package logging writes the lines of the log.
//
// It owns the form of a line, and the way to the journal of systemd. It promises that
// a line is one line whatever strangers wrote, and that no key of the service is in it.
//
// It refuses to know what is logged, and imports nothing of the project.
package logging

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
)

// New writes plain lines to w. Where w goes to systemd's journal, which stamps lines
// itself, they carry a priority instead of a time, and each attribute is a field, too.
// Whatever looks like a key of the service is cut out, wherever it stands: a net under
// the care taken elsewhere.
func New(w io.Writer, level string, getenv func(string) string) *slog.Logger {
	return newLogger(w, level, getenv, socketPath)
}

func newLogger(w io.Writer, level string, getenv func(string) string, socket string) *slog.Logger {
	var threshold slog.Level
	if threshold.UnmarshalText([]byte(level)) != nil {
		threshold = slog.LevelInfo
	}
	key := regexp.MustCompile(`\b[sp]k_[A-Za-z0-9_-]{4,}`)
	journal := Journalled(w, getenv)
	show := func(groups []string, a slog.Attr) slog.Attr {
		switch {
		case journal && len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey):
			return slog.Attr{}
		case a.Value.Kind() == slog.KindString:
			return slog.String(a.Key, key.ReplaceAllString(a.Value.String(), "(key)"))
		case a.Value.Kind() == slog.KindAny:
			return slog.String(a.Key, key.ReplaceAllString(fmt.Sprint(a.Value.Any()), "(key)"))
		}
		return a
	}
	o := &slog.HandlerOptions{Level: threshold, ReplaceAttr: show}
	if !journal {
		return slog.New(slog.NewTextHandler(w, o))
	}
	j := &journalWriter{w: w, show: show, socket: dial(w, socket)}
	return slog.New(&journalHandler{Handler: slog.NewTextHandler(&j.line, o), journal: j})
}

// Journalled reports whether what is written to w goes to systemd's journal,
// where a line may begin with its priority ("<3>" is an error). The variable
// alone is no proof: a terminal that systemd started hands it on to its shells.
func Journalled(w io.Writer, getenv func(string) string) bool {
	stream := getenv("JOURNAL_STREAM")
	f, isFile := w.(*os.File)
	if stream == "" || !isFile {
		return stream != ""
	}
	return isStream(f, stream)
}
