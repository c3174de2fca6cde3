package watch

import (
	"testing"
	"testing/synctest"
	"time"
)

// firings gives the times, from the start, at which hints at the given times settle.
func firings(hints []time.Duration) []time.Duration {
	p := newPacer(500*time.Millisecond, 5*time.Second)
	defer p.stop()
	start := time.Now()
	feed := make(chan struct{})
	go func() {
		defer close(feed)
		for _, at := range hints {
			time.Sleep(time.Until(start.Add(at)))
			feed <- struct{}{}
		}
	}()
	var out []time.Duration
	end := time.After(time.Minute)
	for {
		select {
		case _, ok := <-feed:
			if !ok {
				feed = nil
				continue
			}
			p.hint()
		case <-p.C():
			p.fire()
		case <-end:
			return out
		}
		if p.due() {
			p.reset()
			out = append(out, time.Since(start))
		}
	}
}

func every(step, until time.Duration) (out []time.Duration) {
	for at := time.Duration(0); at <= until; at += step {
		out = append(out, at)
	}
	return out
}

func TestPacer(t *testing.T) {
	ms := func(n ...int) (out []time.Duration) {
		for _, v := range n {
			out = append(out, time.Duration(v)*time.Millisecond)
		}
		return out
	}
	tests := []struct {
		name  string
		hints []time.Duration
		want  []time.Duration
	}{
		{"nothing", nil, nil},
		{"one", ms(100), ms(600)},
		{"a burst is one", ms(0, 10, 20, 400, 450), ms(950)},
		{"two acts", ms(0, 2000), ms(500, 2500)},
		{"a gap just above the quiet time", ms(0, 501), ms(500, 1001)},
		// Steady writing settles at each ceiling and once more after its end.
		{"steady writing", every(100*time.Millisecond, 12*time.Second), ms(5000, 10000, 12500)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := firings(tt.hints)
				if len(got) != len(tt.want) {
					t.Fatalf("settled at %v, want %v", got, tt.want)
				}
				for i := range got { // a hint at the very moment of the ceiling may open the next run
					if d := got[i] - tt.want[i]; d < 0 || d > 100*time.Millisecond {
						t.Errorf("settled at %v, want %v", got, tt.want)
					}
				}
			})
		})
	}
}
