package guard

import (
	"io"
	"net/http"
	"time"
)

// What is read of a body after the answer, at most.
const (
	maxDrained = 1 << 20 // bytes
	// DrainWait is how long that may take.
	DrainWait = 2 * time.Second
)

// Drain passes every request on, and reads what is left of its body once it is
// answered. To close on a client that still writes would reset the connection:
// it would never see why it was refused.
func Drain(wait time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, body := http.NewResponseController(w), r.Body
		if r.ContentLength == 0 || c.EnableFullDuplex() != nil {
			next.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
		if c.Flush() != nil || c.SetReadDeadline(time.Now().Add(wait)) != nil {
			return // the connection is no longer ours, or gone
		}
		_, _ = io.CopyN(io.Discard, body, maxDrained)
	})
}
