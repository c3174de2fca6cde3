package daemon

import (
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestArrivalsAreWaitedFor until each has asked or gone, and no longer than that.
func TestArrivalsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, begun := newArrivals(), time.Now()
		took := func() time.Duration {
			begun = time.Now()
			a.settle(time.Second)
			return time.Since(begun)
		}
		if got := took(); got != 0 {
			t.Errorf("nobody had come: %s", got)
		}
		one, other := net.Pipe()
		a.note(one, http.StateNew)
		a.note(other, http.StateNew)
		go func() {
			time.Sleep(100 * time.Millisecond)
			a.note(one, http.StateActive)
			time.Sleep(200 * time.Millisecond)
			a.note(other, http.StateClosed)
		}()
		if got := took(); got != 300*time.Millisecond {
			t.Errorf("both had gone after 300 ms: %s", got)
		}
		a.note(one, http.StateNew)
		if got := took(); got != time.Second {
			t.Errorf("one stays silent: %s", got)
		}
		if _, err := one.Write([]byte("x")); err == nil {
			t.Error("the silent one is not closed")
		}
	})
}
