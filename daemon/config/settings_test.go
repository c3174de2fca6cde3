package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/viewing"
)

// mustSet applies a valid change.
func mustSet(t *testing.T, s Source, key string, value any) {
	t.Helper()
	ch, err := s.Set(key, value)
	if err == nil {
		err = ch.Write()
	}
	if err != nil {
		t.Fatalf("%s = %v: %v", key, value, err)
	}
}

func settingOf(t *testing.T, s Source, key string) Setting {
	t.Helper()
	c, err := s.Load()
	must(t, err)
	all := c.Settings()
	i := slices.IndexFunc(all, func(one Setting) bool { return one.Key == key })
	if i < 0 {
		t.Fatalf("there is no setting %s", key)
	}
	return all[i]
}

// Every setting accepts all allowed values and no others, and has its texts in every language.
func TestEverySettingCanBeChanged(t *testing.T) {
	s := source(t, "")
	for _, one := range Default().Settings() {
		good, bad := []any{true, "false"}, []any{"maybe", ""}
		switch one.Type {
		case Word:
			good, bad = nil, []any{"none at all", 7.0}
			for _, word := range one.Allowed {
				good = append(good, word)
			}
		case Number:
			good, bad = []any{0.0, one.Max, " 7 "}, []any{-1.0, one.Max + 1, 1.5, "x", "0x10", ""}
		case Decimal:
			good, bad = []any{0.0, one.Max, "1.5", "007"}, []any{-1.0, one.Max + 1, "NaN", "inf", "x"}
		case Text:
			good, bad = []any{"", "https://ntfy.example/a\"b\\c"}, []any{"no hours, and no address", 7.0}
		case TimeSpan:
			good, bad = []any{"0s", "1h30m", "24h"}, []any{"24h1s", "-1s", 10.0, "soon", ""}
		}
		for _, value := range good {
			mustSet(t, s, one.Key, value)
			if now := settingOf(t, s, one.Key); now.From != s.Paths.Settings() || now.Fixed {
				t.Errorf("%s = %v is told as %+v", one.Key, value, now)
			}
		}
		for _, value := range bad {
			if _, err := s.Set(one.Key, value); !errors.Is(err, ErrInvalid) || !strings.Contains(errorText(err), one.Key) {
				t.Errorf("%s = %v: %v", one.Key, value, err)
			}
		}
		mustSet(t, s, one.Key, nil)
		if diff := cmp.Diff(one, settingOf(t, s, one.Key), cmpopts.IgnoreUnexported(Setting{})); diff != "" {
			t.Errorf("its default again: %s", diff)
		}
		for _, language := range []string{"en", "de"} {
			words := append([]string{"settings.key." + one.Key, "settings.about." + one.Key}, one.Allowed...)
			for i, word := range words {
				if i > 1 {
					word = "settings.word." + word
				}
				if !locale.In(language).Has(word) {
					t.Errorf("%s has no text %s", language, word)
				}
			}
		}
	}
	for value, want := range map[string]string{"90s": "1m30s", "0.5h": "30m"} {
		mustSet(t, s, "replay.grace", value)
		if now := settingOf(t, s, "replay.grace"); now.Value.(Duration).String() != want {
			t.Errorf("%s is %v", value, now.Value)
		}
	}
	mustSet(t, s, "burst", "7")
	if now := settingOf(t, s, "replay.grace"); now.From == "default" {
		t.Error("a second change took the first one back")
	}
	if text, err := os.ReadFile(s.Paths.File); err != nil || len(text) > 0 {
		t.Errorf("the file of the person was changed: %q %v", text, err)
	}
	if info, err := os.Stat(s.Paths.Settings()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("settings.toml: %v %v", info, err)
	}
}

