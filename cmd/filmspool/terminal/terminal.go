// Package terminal prints for people and for scripts, says that work goes on, and asks
// people. No stranger's text can steer a terminal, forge a row or break JSON, and no key
// is printed with an error.
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

// Printer is the only way to a standard stream. It has no Write on purpose:
// what a command prints goes through a format, whose words are ours, and
// values, which a stranger may have written. Values are shown harmlessly: no
// control characters, no hidden or reversed writing, no line breaks.
// Messages are rendered in its language.
type Printer struct {
	w        io.Writer
	language string
	asking   atomic.Bool
}

// To prints to w, in English.
func To(w io.Writer) *Printer { return &Printer{w: w} }

// In has messages rendered in the language of a locale such as "de_AT.UTF-8".
func (o *Printer) In(locale string) *Printer {
	o.language = locale
	return o
}

// Speech is the language of the printer.
func (o *Printer) Speech() locale.Speech { return locale.In(o.language) }

// shown is a value as it is printed.
func (o *Printer) shown(value any) any {
	if m, ok := value.(viewing.Message); ok {
		return o.Speech().Message(m)
	}
	return value
}

// Printf prints a text of ours with harmless values.
func (o *Printer) Printf(format string, values ...any) {
	for i := range values {
		values[i] = value{o.shown(values[i])}
	}
	fmt.Fprintf(o.w, format, values...)
}

// Println prints one line of harmless values, with spaces between them.
func (o *Printer) Println(values ...any) {
	line := make([]string, len(values))
	for i := range values {
		line[i] = harmless(fmt.Sprint(o.shown(values[i])), "")
	}
	fmt.Fprintln(o.w, strings.Join(line, " "))
}

// Say prints a text of the catalogue with harmless values, see [locale.Speech.Say].
func (o *Printer) Say(key string, values ...any) { o.Println(o.Speech().Say(key, values...)) }

// Hint prints what to do next, unless that is empty.
func (o *Printer) Hint(next any) {
	if text := o.shown(next); text != "" {
		o.Printf("%s%s\n", o.Speech().Say("cli.hint"), text)
	}
}

// Fault prints an error and what to do. Further lines of either are indented,
// so that none of them can pass for one of ours. Each line begins with mark.
func (o *Printer) Fault(mark, message, hint string) {
	text := o.indented("cli.error", message)
	if hint != "" {
		text += "\n" + o.indented("cli.hint", hint)
	}
	fmt.Fprintln(o.w, mark+strings.ReplaceAll(text, "\n", "\n"+mark))
}

// indented is a text of several lines behind a word.
func (o *Printer) indented(key, text string) string {
	word := o.Speech().Say(key)
	text = strings.ReplaceAll(strings.TrimRight(config.HideKeys(text), "\n"), "\r\n", "\n")
	return word + strings.ReplaceAll(harmless(text, "\n\t"), "\n", "\n"+strings.Repeat(" ", utf8.RuneCountInString(word)))
}

// JSON prints value as indented JSON. What only HTML would need is not
// escaped; what a terminal would obey is.
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

// Text is for whole texts, such as a log: it keeps line breaks and tabs.
func (o *Printer) Text() io.Writer {
	return &filter{w: o.w, escape: func(text string) string { return harmless(text, "\n\t") }}
}

// JSONLines is for whole JSON texts: they stay the same JSON.
func (o *Printer) JSONLines() io.Writer { return &filter{w: o.w, escape: harmlessJSON} }

// Log is for a logger, which quotes values itself.
func (o *Printer) Log() io.Writer { return o.w }

// Raw is for the content of files. A person must not read it.
func (o *Printer) Raw() io.Writer { return o.w }

// IsTerminal reports whether a person reads the stream.
func (o *Printer) IsTerminal() bool { return IsTerminal(o.w) }

// value is a value that prints harmlessly, whatever the verb.
type value struct{ any }

// Format implements [fmt.Formatter].
func (v value) Format(state fmt.State, verb rune) {
	_, _ = io.WriteString(state, harmless(fmt.Sprintf(fmt.FormatString(state, verb), v.any), ""))
}

// Harmless spells out, as Go does, whatever a terminal would obey or would not
// show.
func Harmless(text string) string { return harmless(text, "") }

// harmless spells out control characters, writing direction, zero width, line
// breaks, and bytes that are no text. The characters of keep stay.
func harmless(text, keep string) string {
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

// joins reports whether r is a joiner that Persian, Hindi and emojis need.
func joins(before, r, next rune) bool {
	other := func(r rune) bool { return r > unicode.MaxLatin1 && r != utf8.RuneError && unicode.IsGraphic(r) }
	return (r == '\u200c' || r == '\u200d') && other(before) && other(next)
}

// harmlessJSON escapes in a JSON text what the encoder lets through. Outside
// of strings such characters cannot stand.
func harmlessJSON(text string) string {
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

// filter escapes a text on its way. It holds back a character whose bytes come
// in two pieces. Several goroutines may write.
type filter struct {
	w      io.Writer
	escape func(string) string

	mu   sync.Mutex
	half []byte
}

// Write implements [io.Writer].
func (f *filter) Write(text []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Concat(f.half, text)
	whole := len(all)
	for i := 1; i < utf8.UTFMax && i <= len(all); i++ {
		if start := len(all) - i; utf8.RuneStart(all[start]) {
			if !utf8.FullRune(all[start:]) {
				whole = start
			}
			break
		}
	}
	f.half = slices.Clone(all[whole:])
	if _, err := io.WriteString(f.w, f.escape(string(all[:whole]))); err != nil {
		return 0, err
	}
	return len(text), nil
}
