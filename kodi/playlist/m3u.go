package playlist

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// parse gives the entries of an M3U file: its lines but for the empty ones and
// those that begin with "#". A text that is not UTF-8 is taken for Latin-1, as
// old programs write it. It is not whole when it has more than 10,000.
func parse(text []byte) (entries []string, whole bool) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	words := string(text)
	if !utf8.Valid(text) {
		words = latin(text)
	}
	words = strings.ReplaceAll(words, "\r\n", "\n")
	for line := range strings.SplitSeq(strings.ReplaceAll(words, "\r", "\n"), "\n") {
		line = strings.Trim(line, " \t\x00")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(entries) == maxLines {
			return entries, false
		}
		entries = append(entries, line)
	}
	return entries, true
}

// latin reads ISO 8859-1.
func latin(text []byte) string {
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = rune(b)
	}
	return string(runes)
}
