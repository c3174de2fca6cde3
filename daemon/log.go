package daemon

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"sync"
)

// NewLogger writes plain lines to w. Under systemd, which stamps lines itself,
// they carry its priority instead of a time. Whatever looks like a key of the
// service is cut out, wherever it stands: a net under the care taken elsewhere.
func NewLogger(w io.Writer, level string, getenv func(string) string) *slog.Logger {
	var threshold slog.Level
	if threshold.UnmarshalText([]byte(level)) != nil {
		threshold = slog.LevelInfo
	}
	key := regexp.MustCompile(`\b[sp]k_[A-Za-z0-9_-]{4,}`)
	journal := Journalled(w, getenv)
	o := &slog.HandlerOptions{Level: threshold, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		switch {
		case journal && len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey):
			return slog.Attr{}
		case a.Value.Kind() == slog.KindString:
			return slog.String(a.Key, key.ReplaceAllString(a.Value.String(), "(key)"))
		case a.Value.Kind() == slog.KindAny:
			return slog.String(a.Key, key.ReplaceAllString(fmt.Sprint(a.Value.Any()), "(key)"))
		}
		return a
	}}
	if !journal {
		return slog.New(slog.NewTextHandler(w, o))
	}
	line := &journalLine{}
	return slog.New(&journalHandler{Handler: slog.NewTextHandler(&line.text, o), line: line, w: w})
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

// journalLine holds one line while it is made.
type journalLine struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// journalHandler puts systemd's priority ("<6>") before each line.
type journalHandler struct {
	slog.Handler
	line *journalLine
	w    io.Writer
}

// Handle writes one line.
func (h *journalHandler) Handle(ctx context.Context, r slog.Record) error {
	h.line.mu.Lock()
	defer h.line.mu.Unlock()
	h.line.text.Reset()
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	_, err := fmt.Fprintf(h.w, "<%d>%s", priority(r.Level), h.line.text.Bytes())
	return err
}

// WithAttrs keeps the priority before what it adds.
func (h *journalHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &journalHandler{Handler: h.Handler.WithAttrs(attrs), line: h.line, w: h.w}
}

// WithGroup keeps the priority before what it adds.
func (h *journalHandler) WithGroup(name string) slog.Handler {
	return &journalHandler{Handler: h.Handler.WithGroup(name), line: h.line, w: h.w}
}

// priority is syslog's number for a level.
func priority(l slog.Level) int {
	switch {
	case l >= slog.LevelError:
		return 3
	case l >= slog.LevelWarn:
		return 4
	case l >= slog.LevelInfo:
		return 6
	default:
		return 7
	}
}
