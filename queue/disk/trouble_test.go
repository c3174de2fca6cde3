package disk

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"syscall"
	"testing"
)

// A trouble is logged once, however often it is met; so are another one and the end.
func TestTroubleIsLoggedOnce(t *testing.T) {
	f := unopened(t)
	defer f.end(t)
	var log bytes.Buffer
	f.logger = slog.New(slog.NewTextHandler(&log, nil))
	var said []string
	for _, act := range []struct {
		do   func()
		want string
	}{
		{func() { f.failed(syscall.ENOSPC) }, "no space left"},
		{func() { f.failed(syscall.ENOSPC) }, ""},
		{func() { f.failed(syscall.EROFS) }, "read-only"},
		{func() { f.Refused(2); f.works(false) }, ""}, // a few pages more prove nothing
		{f.Taken, "storage works again"},
		{f.Taken, ""},
		{func() { f.failed(syscall.EROFS) }, "read-only"},
	} {
		log.Reset()
		act.do()
		if got := log.String(); strings.Count(got, "\n") > 1 || (got == "") != (act.want == "") || !strings.Contains(got, act.want) {
			t.Errorf("after %q: logged %q, want %q", said, got, act.want)
		}
		said = append(said, act.want)
	}
	if _, bad := f.Trouble(); !bad || !errors.Is(f.trouble.now.Cause, syscall.EROFS) {
		t.Error("the last trouble is not kept")
	}
}
