package daemon

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"unicode"
)

// A line of the log is one line, whatever strangers wrote: in its message, in
// a value, in a name or in an error.
func TestLogLinesAreQuoted(t *testing.T) {
	const hostile = "A\x1b[2J\u009b31m\u202e\u200b\u2028\r\nlevel=ERROR msg=forged\x7f"
	for _, stream := range []string{"", "8:1"} {
		var out bytes.Buffer
		log := NewLogger(&out, "debug", func(name string) string {
			if name == "JOURNAL_STREAM" {
				return stream
			}
			return ""
		})
		log.With("part", hostile).WithGroup("of").Warn(hostile, "title", hostile, slog.Any("error", errors.New(hostile)))
		line := out.String()
		if strings.Count(line, "\n") != 1 || strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Errorf("logged %q", line)
		}
	}
}
