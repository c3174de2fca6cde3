package logging

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stream is a file that systemd is said to read, and what says so.
func stream(t *testing.T) (*os.File, func(string) string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "stream"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &stat); err != nil {
		t.Fatal(err)
	}
	return f, func(string) string { return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino) }
}

// fields reads a packet as the journal does.
func fields(t *testing.T, packet []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for len(packet) > 0 {
		name, rest, _ := strings.Cut(string(packet), "\n")
		n := int(binary.LittleEndian.Uint64([]byte(rest[:8])))
		if all[name] = rest[8 : 8+n]; rest[8+n] != '\n' {
			t.Fatalf("%q", packet)
		}
		packet = []byte(rest[8+n+1:])
	}
	return all
}

// TestTheJournalTakesFields and no key, and a stranger's words forge none.
func TestTheJournalTakesFields(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	f, getenv := stream(t)
	log := newLogger(f, "info", getenv, path).With("part", "replay", "account", "anna")
	log.Debug("not shown")
	log.Warn("entry rejected by the service", "entry", 12, slog.Any("error", fmt.Errorf("sk_secret1 is\nPRIORITY=0\nwrong")))
	packet := make([]byte, 1<<16)
	n, err := socket.Read(packet)
	if err != nil {
		t.Fatal(err)
	}
	got := fields(t, packet[:n])
	for name, want := range map[string]string{
		"MESSAGE":  `msg="entry rejected by the service" part=replay account=anna entry=12 error="(key) is\nPRIORITY=0\nwrong"`,
		"PRIORITY": "4", "SYSLOG_IDENTIFIER": "filmspool", "FILMSPOOL_PART": "replay", "FILMSPOOL_ACCOUNT": "anna",
		"FILMSPOOL_ENTRY": "12", "FILMSPOOL_ERROR": "(key) is\nPRIORITY=0\nwrong",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if len(got) != 7 {
		t.Errorf("%q", got)
	}

	// What the journal does not take goes to the stream, with its priority.
	log.Error("too long", "text", strings.Repeat("x", 1<<20))
	socket.Close()
	log.Info("nobody listens")
	text, err := os.ReadFile(f.Name())
	if lines := strings.Split(string(text), "\n"); err != nil || len(lines) != 3 ||
		!strings.HasPrefix(lines[0], `<3>msg="too long"`) || lines[1] != `<6>msg="nobody listens" part=replay account=anna` {
		t.Errorf("%.300q %v", text, err)
	}
}
