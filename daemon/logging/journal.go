package logging

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// socketPath is where the journal takes lines with fields, in the protocol of
// https://systemd.io/JOURNAL_NATIVE_PROTOCOL/.
const socketPath = "/run/systemd/journal/socket"

// dial connects to the journal; nil where w is no stream, or there is no such socket.
func dial(w io.Writer, path string) *net.UnixConn {
	if _, isFile := w.(*os.File); !isFile {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return nil
	}
	return conn
}

// journalWriter writes one line at a time.
type journalWriter struct {
	w      io.Writer
	show   func([]string, slog.Attr) slog.Attr
	socket *net.UnixConn

	mu           sync.Mutex
	line, packet bytes.Buffer
}

// journalHandler gives a line its priority, and its attributes as fields.
type journalHandler struct {
	slog.Handler // writes into journal.line
	journal      *journalWriter
	attrs        []slog.Attr
}

// Handle writes one line: "<4>msg=…" where the journal does not take it with fields.
func (h *journalHandler) Handle(ctx context.Context, r slog.Record) error {
	j := h.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.line.Reset()
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	if j.socket != nil {
		j.packet.Reset()
		j.field("MESSAGE", strings.TrimSuffix(j.line.String(), "\n"))
		j.field("PRIORITY", strconv.Itoa(priority(r.Level)))
		j.field("SYSLOG_IDENTIFIER", "filmspool")
		for _, a := range h.attrs {
			j.attribute(a)
		}
		r.Attrs(func(a slog.Attr) bool { j.attribute(a); return true })
		if _, err := j.socket.Write(j.packet.Bytes()); err == nil {
			return nil
		}
	}
	_, err := fmt.Fprintf(j.w, "<%d>%s", priority(r.Level), j.line.Bytes())
	return err
}

// attribute adds "FILMSPOOL_ENTRY=12" for the attribute entry.
func (j *journalWriter) attribute(a slog.Attr) {
	a.Value = a.Value.Resolve()
	j.field("FILMSPOOL_"+strings.ToUpper(a.Key), j.show(nil, a).Value.String())
}

// field adds a field to the packet, with its length, since a value may have any bytes.
func (j *journalWriter) field(name, value string) {
	j.packet.WriteString(name + "\n")
	j.packet.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(value))))
	j.packet.WriteString(value + "\n")
}

// WithAttrs keeps what it adds for the fields.
func (h *journalHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &journalHandler{h.Handler.WithAttrs(attrs), h.journal, slices.Concat(h.attrs, attrs)}
}

// WithGroup leaves the names of fields as they are.
func (h *journalHandler) WithGroup(name string) slog.Handler {
	return &journalHandler{h.Handler.WithGroup(name), h.journal, h.attrs}
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
