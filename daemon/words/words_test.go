package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func catalogue(t *testing.T) Catalogue {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryLanguageHasEveryText: a key that one language lacks, or a value that one
// text does not name, would show a person half a sentence.
func TestEveryLanguageHasEveryText(t *testing.T) {
	c := catalogue(t)
	value := regexp.MustCompile(`\{\w*\}`)
	for tag := range c {
		for _, other := range []string{English, tag} {
			one := c.In(other)
			for _, key := range one.Keys() {
				has := c.In(tag)
				if !has.Has(key) {
					t.Errorf("%s has no %q, which %s has", tag, key, other)
					continue
				}
				want, got := value.FindAllString(one.texts[key].other, -1), value.FindAllString(has.texts[key].other, -1)
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(slices.Compact(want), slices.Compact(got)) {
					t.Errorf("%s: %q names %v; in %s it names %v", tag, key, got, other, want)
				}
				if (one.texts[key].one == "") != (has.texts[key].one == "") {
					t.Errorf("%s: %q depends on a number in one language alone", tag, key)
				}
				if strings.TrimSpace(has.texts[key].other) == "" {
					t.Errorf("%s: %q is empty", tag, key)
				}
			}
		}
	}
	if len(c) != 2 {
		t.Errorf("%d languages", len(c))
	}
}

// TestNoKeyStandsTwice: in two files of a language one text would hide the other.
func TestNoKeyStandsTwice(t *testing.T) {
	keys := regexp.MustCompile(`(?m)^ {2}"([^"]+)":`)
	where := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := files.ReadFile(name)
		for _, m := range keys.FindAllStringSubmatch(string(raw), -1) {
			at := filepath.Dir(name) + " " + m[1]
			if where[at] != "" {
				t.Errorf("%s stands in %s and in %s", at, where[at], name)
			}
			where[at] = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTextsAndUsesMatch: whatever Go and the pages say by a key is there, and
// nothing is there that nobody says. A key that ends in a dot begins a family, whose
// last word is computed.
func TestTextsAndUsesMatch(t *testing.T) {
	said, families := uses(t)
	s := catalogue(t).In(English)
	for key, where := range said {
		if !s.Has(key) {
			t.Errorf("%s says %q, which is not in the catalogue", where, key)
		}
	}
	for _, key := range s.Keys() {
		family := slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(key, f) })
		if said[key] == "" && !family {
			t.Errorf("nobody says %q", key)
		}
	}
}

// uses are the keys that the daemon's rooms name: texts of the form "room.word", in
// Go and in templates.
func uses(t *testing.T) (said map[string]string, families []string) {
	said = map[string]string{}
	rooms := map[string]bool{}
	for _, key := range catalogue(t).In(English).Keys() {
		room, _, _ := strings.Cut(key, ".")
		rooms[room] = true
	}
	key := regexp.MustCompile(`^[a-z][a-zA-Z]*(\.[a-zA-Z_-]+)*\.?$`)
	note := func(text, where string) {
		room, _, dotted := strings.Cut(text, ".")
		switch {
		case !dotted || !rooms[room] || !key.MatchString(text):
		case strings.HasSuffix(text, "."):
			families = append(families, text)
		default:
			said[text] = where
		}
	}
	quoted := regexp.MustCompile(`"([^"\s]+)"`)
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.HasSuffix(name, ".html"):
			raw, err := os.ReadFile(name)
			for _, action := range regexp.MustCompile(`(?s)\{\{.*?\}\}`).FindAllString(string(raw), -1) {
				for _, m := range quoted.FindAllStringSubmatch(action, -1) {
					note(m[1], name)
				}
			}
			return err
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil {
						note(text, name)
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return said, families
}

func TestLanguageThatIsWanted(t *testing.T) {
	c := catalogue(t)
	for wanted, tag := range map[string]string{
		"": "en", "de": "de", "de-AT,de;q=0.9,en;q=0.8": "de", "en-GB,de;q=0.9": "en", "fr,de;q=0.3,en;q=0.4": "en",
		"fr": "en", "de_DE.UTF-8": "de", "C": "en", "de;q=x": "en", "de;q=0": "en", ";;,": "en", "DE": "de",
	} {
		if got := c.In(wanted).Tag; got != tag {
			t.Errorf("%q: %s, want %s", wanted, got, tag)
		}
	}
}

func TestSay(t *testing.T) {
	s := Speech{Tag: "de", texts: map[string]text{"a": {one: "{n} Film", other: "{n} Filme"}, "b": {other: "{title} um {at}"}}}
	at := time.Date(2026, 3, 1, 20, 15, 0, 0, time.Local)
	for _, c := range []struct{ got, want string }{
		{s.Say("a", "n", 1), "1 Film"},
		{s.Say("a", "n", int64(1234567)), "1.234.567 Filme"},
		{s.Say("a", "n", -1000), "-1.000 Filme"},
		{s.Say("b", "title", "{at} <b>", "at", &at), "{at} <b> um 2026-03-01 20:15"},
		{s.Say("none"), "none"},
		{Speech{Tag: "en"}.Value(100), "100"},
		{Speech{Tag: "en"}.Value(1000), "1,000"},
		{s.Value((*time.Time)(nil)), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
