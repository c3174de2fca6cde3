package locale

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Every language has the same keys, and each text the same values.
func TestEveryLanguageHasEveryText(t *testing.T) {
	value := regexp.MustCompile(`\{\w*\}`)
	for tag := range catalogues {
		for _, other := range []string{English, tag} {
			one := In(other)
			for _, key := range one.Keys() {
				has := In(tag)
				if !has.Has(key) {
					t.Errorf("%s has no %q, which %s has", tag, key, other)
					continue
				}
				want, got := value.FindAllString(one.texts()[key].other, -1), value.FindAllString(has.texts()[key].other, -1)
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(slices.Compact(want), slices.Compact(got)) {
					t.Errorf("%s: %q names %v; in %s it names %v", tag, key, got, other, want)
				}
				if (one.texts()[key].one == "") != (has.texts()[key].one == "") {
					t.Errorf("%s: %q depends on a number in one language alone", tag, key)
				}
				if strings.TrimSpace(has.texts()[key].other) == "" {
					t.Errorf("%s: %q is empty", tag, key)
				}
			}
		}
	}
	if len(catalogues) != 2 {
		t.Errorf("%d languages", len(catalogues))
	}
}

func TestPreferredLanguage(t *testing.T) {
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
	german := catalogues["de"]
	defer func() { catalogues["de"] = german }()
	catalogues["de"] = func() map[string]text {
		return map[string]text{"a": {one: "{n} Film", other: "{n} Filme"}, "b": {other: "{title} um {at}"}}
	}
	s := Speech{Tag: "de"}
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

// built lists prefixes of keys that end in a code: a state, a reason or a verb.
var built = []string{
	"act.", "advice.", "arg.", "cli.column.", "cli.did.", "cli.is.", "cli.kodi.", "cli.left.", "cli.many.", "cli.nothing.", "cli.row.", "cli.service.", "cli.untitled.", "cli.would.",
	"diary.did.", "diary.done.", "diary.leftFor.", "diary.reason.", "diary.state.", "diary.would.", "export.for.", "fault.",
	"hint.", "hook.how.", "hook.name.", "hook.result.", "import.skipped.", "item.", "library.", "life.doubt.", "lists.", "lists.number.", "note.", "now.do.", "mark.", "now.state.", "review.", "review.why.", "source.kind.", "page.title.",
	"problem.", "settings.about.", "settings.group.", "settings.key.", "settings.tried.", "settings.way.", "settings.word.",
	"setup.refused.", "setup.step.", "setup.why.", "service.state.", "severity.", "sources.state.", "sources.why.", "step.", "why.",
}

// Every key, or its prefix, is used in the program or in a template.
func TestEveryTextIsUsed(t *testing.T) {
	literals := map[string]bool{}
	quoted, named := regexp.MustCompile("\"([^\"\\n]*)\"|`([^`]*)`"), regexp.MustCompile(`()([\w.-]+)`)
	for _, dir := range []string{"cmd", "connector", "daemon", "kodi", "queue"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.Name() == "node_modules" || e.Name() == "testdata":
				return filepath.SkipDir
			case strings.HasSuffix(path, "_test.go") || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".html":
				return nil
			}
			source, err := os.ReadFile(path)
			words := quoted
			if filepath.Ext(path) == ".html" { // there quotes are within quotes
				words = named
			}
			for _, found := range words.FindAllSubmatch(source, -1) {
				literals[string(found[1])+string(found[2])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, begin := range built {
		if dotted := begin[:strings.LastIndex(begin, ".")+1]; !literals[dotted] {
			t.Errorf("nothing builds keys from %q", begin)
		}
	}
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }
	words := map[string]bool{} // the possible ends of such keys
	for literal := range literals {
		for word := range strings.FieldsFuncSeq(literal, apart) {
			words[word] = true
		}
	}
	for _, key := range In(English).Keys() {
		told := strings.TrimPrefix(key, "told.")
		isBuilt := slices.ContainsFunc(built, func(begin string) bool {
			rest, found := strings.CutPrefix(told, begin)
			return found && !slices.ContainsFunc(strings.FieldsFunc(rest, apart), func(word string) bool { return !words[word] })
		})
		isHelp := strings.HasPrefix(key, "help.") || strings.HasPrefix(key, "flag.") // TestHelp in cmd/filmspool checks these
		if !literals[key] && !literals[told] && !isBuilt && !isHelp {
			t.Errorf("%s is used nowhere", key)
		}
	}
}

func TestMessageWithCause(t *testing.T) {
	m := viewing.Say("unreachable").Because(viewing.Say("noName", "name", "films.example"))
	for tag, want := range map[string]string{
		"en": "The service cannot be reached: the name films.example cannot be looked up",
		"de": "Der Dienst ist nicht erreichbar: der Name films.example lässt sich nicht nachschlagen",
	} {
		if got := In(tag).Message(m); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	if got := In("en").Message(viewing.Message{}); got != "" {
		t.Errorf("no message says %q", got)
	}
}

// Days and moments are formatted relative to local days.
func TestTimes(t *testing.T) {
	now := time.Date(2026, 11, 24, 0, 30, 0, 0, time.Local)
	for _, c := range []struct {
		at                   time.Time
		day, moment, momentD string
	}{
		{now, "Today", "today 00:30", "heute 00:30"},
		{now.Add(-time.Hour), "Yesterday", "yesterday 23:30", "gestern 23:30"},
		{now.AddDate(0, 0, -4).Add(20 * time.Hour), "Friday, 20 November", "Fri 20 Nov, 20:30", "Fr 20. Nov, 20:30"},
		{now.AddDate(0, 0, 3), "Friday, 27 November", "Fri 27 Nov, 00:30", "Fr 27. Nov, 00:30"},
		{now.AddDate(-1, -8, 0), "Monday, 24 March", "24 Mar 2025, 00:30", "24. Mär 2025, 00:30"},
	} {
		if got := (Speech{Tag: English}).Day(c.at, now); got != c.day {
			t.Errorf("%s: %q, want %q", c.at, got, c.day)
		}
		if got := (Speech{Tag: English}).Moment(c.at, now); got != c.moment {
			t.Errorf("%s: %q, want %q", c.at, got, c.moment)
		}
		day := strings.TrimSuffix(c.momentD[:len(c.momentD)-len(" 00:00")], ",")
		if got := (Speech{Tag: "de"}).ShortDay(c.at, now); got != day {
			t.Errorf("%s: %q, want %q", c.at, got, day)
		}
		if got := (Speech{Tag: "de"}).Moment(c.at, now); got != c.momentD {
			t.Errorf("%s: %q, want %q", c.at, got, c.momentD)
		}
	}
	if got := (Speech{Tag: "de"}).Month(now); got != "November 2026" {
		t.Error(got)
	}
}
