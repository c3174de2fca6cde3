package logging

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/filmspool/filmspool/daemon/config"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A log record is one line, whatever its message, values, names and errors contain.
func TestRecordsAreOneLine(t *testing.T) {
	const hostile = "A\x1b[2J\u009b31m\u202e\u200b\u2028\r\nlevel=ERROR msg=forged\x7f"
	for _, stream := range []string{"", "8:1"} {
		var out bytes.Buffer
		log := New(&out, "debug", func(name string) string {
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

func TestKeysAreHiddenAndPrioritiesSet(t *testing.T) {
	var plain, journal bytes.Buffer
	none := func(string) string { return "" }
	log := New(&plain, "info", none)
	log.Debug("not shown")
	log.With("part", "sk_attr123").Warn("sk_message123", "error", fmt.Errorf("wrapped: sk_error123"), "secret", config.NewSecret("sk_typed123"))
	New(&journal, "debug", func(string) string { return "8:1" }).With("part", "queue").Error("stopped")
	if text := plain.String(); strings.Contains(text, "123") || strings.Contains(text, "not shown") || !strings.Contains(text, "level=WARN") {
		t.Errorf("plain log: %s", text)
	}
	if got, want := journal.String(), "<3>msg=stopped part=queue\n"; got != want {
		t.Errorf("journal line %q, want %q", got, want)
	}
}

// JOURNAL_STREAM alone is not enough: a shell in a terminal that systemd started inherits it, and
// a file is not the journal.
func TestJournalIsASocket(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no systemd")
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	defer f.Close()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	defer l.Close()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	defer conn.Close()
	socket, err := conn.File()
	must(t, err)
	defer socket.Close()
	for _, c := range []struct {
		w      *os.File
		stream string
		want   bool
	}{{f, "8:1", false}, {socket, "", false}, {socket, "8:1", true}} {
		if got := UsesJournal(c.w, func(string) string { return c.stream }); got != c.want {
			t.Errorf("%s with %q: %v", c.w.Name(), c.stream, got)
		}
	}
}
