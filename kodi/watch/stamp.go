package watch

import (
	"fmt"
	"os"
	"strings"
)

// unreadable is the stamp of a folder that is missing or may not be read.
const unreadable = "unreadable"

// look is the folder's stamp: name, time and size of every file that matters.
// A file that vanishes meanwhile is left out.
func (l *loop) look() string {
	entries, err := os.ReadDir(l.o.Dir)
	if err != nil {
		return unreadable
	}
	var stamp strings.Builder
	for _, e := range entries {
		if !l.o.Match(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil {
			fmt.Fprintf(&stamp, "%q %d %d\n", e.Name(), info.ModTime().UnixNano(), info.Size())
		}
	}
	return stamp.String()
}
