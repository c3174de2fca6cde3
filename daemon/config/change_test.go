package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/daemon/setting"
)

// source is the source of a file that says text.
func source(t *testing.T, text string) Source {
	return Source{File: write(t, text), Getenv: env()}
}

// mustSet makes a change that must be good.
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

func settingOf(t *testing.T, s Source, key string) setting.Setting {
	t.Helper()
	c, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range c.Settings() {
		if one.Key == key {
			return one
		}
	}
	t.Fatalf("there is no setting %s", key)
	return setting.Setting{}
}

// TestEverySettingCanBeChanged to all that it says it may be, and to no more, and is
// then what it was told.
func TestEverySettingCanBeChanged(t *testing.T) {
	s := source(t, "")
	for _, one := range Default().Settings() {
		good, bad := []any{true, "false"}, []any{"maybe", 1.0, ""}
		switch one.Type {
		case setting.Word:
			good, bad = nil, []any{"none at all", 7.0}
			for _, word := range one.Allowed {
				good = append(good, word)
			}
		case setting.Number:
			good, bad = []any{one.Min, one.Max, " 7 "}, []any{one.Min - 1, one.Max + 1, 1.5, "x", "0x10", ""}
		case setting.Decimal:
			good, bad = []any{one.Min, one.Max, "1.5", "007"}, []any{one.Min - 1, one.Max + 1, "NaN", "inf", "x"}
		case setting.Text:
			good, bad = []any{""}, []any{"no hours, and no address", 7.0}
		case setting.Duration:
			good, bad = []any{"0s", "1h30m", "24h"}, []any{"24h1s", "-1s", 10.0, "soon", ""}
		}
		for _, value := range good {
			mustSet(t, s, one.Key, value)
			if now := settingOf(t, s, one.Key); now.Line == 0 || now.From != s.File || now.Fixed {
				t.Errorf("%s = %v is told as %+v", one.Key, value, now)
			}
		}
		for _, value := range bad {
			if _, err := s.Set(one.Key, value); !errors.Is(err, ErrInvalid) || !strings.Contains(told(err), one.Key) {
				t.Errorf("%s = %v: %v", one.Key, value, err)
			}
		}
		mustSet(t, s, one.Key, nil)
		now := settingOf(t, s, one.Key)
		if diff := cmp.Diff(one, now); diff != "" {
			t.Errorf("taken out again: %s", diff)
		}
		if len(one.About) == 0 || !strings.HasSuffix(one.About, ".") {
			t.Errorf("%s is told of as %q", one.Key, one.About)
		}
	}
	mustSet(t, s, "replay.grace", "90s")
	if now := settingOf(t, s, "replay.grace"); now.Value != "1m30s" {
		t.Errorf("it is %v", now.Value)
	}
}

