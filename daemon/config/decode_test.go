package config

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

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