// A refused change does not modify the file.
func TestRefusedChangeKeepsTheFile(t *testing.T) {
	s := source(t, "\xef\xbb\xbf# mine\r\nhold = 'all'\r\n[replay]\r\nrate = 2\r\n")
	mustSet(t, s, "burst", 7)
	before, err := os.ReadFile(s.Paths.Settings())
	must(t, err)
	s.Flags.LogLevel = "debug"
	for key, want := range map[string]struct {
		err  error
		told string
	}{
		"listen":      {ErrUnknown, "cannot be changed here: listen"},
		"hold.x":      {ErrUnknown, "hold.x"},
		"burst":       {ErrInvalid, `"everything" is not a whole number`},
		"hold":        {ErrFixed, "hold is set in " + s.Paths.File + ":2, which wins"},
		"replay.rate": {ErrFixed, s.Paths.File + ":4"},
		"log_level":   {ErrFixed, "--log-level"},
	} {
		for _, value := range []any{"everything", nil} {
			if key == "burst" && value == nil {
				continue
			}
			if _, err := s.Set(key, value); !errors.Is(err, want.err) || !strings.Contains(errorText(err), want.told) {
				t.Errorf("%s: %v", key, errorText(err))
			}
		}
	}
	for key, want := range map[string]string{"grace": "did you mean: replay.grace", "hlod": "did you mean: hold", "colour": "here you can change hold, burst"} {
		_, err := s.Set(key, "1m")
		var r *viewing.Refusal
		if !errors.As(err, &r) || !strings.Contains(locale.In("").Message(r.Hint), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if ch, err := s.Set("burst", 7); err != nil || ch.Changed {
		t.Errorf("the same again: %v, %v", ch.Changed, err)
	}
	must(t, os.WriteFile(s.Paths.File, []byte("colour = 'red'\n"), 0o600))
	if _, err := s.Set("hold", "none"); !errors.Is(err, ErrInvalid) || !strings.Contains(errorText(err), "colour") {
		t.Errorf("a file with another fault: %v", err)
	}
	if after, err := os.ReadFile(s.Paths.Settings()); err != nil || string(after) != string(before) {
		t.Errorf("%v: %q", err, after)
	}
	if names, err := filepath.Glob(filepath.Join(s.Paths.State, "*")); err != nil || len(names) != 2 {
		t.Errorf("left behind: %v %v", names, err)
	}
}

// Unknown settings in settings.toml are kept, because a later version may have written them.
// Invalid TOML is an error that names the file.
func TestUnknownSettingsAreKept(t *testing.T) {
	s := source(t, "")
	write := func(text string) {
		must(t, os.WriteFile(s.Paths.Settings(), []byte(text), 0o600))
	}
	write("colour = 'red'\n")
	mustSet(t, s, "burst", 7)
	if text, err := os.ReadFile(s.Paths.Settings()); err != nil || !strings.Contains(string(text), "colour = 'red'") {
		t.Errorf("%v: %q", err, text)
	}
	write("burst = \n")
	if _, err := s.Load(); !errors.Is(err, ErrInvalid) || !strings.Contains(errorText(err), s.Paths.Settings()) {
		t.Errorf("no TOML: %v", err)
	}
}

func TestLibrariesAreAddedAndRemoved(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	s := source(t, "[[kodi.libraries]]\nuserdata = '"+path("mine")+"'\n")
	var want []string
	for _, name := range []string{"mine", "a", `b"c`, `d\e'f`, "g\th"} {
		want = append(want, path(name))
		if name == "mine" {
			continue
		}
		ch, err := s.AddLibrary(path(name))
		if err == nil {
			err = ch.Write()
		}
		must(t, err)
	}
	c, err := s.Load()
	if diff := cmp.Diff(want, c.Folders()); err != nil || diff != "" {
		t.Fatalf("%v: %s", err, diff)
	}
	if _, err := s.AddLibrary(path("a") + "/"); !errors.Is(err, ErrInvalid) {
		t.Errorf("a is watched, and was added: %v", err)
	}
	for name, want := range map[string]error{"mine": ErrFixed, "none": fs.ErrNotExist} {
		if _, err := s.NameLibrary(path(name), "living room"); !errors.Is(err, want) {
			t.Errorf("named %s: %v", name, err)
		}
	}
	if _, err := s.NameLibrary(path("a"), "a\nb"); !errors.Is(err, ErrInvalid) {
		t.Errorf("a has a name of two lines: %v", err)
	}
	for _, name := range []string{"living room", "Küche (2)"} {
		ch, err := s.NameLibrary(path("a"), name)
		if err == nil {
			err = ch.Write()
		}
		if err != nil || ch.After.LibraryName(path("a")+"/") != name || ch.After.LibraryName(path("mine")) != "" {
			t.Errorf("a is named %q, %v", ch.After.LibraryName(path("a")), err)
		}
	}
	if _, err := s.RemoveLibrary(path("mine") + "/"); !errors.Is(err, ErrFixed) || !strings.Contains(errorText(err), s.Paths.File+":2") {
		t.Errorf("one of config.toml: %v", errorText(err))
	}
	must(t, os.WriteFile(s.Paths.File, []byte("[[kodi.libraries]]\nuserdata = '"+path("a")+"'\n"), 0o600))
	if c, err := s.Load(); err != nil || !slices.Equal(c.Folders(), want[1:]) {
		t.Errorf("one that both files have: %v %v", c.Folders(), err)
	}
	must(t, os.WriteFile(s.Paths.File, nil, 0o600))
	for _, folder := range want[1:] {
		ch, err := s.RemoveLibrary(folder + "/")
		if err == nil {
			err = ch.Write()
		}
		if err != nil {
			t.Errorf("%s: %v", folder, err)
		}
	}
	if text, err := os.ReadFile(s.Paths.Settings()); err != nil || string(text) != opening {
		t.Errorf("%v: %q", err, text)
	}
	if _, err := s.RemoveLibrary(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not watched: %v", err)
	}
}

func TestIgnoreUntitled(t *testing.T) {
	s := source(t, "")
	for i, c := range []struct {
		site   string
		ignore bool
		want   []string
	}{
		{" Films.example", true, []string{"films.example"}},
		{"films.example", true, []string{"films.example"}},
		{"b.example", true, []string{"films.example", "b.example"}},
		{"", true, []string{"films.example", "b.example"}},
		{"films.EXAMPLE", false, []string{"b.example"}},
		{"c.example", false, []string{"b.example"}},
		{"b.example", false, nil},
	} {
		ch, err := s.IgnoreUntitled(c.site, c.ignore)
		if err == nil {
			err = ch.Write()
		}
		if now, wrong := s.Load(); err != nil || wrong != nil || !slices.Equal(now.IgnoreUntitled, c.want) {
			t.Errorf("%d: %v %v %v", i, now.IgnoreUntitled, err, wrong)
		}
	}
	if _, err := s.IgnoreUntitled("https://films.example/x", true); !errors.Is(err, ErrInvalid) {
		t.Errorf("no host name: %v", err)
	}
	if _, err := source(t, "ignore_untitled = ['a.example']\n").IgnoreUntitled("a.example", false); !errors.Is(err, ErrFixed) {
		t.Errorf("one of config.toml: %v", err)
	}
}
