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

// median returns the median of durations in nanoseconds.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds())
}

// echo returns a websocket to an echo server of the library that the daemon uses.
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

// rawSocket returns the websocket of a paired browser without a client around it.
func (h *fixture) rawSocket(daemon *process) *websocket.Conn {
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

// exchange sends a frame and reads until a message begins with answer; otherwise it times out.
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

// filmNumber returns the nth viewing.
func filmNumber(n int) protocol.Viewing {
	return protocol.Viewing{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", n), WatchedAt: "2026-03-01T20:15:00+01:00", Count: 1,
		Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(n + 1)}},
	}
}

// BenchmarkEventToAck measures the time from sending an event to its acknowledgement by the real
// program. The baseline of the same run is an echo of the frame plus the flush of 4 KiB of
// overwritten data.
func BenchmarkEventToAck(b *testing.B) {
	h := &fixture{t: b, dir: b.TempDir()}
	daemon := h.start("run")
	browser := h.rawSocket(daemon)
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
		next = (next + 1) % blocks // preallocated, like the write-ahead log
		if _, err := file.WriteAt(block, next*4096); err != nil {
			return err
		}
		return syscall.Fdatasync(int(file.Fd()))
	}
	mirror := echo(b)
	var acks, echoes, flushes []time.Duration
	for i := range b.N {
		if i%900 == 899 { // a client may send 1,000 messages at once
			browser = h.rawSocket(daemon)
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

// timed returns how long do took.
func timed(tb testing.TB, do func() error) time.Duration {
	began := time.Now()
	if err := do(); err != nil {
		tb.Fatal(err)
	}
	return time.Since(began)
}

// BenchmarkManyWaiting measures the program with many waiting entries while the service is
// unreachable at first: the start, and the memory when ready, after a status and a list, and
// after fifty deliveries. With the tag long there are a million entries, which take minutes to
// prepare.
func BenchmarkManyWaiting(b *testing.B) {
	h := &fixture{t: b, dir: b.TempDir()}
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

// fillQueue adds films to a queue that is not open.
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

// rss returns the resident memory of a process in KiB.
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
