package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// median is the middle of what was measured, in nanoseconds.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds())
}

// BenchmarkEventToAck measures what a browser waits for, from sending an event
// to its acknowledgement by the real program, against the floor of the same
// run: an application ping over the same socket, and the flush of 4 KiB that
// were written before.
func BenchmarkEventToAck(b *testing.B) {
	h := &household{t: b, dir: b.TempDir()}
	daemon := h.start("run")
	browser := h.pair(daemon)
	defer browser.Close()
	file, err := os.OpenFile(filepath.Join(h.dir, "floor"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	block := make([]byte, 4096)
	var acks, pings, flushes []time.Duration
	for i := range b.N {
		m := protocol.Viewing{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), WatchedAt: "2026-03-01T20:15:00+01:00", Count: 1,
			Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(i + 1)}},
		}
		acks = append(acks, timed(b, func() error { _, err := browser.Viewing(b.Context(), m); return err }))
		pings = append(pings, timed(b, func() error { return browser.Ping(b.Context()) }))
		flushes = append(flushes, timed(b, func() error {
			if _, err := file.WriteAt(block, 0); err != nil {
				return err
			}
			return syscall.Fdatasync(int(file.Fd()))
		}))
	}
	ack, floor := median(acks), median(pings)+median(flushes)
	b.ReportMetric(ack/1000, "ack-p50-µs")
	b.ReportMetric(floor/1000, "floor-p50-µs")
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

// BenchmarkStartToReady measures from starting the program to its "ready" line,
// over a queue that exists, and the memory it then holds.
func BenchmarkStartToReady(b *testing.B) {
	h := &household{t: b, dir: b.TempDir()}
	h.start("run").end(os.Interrupt)
	var starts []time.Duration
	var resident int64
	for b.Loop() {
		var p *process
		starts = append(starts, timed(b, func() error { p = h.start("run"); return nil }))
		resident = max(resident, rss(b, p.cmd.Process.Pid))
		p.end(os.Interrupt)
	}
	b.ReportMetric(median(starts)/1e6, "ready-p50-ms")
	b.ReportMetric(float64(resident)/1024, "idle-MiB")
}

// BenchmarkManyWaiting is the program over a queue in which much waits, while
// the service is away at first: its start, and the memory it holds when ready,
// after status and a list were asked for, and after fifty deliveries. With
// FILMSPOOL_BENCH_MILLION a million wait, which takes minutes to prepare.
func BenchmarkManyWaiting(b *testing.B) {
	waiting := 20_000
	if os.Getenv("FILMSPOOL_BENCH_MILLION") != "" {
		waiting = 1_000_000
	}
	h := &household{t: b, dir: b.TempDir()}
	start := func(listen string) *process {
		return h.start("sandbox", "--listen", listen, "--state-dir", h.dir+"/box", "--secret-key", secretKey)
	}
	box := start("127.0.0.1:0")
	h.do(secretKey, "login", "--base-url", "http://"+box.address+"/api/v1", "--key-stdin")
	box.end(os.Interrupt)
	fillQueue(b, filepath.Join(h.dir, "state", "filmspool.db"), waiting)
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
	h.do("", "queue", "list")
	resident("listed")
	start(box.address)
	h.do("", "queue", "retry", "1")
	h.until("deliveries", func() bool {
		var said struct {
			Counts struct{ Delivered int }
		}
		text, _, _ := strings.Cut(h.try("status", "--json"), "\n(")
		return json.Unmarshal([]byte(text), &said) == nil && said.Counts.Delivered >= 50
	})
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
			batch.Viewings = append(batch.Viewings, viewing.Viewing{
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

// pair is a browser that has been paired with the daemon.
func (h *household) pair(daemon *process) *client.Client {
	h.t.Helper()
	browser, err := client.Dial(h.t.Context(), client.Options{
		URL: "ws://" + daemon.address + "/v1/connector", Origin: extension, Info: protocol.ClientInfo{Name: "test", Version: "1"},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	if _, _, err := browser.Pair(h.t.Context(), h.code(), "living room"); err != nil {
		h.t.Fatal(err)
	}
	return browser
}
