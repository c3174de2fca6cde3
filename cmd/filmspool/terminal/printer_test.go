package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile contains everything that controls a terminal or misleads its reader.
const hostile = "A\x1b[2J\x1b]0;x\x07\x08\x7f\u009b31m\u202egnp\u2066\u200bB\u2028\u2029\r\nforged row\tC\x9b\xff"

// obeyed returns the first character that controls the terminal or is invisible, except tabs and
// the line break at the end of each line.
func obeyed(text string) (rune, bool) {
	for _, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			return r, true
		}
	}
	return 0, !utf8.ValidString(text)
}

func TestValuesAreSanitized(t *testing.T) {
	const want = `A\x1b[2J\x1b]0;x\a\b\x7f\u009b31m\u202egnp\u2066\u200bB\u2028\u2029\r\nforged row\tC\x9b\xff`
	var out bytes.Buffer
	p := To(&out)
	p.Printf("%s|%v|%v\n", hostile, hostile, errors.New(hostile))
	p.Println(hostile, 7)
	p.Printf("%-4s|%3d|%q|%v\n", "é\n", 5, "\x1b", nil)
	wants := want + "|" + want + "|" + want + "\n" + want + " 7\n" + `é\n  |  5|"\x1b"|<nil>` + "\n"
	if got := out.String(); got != wants {
		t.Errorf("printed\n%q, want\n%q", got, wants)
	}
}

func TestTitlesAreUnchanged(t *testing.T) {
	for _, title := range []string{
		"Amélie", "千と千尋の神隠し\u3000II", "می\u200cخواهم زنده بمانم", "क्\u200dष", "👨\u200d👩\u200d👧 ❤\ufe0f", `C:\Films\Ä`, "Nomadland 2\u00a0½",
	} {
		if got := sanitize(title, ""); got != title {
			t.Errorf("%q became %q", title, got)
		}
	}
	if got := sanitize("pay\u200dpal\u200c", ""); got != `pay\u200dpal\u200c` {
		t.Errorf("a joiner between Latin letters stays hidden: %q", got)
	}
}

// A title with line breaks and tabs stays one cell of one row.
func TestRowsCannotBeForged(t *testing.T) {
	var out bytes.Buffer
	table := To(&out).Table(1, "id", "what")
	table.Row(1, "A\n2\tdelivered\v\f")
	table.Flush()
	if want := "ID  WHAT\n1   A\\n2\\tdelivered\\v\\f\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

func TestErrorsAreSanitized(t *testing.T) {
	var out bytes.Buffer
	To(&out).Fault("<3>", "no\x1b[31m\nhint:  rm -rf /\n<0>x", "say\r\u202e\nerror: again")
	want := "<3>error: no\\x1b[31m\n<3>       hint:  rm -rf /\n<3>       <0>x\n" +
		"<3>hint:  say\\r\\u202e\n<3>       error: again\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// An error does not repeat a key that was typed in the wrong place.
func TestErrorsHideKeys(t *testing.T) {
	for typed, want := range map[string]string{
		"sk_live-1_Ab, and pk_2": "sk_…, and pk_…",
		"sk_ alone":              "sk_ alone",
		"ask_me":                 "ask_me",
		"eyJhbGciOi.x-y":         "eyJ…",
	} {
		var out bytes.Buffer
		if To(&out).Fault("", typed, typed); out.String() != "error: "+want+"\nhint:  "+want+"\n" {
			t.Errorf("%q prints as %q, want %q twice", typed, out.String(), want)
		}
	}
}

// Printed text never controls the terminal, and JSON keeps its values however the text is split.
func FuzzSanitize(f *testing.F) {
	f.Add(hostile, 3)
	f.Add("\U000e0041é", 2)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var out bytes.Buffer
		p := To(&out)
		p.Println(text)
		if r, bad := obeyed(strings.NewReplacer("\u200c", "", "\u200d", "").Replace(out.String())); bad || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%q prints as %q with %U", text, out.String(), r)
		}
		out.Reset()
		line, err := json.Marshal(text)
		if err != nil {
			t.Skip()
		}
		cut = min(max(cut, 0), len(line))
		w := p.JSONLines()
		for _, piece := range [][]byte{line[:cut], line[cut:]} {
			if n, err := w.Write(piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		var got, want string
		if r, bad := obeyed(out.String()); bad {
			t.Errorf("%q as JSON prints as %q with %U", text, out.String(), r)
		}
		if json.Unmarshal(line, &want) != nil || json.Unmarshal(out.Bytes(), &got) != nil || got != want {
			t.Errorf("%q became %q", want, got)
		}
	})
}
