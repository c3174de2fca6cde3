package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
)

// What takes longer than two seconds shows that it goes on; what does not is
// silent.
func TestSlowCommandsSaySo(t *testing.T) {
	for took, words := range map[time.Duration]int{time.Second: 0, 3 * time.Second: 1, 8 * time.Second: 2} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			p := &program{stderr: terminal.To(&said)}
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
		file, err := os.Create(filepath.Join(t.TempDir(), "lines"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var lines terminal.Lines
		if _, err := file.WriteString(strings.Repeat("{}\n", 100_000)); err != nil {
			t.Fatal(err)
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if err := lines.Expect(file); err != nil {
			t.Fatal(err)
		}
		p := &program{stderr: terminal.To(&said), soFar: lines.Far}
		in := io.TeeReader(file, &lines)
		err = p.patiently(func() error {
			for range 4 {
				if _, err := io.CopyN(io.Discard, in, 3*20_000); err != nil {
					return err
				}
				time.Sleep(2500 * time.Millisecond)
			}
			return nil
		})
		want := "20,000 of 100,000 lines, 20 %, 10,000 a second, 8 s left. Ctrl-C ends it safely.\n" +
			"60,000 of 100,000 lines, 60 %, 8,571 a second, 5 s left. Ctrl-C ends it safely.\n"
		if err != nil || said.String() != want {
			t.Errorf("%v, it said\n%swant\n%s", err, said.String(), want)
		}
	})
}
