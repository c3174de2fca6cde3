package logging

import (
	"fmt"
	"os"
	"syscall"
)

// isStream reports whether f is the one that $JOURNAL_STREAM names by device
// and inode (systemd.exec(5)).
func isStream(f *os.File, stream string) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && fmt.Sprintf("%d:%d", stat.Dev, stat.Ino) == stream
}
