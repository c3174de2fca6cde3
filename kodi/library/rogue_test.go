package library_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/kodi/library"
)

// rogue speaks so much of MySQL's protocol that a client logs in.
type rogue struct {
	net.Conn
	seq byte
}

// say sends one packet.
func (r *rogue) say(payload string) error {
	n := len(payload)
	_, err := r.Write(append([]byte{byte(n), byte(n >> 8), byte(n >> 16), r.seq}, payload...))
	r.seq++
	return err
}

// hear takes one packet.
func (r *rogue) hear() (string, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", err
	}
	body := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	_, err := io.ReadFull(r, body)
	r.seq = head[3] + 1
	return string(body), err
}

const accepted = "\x00\x00\x00\x02\x00\x00\x00"

// greet sends the handshake, without TLS, and takes the answer.
func (r *rogue) greet() {
	_ = r.say("\x0a8.0.0\x00" + "\x01\x00\x00\x00" + "12345678\x00" + "\x0d\xa2" + "\x2d" + "\x02\x00" + "\x09\x00" + "\x15" +
		"0000000000" + "123456789012\x00" + "caching_sha2_password\x00")
	_, _ = r.hear()
}

// serve lets act speak with each client, and gives the library there.
func serve(t *testing.T, act func(*rogue)) *library.Server {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	ok(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			act(&rogue{Conn: c})
			_ = c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return library.Server{Host: "127.0.0.1", Port: port, Name: "MyVideos"}.As("kodi", "secret")
}

// A server that answers every question with rows without end is refused.
func TestServerWithoutEnd(t *testing.T) {
	s := serve(t, func(r *rogue) {
		r.greet()
		_ = r.say(accepted)
		for {
			query, err := r.hear()
			if err != nil {
				return
			}
			if !strings.Contains(strings.ToLower(query), "select") {
				_ = r.say(accepted)
				continue
			}
			_ = r.say("\x01")
			_ = r.say("\x03def\x00\x00\x00\x01a\x00\x0c\x2d\x00\xff\x00\x00\x00\xfd\x00\x00\x00\x00\x00")
			_ = r.say("\xfe\x00\x00\x02\x00")
			for text := "\xfc\x60\xea" + strings.Repeat("x", 60_000); r.say(text) == nil; {
			}
			return
		}
	})
	if _, err := (library.Database{Server: s}).Read(t.Context(), nil); !errors.Is(err, library.ErrNotDatabase) {
		t.Errorf("read with %v", err)
	}
}
