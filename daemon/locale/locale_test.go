package locale

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEveryLanguageHasEveryText: a key that one language lacks, or a value that one
// text does not name, would show a person half a sentence.
func TestEveryLanguageHasEveryText(t *testing.T) {
	value := regexp.MustCompile(`\{\w*\}`)
	for tag := range catalogue() {
		for _, other := range []string{English, tag} {
			one := In(other)
			for _, key := range one.Keys() {
				has := In(tag)
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
	if len(catalogue()) != 2 {
		t.Errorf("%d languages", len(catalogue()))
	}
}

func TestLanguageThatIsWanted(t *testing.T) {
	for wanted, tag := range map[string]string{
		"": "en", "de": "de", "de-AT,de;q=0.9,en;q=0.8": "de", "en-GB,de;q=0.9": "en", "fr,de;q=0.3,en;q=0.4": "en",
		"fr": "en", "de_DE.UTF-8": "de", "C": "en", "de;q=x": "en", "de;q=0": "en", ";;,": "en", "DE": "de",
	} {
		if got := In(wanted).Tag; got != tag {
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
