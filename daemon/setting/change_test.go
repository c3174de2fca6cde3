package setting_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/daemon/setting"
)

// TestAChangeTouchesItsPlaceAlone shows where a change goes, in every way that
// people write a file.
func TestAChangeTouchesItsPlaceAlone(t *testing.T) {
	for _, c := range []struct{ name, before, key, value, after string }{
		{"a value", "# a\nhold = 'none' # b\nwave = 5\n", "hold", `"all"`, "# a\nhold = \"all\" # b\nwave = 5\n"},
		{"without spaces", "hold='none'#b", "hold", `"all"`, "hold=\"all\"#b"},
		{"a text over lines", "[replay]\ngrace = '''\n1s'''\n# x\n", "replay.grace", `"2s"`, "[replay]\ngrace = \"2s\"\n# x\n"},
		{"a list", "hold = [\n 1, # one\n] # b\n", "hold", `"all"`, "hold = \"all\" # b\n"},
		{"a dotted key", "replay . grace = '1s'\n", "replay.grace", `"2s"`, "replay . grace = \"2s\"\n"},
		{"a quoted key", "[\"replay\"]\n'grace' = '1s'\n", "replay.grace", `"2s"`, "[\"replay\"]\n'grace' = \"2s\"\n"},
		{"in a table in one line", "replay = { rate = 1, grace = '1s' }\n", "replay.grace", `"2s"`, ""},

		{"in an empty file", "", "hold", `"all"`, "hold = \"all\"\n"},
		{"behind its table's last", "[replay]\n  rate = 1 # one\n\n[kodi]\n", "replay.grace", `"2s"`, "[replay]\n  rate = 1 # one\n  grace = \"2s\"\n\n[kodi]\n"},
		{"in an empty table", "[replay] # r\n# g\n[kodi]\n", "replay.grace", `"2s"`, "[replay] # r\ngrace = \"2s\"\n# g\n[kodi]\n"},
		{"beside a dotted key", "replay.rate = 1\n[kodi]\n", "replay.grace", `"2s"`, "replay.rate = 1\nreplay.grace = \"2s\"\n[kodi]\n"},
		{"beside a dotted key in a table", "[kodi]\nclasses.live = 'hold'\n", "kodi.classes.bulk", `"send"`, "[kodi]\nclasses.live = 'hold'\nclasses.bulk = \"send\"\n"},
		{"in a new table", "hold = 'all'\n", "kodi.classes.live", `"hold"`, "hold = 'all'\n\n[kodi.classes]\nlive = \"hold\"\n"},
		{
			"in a new table above others", "[kodi.classes]\nlive = 'hold'\n[[kodi.libraries]]\nuserdata = '/k'", "kodi.announcements", "false",
			"[kodi.classes]\nlive = 'hold'\n[[kodi.libraries]]\nuserdata = '/k'\n\n[kodi]\nannouncements = false\n",
		},
		{"before all tables", "# mine\n\n# r\n[replay]\nrate = 1\n", "hold", `"all"`, "# mine\n\n# r\nhold = \"all\"\n[replay]\nrate = 1\n"},
		{"before tables that are comments", "# hold = 'none'\n\n# [replay]\n# rate = 1\n", "hold", `"all"`, "# hold = 'none'\nhold = \"all\"\n\n# [replay]\n# rate = 1\n"},
		{"with Windows' ends of lines", "hold = 'all'\r\n", "replay.grace", `"2s"`, "hold = 'all'\r\n\r\n[replay]\r\ngrace = \"2s\"\r\n"},
		{"behind a mark", "\xef\xbb\xbf[replay]\nrate = 1\n", "hold", `"all"`, "\xef\xbb\xbfhold = \"all\"\n[replay]\nrate = 1\n"},
		{"behind a mark alone", "\xef\xbb\xbf", "replay.rate", "1", "\xef\xbb\xbf[replay]\nrate = 1\n"},
	} {
		got, err := setting.Put([]byte(c.before), c.key, c.value)
		if c.after == "" {
			if !errors.Is(err, setting.ErrByHand) {
				t.Errorf("%s: %v, %q", c.name, err, got)
			}
			continue
		}
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v\n%s", c.name, err, cmp.Diff(c.after, string(got)))
		}
	}
}

