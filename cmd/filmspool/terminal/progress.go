package terminal

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// When a command that takes its time says so: scripts, which read the standard
// output, never see it.
const (
	firstWord = 2 * time.Second
	nextWord  = 5 * time.Second
)

// Telling does what may take long, and has say tell of it now and then, with the
// time it has taken.
func Telling(do func() error, say func(took time.Duration)) error {
	done := make(chan struct{})
	var telling sync.WaitGroup
	begun := time.Now()
	telling.Go(func() {
		timer := time.NewTimer(firstWord)
		defer timer.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-timer.C:
				say(now.Sub(begun))
				timer.Reset(nextWord)
			}
		}
	})
	defer telling.Wait()
	defer close(done)
	return do()
}

// Lines counts the lines that are written to it. It may be read meanwhile.
type Lines struct {
	done atomic.Int64
}

// Done is how many have passed.
func (l *Lines) Done() int64 { return l.done.Load() }

// Write counts the lines of a text, and never fails.
func (l *Lines) Write(text []byte) (int, error) {
	l.done.Add(int64(bytes.Count(text, []byte("\n"))))
	return len(text), nil
}

// Far is how far it is after some time; see [Far].
func (l *Lines) Far(took time.Duration) string { return Far(l.Done(), 0, "lines", took) }

// Far is how far work is after some time, how fast it is and when it ends:
// "12,000 of 100,000 lines, 12 %, 4,000 a second, 22 s left". Of a total of 0
// nobody knows.
func Far(done, total int64, things string, took time.Duration) string {
	text := grouped(done) + " " + things
	if total > 0 {
		text = fmt.Sprintf("%s of %s %s, %d %%", grouped(done), grouped(total), things, 100*done/total)
	}
	if done == 0 || took <= 0 {
		return text
	}
	if rate := int64(float64(done) / took.Seconds()); rate > 0 {
		text += ", " + grouped(rate) + " a second"
	}
	if total == 0 {
		return text
	}
	left := time.Duration(float64(took) / float64(done) * float64(total-done))
	switch {
	case left < 2*time.Minute:
		return text + fmt.Sprintf(", %.0f s left", left.Seconds())
	case left < 2*time.Hour:
		return text + fmt.Sprintf(", %.0f min left", left.Minutes())
	default:
		return text + fmt.Sprintf(", %.0f h left", left.Hours())
	}
}
