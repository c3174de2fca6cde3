// Package terminal prints for people and for scripts, shows progress and asks the user. It
// sanitizes values: they cannot control the terminal, forge table rows or break JSON, and errors
// never contain keys.
package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Printer prints to a standard stream. It has no Write method, so that all output is a fixed
// format with values, which are sanitized: no control characters, no hidden or reversed text and
// no line breaks. Messages are rendered in its language.
type Printer struct {
	w        io.Writer
	language string
	asking   atomic.Bool
}

// To returns a printer that writes English to w.
func To(w io.Writer) *Printer { return &Printer{w: w} }

// In sets the language to that of a locale such as "de_AT.UTF-8".
func (o *Printer) In(locale string) *Printer {
	o.language = locale
	return o
}

// Speech returns the language of the printer.
func (o *Printer) Speech() locale.Speech { return locale.In(o.language) }

// rendered returns the text of a message and other values unchanged.
func (o *Printer) rendered(value any) any {
	if m, ok := value.(viewing.Message); ok {
		return o.Speech().Message(m)
	}
	return value
}

// Printf prints a format with sanitized values.
func (o *Printer) Printf(format string, values ...any) {
	for i := range values {
		values[i] = value{o.rendered(values[i])}
	}
	fmt.Fprintf(o.w, format, values...)
}

// Println prints a line of sanitized values, separated by spaces.
func (o *Printer) Println(values ...any) {
	line := make([]string, len(values))
	for i := range values {
		line[i] = sanitize(fmt.Sprint(o.rendered(values[i])), "")
	}
	fmt.Fprintln(o.w, strings.Join(line, " "))
}

// Say prints a text of the catalogue with sanitized values; see [locale.Speech.Say].
func (o *Printer) Say(key string, values ...any) { o.Println(o.Speech().Say(key, values...)) }

// Hint prints a hint unless it is empty.
func (o *Printer) Hint(next any) {
	if text := o.rendered(next); text != "" {
		o.Printf("%s%s\n", o.Speech().Say("cli.hint"), text)
	}
}

// Fault prints an error and a hint. Further lines are indented, so that a message cannot imitate
// other output. Each line begins with mark.
func (o *Printer) Fault(mark, message, hint string) {
	text := o.indented("cli.error", message)
	if hint != "" {
		text += "\n" + o.indented("cli.hint", hint)
	}
	fmt.Fprintln(o.w, mark+strings.ReplaceAll(text, "\n", "\n"+mark))
}

// indented returns a text after a word, with its further lines indented.
func (o *Printer) indented(key, text string) string {
	word := o.Speech().Say(key)
	text = strings.ReplaceAll(strings.TrimRight(config.HideKeys(text), "\n"), "\r\n", "\n")
	return word + strings.ReplaceAll(sanitize(text, "\n\t"), "\n", "\n"+strings.Repeat(" ", utf8.RuneCountInString(word)))
}

// JSON prints value as indented JSON. Control characters are escaped, HTML characters are not.
func (o *Printer) JSON(value any) error { return o.encode(value, "  ") }

// JSONLine prints value as JSON on one line.
func (o *Printer) JSONLine(value any) error { return o.encode(value, "") }

func (o *Printer) encode(value any, indent string) error {
	e := json.NewEncoder(o.JSONLines())
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Text returns a writer for longer texts such as a log. It keeps line breaks and tabs.
func (o *Printer) Text() io.Writer {
	return &filter{w: o.w, escape: func(text string) string { return sanitize(text, "\n\t") }}
}

// JSONLines returns a writer for JSON texts. It escapes control characters without changing the
// values.
func (o *Printer) JSONLines() io.Writer { return &filter{w: o.w, escape: sanitizeJSON} }

// Log returns a writer for a logger that quotes values itself.
func (o *Printer) Log() io.Writer { return o.w }

// Raw returns the unfiltered stream for the content of files. It must not be used on a terminal.
func (o *Printer) Raw() io.Writer { return o.w }

// IsTerminal reports whether the output is a terminal.
func (o *Printer) IsTerminal() bool { return IsTerminal(o.w) }

// value is a value that is sanitized with any verb.
type value struct{ any }

// Format implements [fmt.Formatter].
func (v value) Format(state fmt.State, verb rune) {
	_, _ = io.WriteString(state, sanitize(fmt.Sprintf(fmt.FormatString(state, verb), v.any), ""))
}

// Sanitize escapes control characters and invisible characters in Go's notation.
func Sanitize(text string) string { return sanitize(text, "") }

// sanitize escapes control characters, directional marks, zero-width characters, line breaks and
// invalid UTF-8, except the characters in keep.
func sanitize(text, keep string) string {
	var b strings.Builder
	var before rune
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsGraphic(r), strings.ContainsRune(keep, r), joins(before, r, next):
			b.WriteString(text[i : i+size])
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		before, i = r, i+size
	}
	return b.String()
}

// joins reports whether r is a joiner between letters that use it, as in Persian, Hindi and
// emojis.
func joins(before, r, next rune) bool {
	other := func(r rune) bool { return r > unicode.MaxLatin1 && r != utf8.RuneError && unicode.IsGraphic(r) }
	return (r == '\u200c' || r == '\u200d') && other(before) && other(next)
}

// sanitizeJSON escapes such characters in a JSON text. They can only occur inside strings.
func sanitizeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < unicode.MaxASCII || unicode.IsGraphic(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// filter is a writer that escapes a text. It holds back an incomplete UTF-8 sequence. Several
// goroutines may use it.
type filter struct {
	w      io.Writer
	escape func(string) string

	mu      sync.Mutex
	partial []byte
}

// Write implements [io.Writer].
func (f *filter) Write(text []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Concat(f.partial, text)
	whole := len(all)
	for i := 1; i < utf8.UTFMax && i <= len(all); i++ {
		if start := len(all) - i; utf8.RuneStart(all[start]) {
			if !utf8.FullRune(all[start:]) {
				whole = start
			}
			break
		}
	}
	f.partial = slices.Clone(all[whole:])
	if _, err := io.WriteString(f.w, f.escape(string(all[:whole]))); err != nil {
		return 0, err
	}
	return len(text), nil
}
