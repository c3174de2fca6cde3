package service

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// words are the last ones of a program that has ended.
type words struct {
	text string // what went wrong; empty where nobody knows
	hint string // the command it named
}

// or is the text, or else what the manager says.
func (w words) or(manager string) string {
	if w.text == "" {
		return manager
	}
	return w.text
}

// wordsPatience is how long the words of a program that ended just now are
// waited for: the journal takes them in beside systemctl's answer.
const wordsPatience = time.Second

// lastWords reads what a process wrote as an error. It finds nothing where the
// journal may not be read.
func (c systemctl) lastWords(ctx context.Context, pid int, patience time.Duration) words {
	if pid == 0 {
		return words{}
	}
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for enough := time.Now().Add(patience); ; {
		out, err := c.command(ctx, "journalctl", "--quiet", "--no-pager", "--boot", "--output=cat",
			"--priority=err", "--lines=12", fmt.Sprintf("_PID=%d", pid)).Output()
		w := parseWords(string(out))
		if err != nil || w.text != "" || !time.Now().Before(enough) {
			return w
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return words{}
		}
	}
}

// parseWords finds "error: …" and the "hint: …" after it, as the program ends
// with; else the last line is all there is. What looks like a key is cut out,
// and what would move a terminal's cursor.
func parseWords(log string) words {
	log = regexp.MustCompile(`\b[sp]k_[A-Za-z0-9_-]{4,}`).ReplaceAllString(log, "(key)")
	log = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, log)
	lines := strings.Split(strings.TrimRight(log, "\n "), "\n")
	begin := len(lines) - 1
	for i, line := range slices.Backward(lines) {
		if strings.HasPrefix(line, "error: ") {
			begin = i
			break
		}
	}
	var w words
	for _, line := range lines[begin:] {
		if hint, ok := strings.CutPrefix(line, "hint:"); ok {
			w.hint = strings.TrimSpace(hint)
			break
		}
		w.text += "\n" + strings.TrimPrefix(line, "error: ")
	}
	w.text = strings.TrimSpace(w.text)
	return w
}
