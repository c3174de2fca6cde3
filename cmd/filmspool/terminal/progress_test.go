package terminal

import (
	"testing"
	"time"
)

func TestFar(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		took        time.Duration
		want        string
	}{
		{12_000, 100_000, 3 * time.Second, "12,000 of 100,000 lines, 12 %, 4,000 a second, 22 s left"},
		{100, 100, 10 * time.Second, "100 of 100 lines, 100 %, 10 a second, 0 s left"},
		{12_000, 0, 3 * time.Second, "12,000 lines, 4,000 a second"}, // read from a pipe
		{0, 100, time.Minute, "0 of 100 lines, 0 %"},
		{20, 100, -time.Hour, "20 of 100 lines, 20 %"}, // the clock was set back
		{1, 100, 10 * time.Second, "1 of 100 lines, 1 %, 16 min left"},
		{10, 100_000, 10 * time.Second, "10 of 100,000 lines, 0 %, 1 a second, 28 h left"},
	} {
		if got := Far(c.done, c.total, "lines", c.took); got != c.want {
			t.Errorf("%d of %d after %v: %q, want %q", c.done, c.total, c.took, got, c.want)
		}
	}
}
