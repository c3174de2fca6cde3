package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What takes longer than two seconds shows that it goes on; what does not is
// silent.
func TestSlowCommandsSaySo(t *testing.T) {
	for took, words := range map[time.Duration]int{time.Second: 0, 3 * time.Second: 1, 8 * time.Second: 2} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			p := &program{stderr: printTo(&said)}
			failed := errors.New("as it was")
			err := p.patiently(func() error {
				time.Sleep(took)
				return failed
			})
			if got := strings.Count(said.String(), "Still at work"); !errors.Is(err, failed) || got != words {
				t.Errorf("after %s: %d words, want %d; %v", took, got, words, err)
			}
		})
	}
}

// TestLongWorkTellsHowFarItIs: with counts, where lines are counted.
func TestLongWorkTellsHowFarItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		lines := &lineCount{total: 100_000}
		p := &program{stderr: printTo(&said), soFar: lines.String}
		in := countingReader{strings.NewReader(strings.Repeat("{}\n", 100_000)), lines}
		err := p.patiently(func() error {
			for range 4 {
				if _, err := io.CopyN(io.Discard, in, 3*20_000); err != nil {
					return err
				}
				time.Sleep(2500 * time.Millisecond)
			}
			return nil
		})
		want := "20,000 of 100,000 lines, 20 %. Ctrl-C ends it safely.\n60,000 of 100,000 lines, 60 %. Ctrl-C ends it safely.\n"
		if err != nil || said.String() != want {
			t.Errorf("%v, it said\n%swant\n%s", err, said.String(), want)
		}
	})
}

func TestNumbersAreGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 100_000: "100,000", 1_234_567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if got := counted(1, "line") + ", " + counted(2000, "entr"); got != "1 line, 2,000 entries" {
		t.Error(got)
	}
}
