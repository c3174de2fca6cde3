package page

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// The remaining time of sending counts down from the end of the import.
func TestSendLeftCountsDown(t *testing.T) {
	for ended, want := range map[time.Duration]bool{0: true, time.Hour: false} {
		f := control.File{FilePreview: control.FilePreview{SendSeconds: 60}, EndedAt: time.Now().Add(-ended)}
		if left := (*view).SendLeft(nil, f); (left > 0) != want {
			t.Errorf("%v after the end: %d s left", ended, left)
		}
	}
}
