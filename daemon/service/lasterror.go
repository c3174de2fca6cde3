//go:build unix

package service

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// lastError is what the program wrote last before it gave up, from a log that
// holds many runs: the error after the last one that got ready.
func lastError(log string) string {
	const nothing = "its log does not say why"
	f, err := os.Open(log)
	if err != nil {
		return nothing
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 64<<10 {
		_, _ = f.Seek(-64<<10, io.SeekEnd) // where it fails, the whole file does as well
	}
	text, _ := io.ReadAll(f)
	if i := bytes.LastIndex(text, []byte("\nready on ")); i >= 0 {
		text = text[i+1:]
	}
	found := nothing
	for line := range strings.Lines(string(text)) {
		if said, ok := strings.CutPrefix(line, "error: "); ok {
			found = strings.TrimSpace(said)
		}
	}
	return found
}