// TestTheExampleShowsWhatIsSafeToChange, with its default.
func TestTheExampleShowsWhatIsSafeToChange(t *testing.T) {
	plain := regexp.MustCompile(`(?m)^# (\[|[a-z_-]+ = )`).ReplaceAll(Example(), []byte("$1"))
	c, err := parse("example", regexp.MustCompile(`(?m)^account = .*|^mysql_user.*`).ReplaceAll(plain, nil), env(), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Settings() {
		if s.Line == 0 || s.Value != s.Default {
			t.Errorf("%s is %v in line %d, and %v by default", s.Key, s.Value, s.Line, s.Default)
		}
	}
}

func TestWhereAValueComesFromIsTold(t *testing.T) {
	s := source(t, "replay = { grace = '5m' }\nlog_level = 'warn'\n\n[kodi.classes]\nlive = 'hold'\n")
	s.Getenv = env("FILMSPOOL_LOG_LEVEL", "debug")
	for key, want := range map[string]setting.Setting{
		"replay.grace":      {From: s.File, Line: 1, Value: "5m0s", Default: "0s"},
		"replay.rate":       {From: "default", Value: 0.0, Default: 0.0},
		"kodi.classes.live": {From: s.File, Line: 5, Value: "hold", Default: "send"},
		"kodi.classes.bulk": {From: "default", Value: "hold", Default: "hold"},
		"log_level":         {From: "FILMSPOOL_LOG_LEVEL", Fixed: true, Value: "debug", Default: "info"},
		"wave":              {From: "default", Value: 5, Default: 5},
	} {
		got := settingOf(t, s, key)
		got = setting.Setting{From: got.From, Line: got.Line, Fixed: got.Fixed, Value: got.Value, Default: got.Default}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	if _, err := s.Set("log_level", "info"); !errors.Is(err, ErrFixed) || !strings.Contains(told(err), "FILMSPOOL_LOG_LEVEL") {
		t.Errorf("changed in the file: %v", err)
	}
	if _, err := s.Set("replay.grace", "1m"); !errors.Is(err, setting.ErrByHand) {
		t.Errorf("a table in one line: %v", err)
	}
}

// TestARefusedChangeChangesNothing, whatever is wrong.
func TestARefusedChangeChangesNothing(t *testing.T) {
	const text = "hold = 'all' # mine\n"
	s := source(t, text)
	for key, want := range map[string]error{"listen": ErrUnknown, "hlod": ErrUnknown, "hold.x": ErrUnknown, "hold": ErrInvalid} {
		if _, err := s.Set(key, "everything"); !errors.Is(err, want) {
			t.Errorf("%s: %v", key, err)
		}
	}
	ch, err := s.Set("hold", "none")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.File, []byte(text+"wave = 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ch.Write(); !errors.Is(err, ErrMeanwhile) {
		t.Errorf("what another one wrote: %v", err)
	}
	if got, err := os.ReadFile(s.File); err != nil || string(got) != text+"wave = 7\n" {
		t.Errorf("%v: %q", err, got)
	}
	if err := os.WriteFile(s.File, []byte(text+"colour = 'red'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set("hold", "none"); !errors.Is(err, ErrInvalid) || !strings.Contains(told(err), "colour") {
		t.Errorf("a file with another fault: %v", err)
	}
	if names, err := filepath.Glob(filepath.Join(filepath.Dir(s.File), "*")); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v %v", names, err)
	}
}

// TestAFileKeepsWhatItIs: its mode, the link that leads to it, and every byte.
func TestAFileKeepsWhatItIs(t *testing.T) {
	s := source(t, "\xef\xbb\xbf# mine\r\nhold = 'all'\r\n")
	real := s.File
	if runtime.GOOS != "windows" {
		if err := os.Chmod(real, 0o640); err != nil {
			t.Fatal(err)
		}
		s.File = filepath.Join(t.TempDir(), "link.toml")
		if err := os.Symlink(real, s.File); err != nil {
			t.Fatal(err)
		}
	}
	mustSet(t, s, "wave", 7)
	text, err := os.ReadFile(real)
	if err != nil || string(text) != "\xef\xbb\xbf# mine\r\nhold = 'all'\r\nwave = 7\r\n" {
		t.Errorf("%v: %q", err, text)
	}
	if info, err := os.Stat(real); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%v: %v", err, info.Mode())
	}
	if info, err := os.Lstat(s.File); err != nil || runtime.GOOS != "windows" && info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%v: the link is %v", err, info.Mode())
	}
}

// TestTheFirstChangeMakesTheFile, and what changes nothing makes none.
func TestTheFirstChangeMakesTheFile(t *testing.T) {
	s := Source{File: filepath.Join(t.TempDir(), "filmspool", "config.toml"), Getenv: env()}
	mustSet(t, s, "hold", nil)
	if _, err := os.Stat(s.File); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
	mustSet(t, s, "hold", "all")
	text, err := os.ReadFile(s.File)
	if err != nil || string(text) != opening+"hold = \"all\"\n" {
		t.Errorf("%v: %q", err, text)
	}
}

func TestLibrariesAreAddedAndRemoved(t *testing.T) {
	dir := t.TempDir()
	s := source(t, "# mine\n")
	for _, name := range []string{"a", `b"c`, `d\e'f`, "g\th"} {
		ch, err := s.AddLibrary(filepath.Join(dir, name))
		if err == nil {
			err = ch.Write()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := s.Load()
	if want := []string{filepath.Join(dir, "a"), filepath.Join(dir, `b"c`), filepath.Join(dir, `d\e'f`), filepath.Join(dir, "g\th")}; err != nil || cmp.Diff(want, c.Folders()) != "" {
		t.Fatalf("%v: %s", err, cmp.Diff(want, c.Folders()))
	}
	if _, err := s.AddLibrary(filepath.Join(dir, "a") + "/"); !errors.Is(err, ErrInvalid) {
		t.Errorf("one that is watched: %v", err)
	}
	for _, folder := range c.Folders() {
		ch, err := s.RemoveLibrary(folder + "/")
		if err == nil {
			err = ch.Write()
		}
		if err != nil {
			t.Errorf("%s: %v", folder, err)
		}
	}
	if text, err := os.ReadFile(s.File); err != nil || strings.TrimSpace(string(text)) != "# mine" || bytes.Contains(text, []byte("kodi")) {
		t.Errorf("%v: %q", err, text)
	}
	if _, err := s.RemoveLibrary(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not watched: %v", err)
	}
}