func TestWhatIsTakenOutLeavesTheRest(t *testing.T) {
	for _, c := range []struct{ name, before, key, after string }{
		{"a line", "hold = 'all'\nwave = 5\n", "hold", "wave = 5\n"},
		{"all but its comment", "  hold = 'all' # why\r\nwave = 5\r\n", "hold", "# why\r\nwave = 5\r\n"},
		{"the last line", "wave = 5\nhold = 'all'", "hold", "wave = 5\n"},
		{"behind a mark", "\xef\xbb\xbfhold = 'all'\n", "hold", "\xef\xbb\xbf"},
		{"what is not there", "wave = 5\n", "replay.grace", "wave = 5\n"},
		{"one over lines", "[replay]\ngrace = '''\n1s'''\nrate = 1\n", "replay.grace", "[replay]\nrate = 1\n"},
	} {
		got, err := setting.Drop([]byte(c.before), c.key)
		if err != nil || string(got) != c.after {
			t.Errorf("%s: %v\n%s", c.name, err, cmp.Diff(c.after, string(got)))
		}
	}
	if got, err := setting.Drop([]byte("replay = { grace = '1s', rate = 1 }"), "replay.grace"); !errors.Is(err, setting.ErrByHand) {
		t.Errorf("of a table in one line: %v, %q", err, got)
	}
}

func TestTablesOfAnArrayComeAndGo(t *testing.T) {
	const first = "hold = 'all'\n\n[[kodi.libraries]] # living room\nuserdata = '/a'\naccount = [\n 'x',\n]\n# end\n"
	two, err := setting.Append([]byte(first), "kodi.libraries", "userdata", `"/b"`)
	if want := first + "\n[[kodi.libraries]]\nuserdata = \"/b\"\n"; err != nil || string(two) != want {
		t.Errorf("appended: %v\n%s", err, cmp.Diff(want, string(two)))
	}
	one, err := setting.Remove(two, "kodi.libraries", 0)
	if want := "hold = 'all'\n\n# living room\n# end\n\n[[kodi.libraries]]\nuserdata = \"/b\"\n"; err != nil || string(one) != want {
		t.Errorf("removed: %v\n%s", err, cmp.Diff(want, string(one)))
	}
	if got, err := setting.Remove(one, "kodi.libraries", 1); !errors.Is(err, setting.ErrByHand) {
		t.Errorf("one that is not there: %v, %q", err, got)
	}
	for _, text := range []string{"[kodi]\nlibraries = [{ userdata = '/a' }]\n", "kodi = { announcements = true }\n"} {
		if got, err := setting.Append([]byte(text), "kodi.libraries", "userdata", `"/b"`); !errors.Is(err, setting.ErrByHand) {
			t.Errorf("beside %q: %v, %q", text, err, got)
		}
	}
}

// leaves are the values of a text by their names.
func leaves(t interface{ Fatalf(string, ...any) }, text string) map[string]any {
	var tree map[string]any
	if err := toml.Unmarshal([]byte(strings.TrimPrefix(text, setting.BOM)), &tree); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	all := map[string]any{}
	var gather func(name string, v any)
	gather = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for n, below := range v {
				gather(name+"/"+n, below)
			}
		case []any:
			for i, below := range v {
				gather(fmt.Sprintf("%s/%d", name, i), below)
			}
		default:
			all[name] = v
		}
	}
	gather("", tree)
	return all
}

// written draws a file as people write them. Each comment and each line of a
// value is unique. The tables' names are "a", "b" and "b.c", and so are dotted keys.
func written(t *rapid.T) string {
	line, comments := 0, rapid.SampledFrom([]string{"", " # c%d", "#[c%d]"})
	var text []string
	put := func(format string, args ...any) {
		line++
		end := comments.Draw(t, "comment")
		if end != "" {
			end = fmt.Sprintf(end, line)
		}
		text = append(text, rapid.SampledFrom([]string{"", "  ", "\t"}).Draw(t, "indent")+fmt.Sprintf(format, args...)+end)
	}
	value := rapid.SampledFrom([]string{"%d", `"v%d # ]"`, "'v%d'", "[%d, 2]", "[ # n%[1]d\n %[1]d, ]", "\"\"\"[q%[1]d]\nx = %[1]d\"\"\"", "1979-05-27T07:32:%02dZ", "{ x = %d, z = 1 }"})
	body := func(most int) {
		keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "'x y'", "z", "d.x", "d . y", "e.f.x"}), 0, most, rapid.ID[string]).Draw(t, "keys")
		for _, key := range keys {
			line++
			put("%s = %s", key, fmt.Sprintf(value.Draw(t, "value"), line%50+10))
			for range rapid.IntRange(0, 2).Draw(t, "between") {
				put("%s", rapid.SampledFrom([]string{"", "# between"}).Draw(t, "nothing"))
			}
		}
	}
	if rapid.Bool().Draw(t, "head") {
		put("# head")
		put("")
	}
	body(4)
	for _, table := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"[a]", "[b]", "[ b . c ]", "[[l]]", "[[m.l]]", "[[l]] "}), 0, 5, rapid.ID[string]).Draw(t, "tables") {
		put("%s", table)
		body(3)
	}
	nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	all := strings.Join(strings.Split(strings.Join(text, "\n"), "\n"), nl)
	if rapid.Bool().Draw(t, "ended") && all != "" {
		all += nl
	}
	return rapid.SampledFrom([]string{"", setting.BOM}).Draw(t, "mark") + all
}

