package main

import (
	"bytes"
	"errors"
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
