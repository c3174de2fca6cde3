package terminal

import (
	"strconv"
	"strings"
	"time"
)

// Counted is a number of things: "1 line", "12,000 lines", "2 entries".
func Counted(n int64, thing string) string {
	one, many := thing, thing+"s"
	if strings.HasSuffix(thing, "entr") {
		one, many = thing+"y", thing+"ies"
	}
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped is a number with a comma before every three digits.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Minute is an instant in local time, to the minute.
func Minute(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// Second is an instant in local time, to the second.
func Second(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// Ago is how long ago t was, in a person's words; "never" for nil.
func Ago(t *time.Time) string {
	if t == nil {
		return "never"
	}
	switch d := time.Since(*t); {
	case d < time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min ago"
	default:
		return Minute(*t)
	}
}

// Capital is a text that begins a sentence.
func Capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