// left is what of the old lines, in their order, is not in the new text.
func left(old, changed string) (gone []string) {
	lines := func(text string) []string {
		return strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, setting.BOM), "\r\n", "\n"), "\n")
	}
	rest := lines(changed)
	for _, line := range lines(old) {
		if i := slices.Index(rest, line); i >= 0 {
			rest = rest[i+1:]
		} else {
			gone = append(gone, line)
		}
	}
	return gone
}

func keys(t *rapid.T) string {
	return rapid.SampledFrom([]string{"x", "y", "new", "a.x", "a.new", "b.c.x", "b.c.new", "d.x", "d.new", "a.d.y", "a.d.new", "n.x", "e.f.y"}).Draw(t, "key")
}

// TestEveryOtherLineStays: whatever the file looks like, a change keeps every line,
// every comment and every value but its own.
func TestEveryOtherLineStays(t *testing.T) {
	done, byHand := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		old, key := written(t), keys(t)
		var tree map[string]any
		if toml.Unmarshal([]byte(strings.TrimPrefix(old, setting.BOM)), &tree) != nil {
			return // no TOML
		}
		before, path := leaves(t, old), "/"+strings.ReplaceAll(key, ".", "/")
		got, err := setting.Put([]byte(old), key, `"NEW"`)
		if errors.Is(err, setting.ErrByHand) {
			byHand++
			return
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, old)
		}
		done++
		want, was := maps.Clone(before), 0
		maps.DeleteFunc(want, func(name string, _ any) bool { return strings.HasPrefix(name, path+"/") })
		want[path] = "NEW"
		if after := leaves(t, string(got)); !reflect.DeepEqual(after, want) {
			t.Fatalf("%s", cmp.Diff(want, after))
		}
		for name := range before {
			if name == path || strings.HasPrefix(name, path+"/") {
				was = 1
			}
		}
		gone := left(old, string(got))
		if was == 0 && len(gone) > 0 {
			t.Fatalf("gone: %q\nof\n%s\nin\n%s", gone, old, got)
		}
		if was > 0 && len(gone) > 2 { // the longest value has two
			t.Fatalf("gone: %q\nof\n%s\nin\n%s", gone, old, got)
		}
		for word := range strings.FieldsSeq(old) {
			if _, comment, ok := strings.Cut(word, "#"); ok && strings.HasPrefix(comment, "c") && !strings.Contains(string(got), comment) {
				t.Fatalf("the comment %q is gone\nof\n%s\nin\n%s", comment, old, got)
			}
		}
		if strings.HasPrefix(old, setting.BOM) != strings.HasPrefix(string(got), setting.BOM) {
			t.Fatalf("the mark changed: %q", got)
		}
		if strings.Contains(old, "\n") && strings.Contains(string(got), "\n") && strings.Contains(old, "\r\n") != strings.Contains(string(got), "\r\n") {
			t.Fatalf("the ends of lines changed: %q", got) // one long value may have had them all
		}
		away, err := setting.Drop(got, key)
		if err != nil {
			t.Fatalf("taken out again: %v\n%s", err, got)
		}
		delete(want, path)
		if after := leaves(t, string(away)); !reflect.DeepEqual(after, want) {
			t.Fatalf("%s", cmp.Diff(want, after))
		}
		if was == 0 && len(left(old, string(away))) > 0 {
			t.Fatalf("gone: %q", left(old, string(away)))
		}
	})
	if done < 2*byHand {
		t.Errorf("%d changed, %d were left to be done by hand", done, byHand)
	}
}

// FuzzChange: no text makes a change fail but by an error, and what is changed says
// what was asked for.
func FuzzChange(f *testing.F) {
	for _, text := range []string{"", "a.x = 1\n", "[a]\nx = 1 # c\n[[l]]\nx = 1\n", "\xef\xbb\xbf[ 'a' . \"b\" ]\r\nx = '''\r\n'''", "a = { x = [ 1,\n2 ] }"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, err := setting.Put(text, "a.x", "5"); err == nil && leaves(t, string(got))["/a/x"] != int64(5) {
			t.Errorf("put: %q", got)
		}
		if got, err := setting.Drop(text, "a.x"); err == nil && leaves(t, string(got))["/a/x"] != nil {
			t.Errorf("dropped: %q", got)
		}
		if got, err := setting.Append(text, "l", "x", "5"); err == nil && !slices.Contains(slices.Collect(maps.Values(leaves(t, string(got)))), any(int64(5))) {
			t.Errorf("appended: %q", got)
		}
		_, _ = setting.Remove(text, "l", 0)
		setting.Lines(text)
	})
}
