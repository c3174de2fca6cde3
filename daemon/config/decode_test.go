package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestEveryFaultOfTheFileIsTold: settings of the wrong kind, unknown ones and
// wrong values, each with its line, and none in a programmer's words.
func TestEveryFaultOfTheFileIsTold(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	_, err := Load(write(t, `
in_doubt = 3
listen = "127.0.0.1:99999"
wave = "four"
[replay]
grace = 10
[[filters]]
site = true
action = "ignore"
[[filters]]
action = "eat"
[accounts.default]
base_url = "https://tracker.example"
[[kodi.libraries]]
userdata = "~/.kodi/userdata"
[[kodi.libraries]]
userdata = "films"
colour = "red"
`), true, env(), Overrides{})
	if !errors.Is(err, ErrInvalid) {
		t.Fatal(err)
	}
	for _, want := range []string{
		"line 2, column", "this is a number, and text in quotes is wanted here",
		"the port must be a number from 1 to 65535 (line 3)",
		"line 4, column", "this is text, and a whole number without quotes is wanted here",
		`replay.grace: "10" is not a span of time such as 90s, 10m or 1h30m (line 6)`,
		"line 8, column", "this is true or false, and text in quotes is wanted here",
		`filters[1].action: "eat" is not one of send, hold, ignore (line 11)`,
		`"https://tracker.example" does not end in /api/v1; write "https://tracker.example/api/v1" (line 13)`,
		`write "/home/me/.kodi/userdata" (line 15)`,
		`kodi.libraries[1].userdata: "films" is not an absolute folder (line 17)`,
		"18| colour",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for _, word := range []string{"struct", "toml:", "cannot decode", "config.", "of type", "unmarshal"} {
		if strings.Contains(strings.ReplaceAll(err.Error(), "config.toml", ""), word) {
			t.Errorf("it says %q", word)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

// TestWhatIsWrongInSeveralLinesIsToldToo, as far as it can be.
func TestWhatIsWrongInSeveralLinesIsToldToo(t *testing.T) {
	for text, want := range map[string]string{
		"accounts = []":                   "this is a list, and a table, under [its name], is wanted here",
		"[kodi]\nlibraries = 3":           "this is a number, and a list of tables, each under [[its name]], is wanted here",
		"[listen]\nx = 1":                 "this is a table, and text in quotes is wanted here",
		"[[accounts]]\nx = 1":             "this is a list of tables, and a table, under [its name], is wanted here",
		"[kodi]\nlibraries = [\n 1,\n 2]": "line 3",
		"listen = 2026-01-01":             "this is a date or time, and text in quotes is wanted here",
		"listen = \"a\nin_doubt = 3":      "line 1",
	} {
		_, err := Load(write(t, text), true, env(), Overrides{})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestWhatIsWatchedAndNotThereIsTold(t *testing.T) {
	dir := t.TempDir()
	c, err := Load(write(t, "[[kodi.libraries]]\nuserdata = '"+dir+"'\n[[kodi.libraries]]\nuserdata = '"+filepath.Join(dir, "none")+
		"'\n[[kodi.libraries]]\nuserdata = '"+filepath.Join(dir, "films")+"'\n"), true, env(), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	missing := strings.Join(c.Absent(), "\n")
	if strings.Contains(missing, "libraries[0]") || !strings.Contains(missing, "kodi.libraries[1].userdata") ||
		!strings.Contains(missing, "(line 4)") || !strings.Contains(missing, "(line 6)") {
		t.Error(missing)
	}
	if err := os.MkdirAll(filepath.Join(dir, "none"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "films"), 0o700); err != nil {
		t.Fatal(err)
	}
	if missing := c.Absent(); len(missing) > 0 {
		t.Error(missing)
	}
}

// TestTheExampleIsGood: as it stands it sets nothing, and with its settings
// turned on it is a configuration.
func TestTheExampleIsGood(t *testing.T) {
	c, err := Load(write(t, string(Example())), true, env(), Overrides{})
	if err != nil || len(c.lines) != 0 {
		t.Errorf("as it stands: %v, it sets %v", err, c.lines)
	}
	var on strings.Builder
	n := 0
	for line := range strings.Lines(string(Example())) {
		setting, ok := strings.CutPrefix(line, "# ")
		if ok && (strings.HasPrefix(setting, "[") || strings.Contains(setting, " = ")) {
			on.WriteString(setting)
			n++
		}
	}
	c, err = Load(write(t, on.String()), true, env(), Overrides{})
	if err != nil || n < 30 || c.Listen != Default().Listen || c.Kodi.Classes != defaultClasses() || c.Replay != Default().Replay {
		t.Errorf("%d settings turned on: %v", n, err)
	}
}

// TestTheExampleNamesEverySetting: the file is where people look for one.
func TestTheExampleNamesEverySetting(t *testing.T) {
	var names func(reflect.Type)
	names = func(at reflect.Type) {
		for at.Kind() == reflect.Slice || at.Kind() == reflect.Map || at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		if at.Kind() != reflect.Struct {
			return
		}
		for f := range at.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
			if name == "" || name == "-" {
				continue
			}
			if !regexp.MustCompile(`(?m)^# *(\[+[a-z_.]*\b` + name + `\b|` + name + ` = |.*# besides: .*\b` + name + `\b)`).Match(Example()) {
				t.Errorf("the example does not name %s", name)
			}
			names(f.Type)
		}
	}
	names(reflect.TypeFor[Config]())
}

// TestFaultsStandInTheOrderOfTheFile, whatever found them.
func TestFaultsStandInTheOrderOfTheFile(t *testing.T) {
	text := `in_doubt = "guess"
wave = "four"
[routes]
browzer = "default"
"kodi:/home/me/.kodi/userdata" = "nobody"
program = "default"
[kodi.classes]
bulk = "eat"
colour = "red"
live = "eat"
[accounts.default]
key_header = "cookie"
base_url = "http://tracker.example/api/v1"
[accounts.b]
base_url = "https://me:secret@tracker.example/api/v1"
[accounts.c]
base_url = "http://localhost:8080/api/v1"
`
	want := []string{
		`log_level: "loud"`, `in_doubt: "guess"`, "line 2, column", `routes.browzer: "browzer" is not browser, program, kodi or cli`,
		`routes.kodi:/home/me/.kodi/userdata: there is no account "nobody" (line 5)`, "kodi.classes.bulk:", "9| colour", "kodi.classes.live:",
		`accounts.default.key_header: "cookie"`,
		`http is for this machine only: use https; write "https://tracker.example/api/v1" (line 13)`,
		"accounts.b.base_url: this is not the address of a service: it must not hold a user or a password (line 15)",
	}
	_, err := Load(write(t, text), true, env(), Overrides{LogLevel: "loud"})
	rest := err.Error()
	for _, part := range want {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("no %q behind what was expected before it, in:\n%v", part, err)
		}
		rest = after
	}
	if n := strings.Count(err.Error(), ErrInvalid.Error()); n != len(want) || strings.Contains(err.Error(), "secret") {
		t.Errorf("%d faults, want %d:\n%v", n, len(want), err)
	}
}
