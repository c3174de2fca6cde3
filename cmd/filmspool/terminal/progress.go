package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
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

// Telling does what may take long, and has say tell of it now and then, with
// the seconds it has taken.
func Telling(do func() error, say func(seconds int)) error {
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
				say(int(now.Sub(begun).Seconds()))
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
	done  atomic.Int64
	total int64 // 0 when nobody knows
}

// Done is how many have passed.
func (l *Lines) Done() int64 { return l.done.Load() }

// Write counts the lines of a text, and never fails.
func (l *Lines) Write(text []byte) (int, error) {
	l.done.Add(int64(bytes.Count(text, []byte("\n"))))
	return len(text), nil
}

// String is how far it is: "12,000 of 100,000 lines, 12 %."
func (l *Lines) String() string {
	done := l.done.Load()
	if l.total == 0 {
		return grouped(done) + " lines."
	}
	return fmt.Sprintf("%s of %s lines, %d %%.", grouped(done), grouped(l.total), 100*done/l.total)
}

// Expect counts the lines of a file, and goes back to its beginning. What cannot
// be read twice, such as a pipe, is not counted.
func (l *Lines) Expect(f *os.File) error {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	var all Lines
	if _, err := io.Copy(&all, f); err != nil {
		return err
	}
	l.total = all.Done()
	_, err := f.Seek(0, io.SeekStart)
	return err
}
