package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// median is the middle of what was measured, in nanoseconds.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds())
}

// echo is a websocket to a server that says what it hears, of the library that
// the daemon uses.
func echo(b *testing.B) *websocket.Conn {
	b.Helper()
	upgrader := websocket.Upgrader{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			kind, frame, err := conn.ReadMessage()
			if err != nil || conn.WriteMessage(kind, frame) != nil {
				return
			}
		}
	}))
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close(); server.Close() })
	return conn
}

// bare is a paired browser's socket without anything around it.
func (h *household) bare(daemon *process) *websocket.Conn {
	h.t.Helper()
	token := h.pair(daemon).Token
	dialer := websocket.Dialer{Subprotocols: []string{protocol.Subprotocol}}
	conn, _, err := dialer.DialContext(h.t.Context(), "ws://"+daemon.address+"/v1/connector", http.Header{"Origin": {extension}})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.Close() })
	hello := `{"type":"hello","v":1,"client":{"name":"test"},"token":"` + token + `"}`
	if err := exchange(conn, []byte(hello), `{"type":"welcome"`); err != nil {
		h.t.Fatal(err)
	}
	return conn
}

// exchange says a frame and listens until one comes that begins with answer.
// An error does not: it ends in a time-out.
func exchange(conn *websocket.Conn, frame []byte, answer string) error {
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if err := conn.WriteMessage(websocket.TextMessage, frame); err != nil {
		return err
	}
	for {
		_, said, err := conn.ReadMessage()
		if err != nil || strings.HasPrefix(string(said), answer) {
			return err
		}
	}
}

// filmNumber is the nth viewing.
func filmNumber(n int) protocol.Viewing {
	return protocol.Viewing{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", n), WatchedAt: "2026-03-01T20:15:00+01:00", Count: 1,
		Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(n + 1)}},
	}
}

// BenchmarkEventToAck measures what a browser waits for, from sending an event
// to its acknowledgement by the real program, against the floor of the same run: an
// echo of the same frame plus the flush of 4 KiB that were overwritten.
func BenchmarkEventToAck(b *testing.B) {
	h := &household{t: b, dir: b.TempDir()}
	daemon := h.start("run")
	browser := h.bare(daemon)
	file, err := os.OpenFile(filepath.Join(h.dir, "floor"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	const blocks = 256
	if _, err := file.Write(make([]byte, blocks*4096)); err != nil {
		b.Fatal(err)
	}
	block, next := make([]byte, 4096), int64(0)
	flush := func() error {
		next = (next + 1) % blocks // in its full size, as the log is
		if _, err := file.WriteAt(block, next*4096); err != nil {
			return err
		}
		return syscall.Fdatasync(int(file.Fd()))
	}
	mirror := echo(b)
	var acks, echoes, flushes []time.Duration
	for i := range b.N {
		if i%900 == 899 { // a client may send 1,000 messages at once
			browser = h.bare(daemon)
		}
		frame, err := protocol.Encode(filmNumber(i))
		if err != nil {
			b.Fatal(err)
		}
		acks = append(acks, timed(b, func() error { return exchange(browser, frame, `{"type":"ack"`) }))
		echoes = append(echoes, timed(b, func() error { return exchange(mirror, frame, `{"type":"viewing"`) }))
		flushes = append(flushes, timed(b, flush))
	}
	ack, floor := median(acks), median(echoes)+median(flushes)
	b.ReportMetric(ack/1000, "ack-p50-µs")
	b.ReportMetric(floor/1000, "floor-p50-µs")
	b.ReportMetric(median(echoes)/1000, "echo-p50-µs")
	b.ReportMetric(ack/floor, "ack/floor")
}

// timed is how long do took.
func timed(tb testing.TB, do func() error) time.Duration {
	began := time.Now()
	if err := do(); err != nil {
		tb.Fatal(err)
	}
	return time.Since(began)
}

// BenchmarkManyWaiting is the program over a queue in which much waits, while
// the service is away at first: its start, and the memory it holds when ready,
// after status and a list were asked for, and after fifty deliveries. With the
// tag long a million wait, which takes minutes to prepare.
func BenchmarkManyWaiting(b *testing.B) {
	h := &household{t: b, dir: b.TempDir()}
	box := h.sandbox("127.0.0.1:0")
	h.login(box.baseURL())
	box.end(os.Interrupt)
	fillQueue(b, filepath.Join(h.dir, "state", "filmspool.db"), manyWaiting)
	var p *process
	var starts []time.Duration
	for b.Loop() {
		if p != nil {
			p.end(os.Interrupt)
		}
		starts = append(starts, timed(b, func() error { p = h.start("run"); return nil }))
	}
	b.ReportMetric(median(starts)/1e6, "ready-p50-ms")
	resident := func(when string) {
		b.ReportMetric(float64(rss(b, p.cmd.Process.Pid))/1024, when+"-MiB")
	}
	resident("ready")
	h.try("status")
	h.do("", "diary")
	resident("listed")
	h.sandbox(box.address)
	h.do("", "send", "1")
	h.until("deliveries", func(s control.Status) bool { return s.Counts.Delivered >= 50 })
	resident("delivering")
}

// fillQueue puts films into a queue that no program has open.
func fillQueue(b *testing.B, path string, n int) {
	s, err := queue.Open(b.Context(), queue.Options{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	ran := make(chan error, 1)
	go func() { ran <- s.Run(context.WithoutCancel(b.Context())) }()
	began := time.Now().Add(-time.Duration(n) * time.Second)
	for at := 0; at < n; {
		batch := viewing.Batch{Source: "browser:b1"}
		for end := min(at+5_000, n); at < end; at++ {
			batch.Events = append(batch.Events, viewing.Event{
				Kind: viewing.KindViewing, EventID: fmt.Sprintf("%016x", uint64(at)*0x9e3779b97f4a7c15), Count: 1,
				Media:     []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(at + 1)}, Title: "The Film of the Evening", Year: 1999}},
				WatchedAt: viewing.At(began.Add(time.Duration(at) * time.Second)),
			})
		}
		if _, err := s.Commit(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(s.Close(), <-ran); err != nil {
		b.Fatal(err)
	}
}

// rss is a process's resident memory in KiB.
func rss(b *testing.B, pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("resident memory is read from /proc, which is Linux's")
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib
}
