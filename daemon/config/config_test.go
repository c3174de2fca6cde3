package config

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	english "github.com/filmspool/filmspool/daemon/locale"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

// env is an environment made of pairs.
// told is an error as a person reads it.
func told(err error) string { return english.In("").Error(err) }

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// write puts text into a file of its own.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEachSourceIsStrongerThanTheOneBefore(t *testing.T) {
	file := write(t, `listen = "127.0.0.1:1001"`)
	cases := []struct {
		env            func(string) string
		flags          Overrides
		listen, origin string
	}{
		{env(), Overrides{}, "127.0.0.1:1001", file},
		{env("FILMSPOOL_LISTEN", "127.0.0.1:1002"), Overrides{}, "127.0.0.1:1002", "FILMSPOOL_LISTEN"},
		{env("FILMSPOOL_LISTEN", "127.0.0.1:1002"), Overrides{Listen: "[::1]:1003"}, "[::1]:1003", "--listen"},
	}
	for _, c := range cases {
		got, err := Load(file, true, c.env, c.flags)
		if err != nil || got.Listen != c.listen || got.Origin("listen") != c.origin {
			t.Errorf("listen %q from %q (%v), want %q from %q", got.Listen, got.Origin("listen"), err, c.listen, c.origin)
		}
		if got.Origin("in_doubt") != "default" {
			t.Errorf("in_doubt comes from %q", got.Origin("in_doubt"))
		}
	}
}

func TestFaultsAreNamedAllAtOnce(t *testing.T) {
	file := write(t, `
listen = "0.0.0.0:43456"
log_level = "loud"
in_doubt = "guess"
[accounts.Main]
base_url = "https://tracker.example"
[[kodi.libraries]]
userdata = "kodi"
account = "nobody"
time_zone = "Mars/Base"
`)
	_, err := Load(file, true, env(), Overrides{})
	if !errors.Is(err, ErrInvalid) {
		t.Fatalf("%v does not wrap ErrInvalid", err)
	}
	for _, want := range []string{
		"listen:", "other machines", "log_level:", "in_doubt:", "accounts.Main:", "accounts.Main.base_url:",
		"kodi.libraries[0].userdata:", "kodi.libraries[0].account:", "kodi.libraries[0].time_zone:",
	} {
		if !strings.Contains(told(err), want) {
			t.Errorf("%q is not named in:\n%v", want, err)
		}
	}
}

func TestUnknownAndBrokenSettingsAreShownWithTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"listen = \"127.0.0.1:1\"\nbase_ulr = \"x\"": "2| base_ulr",
		"listen = 7":         "line 1",
		"listen = \"127.0.0": "line 1",
	} {
		_, err := Load(write(t, text), true, env(), Overrides{})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(told(err), want) {
			t.Errorf("%q: %v does not show %q", text, err, want)
		}
	}
}

func TestMissingFileMattersOnlyWhenNamed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.toml")
	if _, err := Load(missing, false, env(), Overrides{}); err != nil {
		t.Errorf("without a file: %v", err)
	}
	if _, err := Load(missing, true, env(), Overrides{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a file named but missing: %v", err)
	}
}

func TestPathsFollowFlagEnvironmentAndSystemd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the places named here are Linux's")
	}
	t.Setenv("XDG_CONFIG_HOME", "/home/kim/.config")
	cases := []struct {
		choice               Choice
		env                  func(string) string
		state, file, control string
	}{
		{
			Choice{},
			env("HOME", "/home/kim"), "/home/kim/.local/state/filmspool",
			"/home/kim/.config/filmspool/config.toml", "/home/kim/.local/state/filmspool/control.sock",
		},
		{Choice{System: true}, env(), "/var/lib/filmspool", "/etc/filmspool/config.toml", "/run/filmspool/control.sock"},
		{
			Choice{},
			env("STATE_DIRECTORY", "/var/lib/private/filmspool:/x", "RUNTIME_DIRECTORY", "/run/filmspool", "CONFIGURATION_DIRECTORY", "/etc/filmspool"),
			"/var/lib/private/filmspool", "/etc/filmspool/config.toml", "/run/filmspool/control.sock",
		},
		{Choice{StateDir: "/a", Config: "/b.toml"}, env("FILMSPOOL_STATE_DIR", "/c"), "/a", "/b.toml", "/a/control.sock"},
	}
	for _, c := range cases {
		p, err := FindPaths(c.choice, c.env)
		if err != nil || p.State != c.state || p.File != c.file || p.Control != c.control {
			t.Errorf("%+v: %+v, %v", c.choice, p, err)
		}
	}
}

// A state folder counts as named when a person typed it, and it is not their own place.
func TestNamedState(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the places named here are Linux's")
	}
	t.Setenv("XDG_CONFIG_HOME", "/home/kim/.config")
	usual := "/home/kim/.local/state/filmspool"
	for _, c := range []struct {
		flag string
		env  []string
		want bool
	}{
		{"", []string{"HOME", "/home/kim"}, false},
		{"/a", []string{"HOME", "/home/kim"}, true},
		{"a", []string{"HOME", "/home/kim"}, true},
		{"", []string{"HOME", "/home/kim", "FILMSPOOL_STATE_DIR", "/a"}, false}, // as an image or an add-on has it
		{"/a", []string{"HOME", "/home/kim", "FILMSPOOL_STATE_DIR", "/a"}, true},
		{usual + "/", []string{"HOME", "/home/kim"}, false},
		{"", []string{"HOME", "/home/kim", "STATE_DIRECTORY", "/a"}, false},
		{"/a", nil, true},
	} {
		if p, err := FindPaths(Choice{StateDir: c.flag}, env(c.env...)); err != nil || p.Named != c.want {
			t.Errorf("%q, %q: named %v, %v", c.flag, c.env, p.Named, err)
		}
	}
}

func TestKeysComeFromTheStrongestSource(t *testing.T) {
	dir, credentials := t.TempDir(), t.TempDir()
	k := Keys{Dir: dir, Getenv: env("FILMSPOOL_KEY", "sk_env")}
	find := func() Credential {
		t.Helper()
		c, err := k.Find(viewing.DefaultAccount, Account{}, "config.toml")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := find(); c.Key.Reveal() != "sk_env" || c.KeySource != "FILMSPOOL_KEY" {
		t.Errorf("environment: %q from %q", c.Key.Reveal(), c.KeySource)
	}
	saved := Credential{Account: viewing.DefaultAccount, BaseURL: "https://tracker.example/api/v1", Key: NewSecret("sk_file\n"), ProvenFor: "https://tracker.example:443"}
	if err := k.Save(saved); err != nil {
		t.Fatal(err)
	}
	if c := find(); c.Key.Reveal() != "sk_file" || c.KeySource != "key file" || c.URLSource != "login" {
		t.Errorf("key file: %q from %q, address from %q", c.Key.Reveal(), c.KeySource, c.URLSource)
	}
	if err := os.WriteFile(filepath.Join(credentials, "api-key"), []byte("sk_cred\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k.Getenv = env("CREDENTIALS_DIRECTORY", credentials)
	if c := find(); c.Key.Reveal() != "sk_cred" || c.KeySource != "systemd credential" {
		t.Errorf("credential: %q from %q", c.Key.Reveal(), c.KeySource)
	}
}

func TestAKeyStaysWithTheAddressItWasGivenFor(t *testing.T) {
	k := Keys{Dir: t.TempDir(), Getenv: env()}
	saved := Credential{Account: "a", BaseURL: "https://tracker.example/api/v1", Key: NewSecret("sk_1"), ProvenFor: OriginOf("https://tracker.example/api/v1")}
	if err := k.Save(saved); err != nil {
		t.Fatal(err)
	}
	c, err := k.Find("a", Account{BaseURL: "https://other.example/api/v1"}, "config.toml")
	if err != nil || !c.Key.IsZero() || c.KeyProblem.Args["to"] != "https://other.example:443" {
		t.Errorf("another address got the key: %+v, %v", c, err)
	}
	if c, _ := k.Find("a", Account{BaseURL: "https://TRACKER.example:443/api/v1"}, ""); c.Key.IsZero() {
		t.Errorf("the same address, written otherwise, did not get the key: %s", c.KeyProblem)
	}
}

func TestAKeyFileThatOthersCanReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps others out by access lists")
	}
	k := Keys{Dir: t.TempDir(), Getenv: env()}
	if err := k.Save(Credential{Account: "a", Key: NewSecret("sk_1")}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(k.file("a"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Find("a", Account{}, ""); !errors.Is(err, ErrInvalid) || !strings.Contains(told(err), "chmod 600") {
		t.Errorf("got %v", err)
	}
}

func TestSecretShowsItselfNowhere(t *testing.T) {
	s := NewSecret("sk_hidden")
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", s, "in", Credential{Key: s}, "pointer", &s)
	for _, text := range []string{fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s %q", s, Credential{Key: s}, s, s, s), log.String()} {
		if strings.Contains(text, "hidden") {
			t.Errorf("the secret shows in %s", text)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		"in_doubt = 3\nlisten = 4", "[[filters]]\nsite = 3", "[a.b]\nc = { d = [\n1]}", "a.b.c = 1", "\"a\" = 1", "= 1",
		"[[kodi.libraries]]\n[kodi.libraries.x]\ny = 1", "[kodi]\nlibraries = [\n1,\n2]",
	} {
		f.Add(text)
	}
	f.Add("listen = \"127.0.0.1:1\"\n[accounts.default]\nbase_url = \"https://x/api/v1/\"")
	f.Fuzz(func(t *testing.T, text string) {
		c := Default()
		if err := c.decode("config.toml", []byte(text)); err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%v does not wrap ErrInvalid", err)
			}
			return
		}
		c.complete()
		if c.Validate() == nil && checkListen(c.Listen) != nil {
			t.Errorf("%q was let through", c.Listen)
		}
	})
}

func TestXDGStateHomeMustBeAbsolute(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("it means nothing there")
	}
	if _, err := FindPaths(Choice{}, env("HOME", "/home/kim", "XDG_STATE_HOME", "state")); err == nil || !strings.Contains(told(err), "XDG_STATE_HOME") {
		t.Errorf("relative: %v", err)
	}
	if p, err := FindPaths(Choice{}, env("HOME", "/home/kim", "XDG_STATE_HOME", "/state")); err != nil || p.State != "/state/filmspool" {
		t.Errorf("absolute: %+v, %v", p, err)
	}
}

// TestRoutesNameOneAccountOrSeveral. With one account alone, no route is needed.
func TestRoutesNameOneAccountOrSeveral(t *testing.T) {
	root := t.TempDir()
	c, err := Load(write(t, fmt.Sprintf(`
[accounts.anna]
[accounts.ben]
[routes]
"browser:3f2a" = ["anna", "ben"]
cli = "ben"
[[kodi.libraries]]
userdata = %q
account = ["ben", "anna"]
[[kodi.libraries]]
userdata = %q
account = ""
`, filepath.Join(root, "userdata"), filepath.Join(root, "other"))), true, env(), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"browser:3f2a": {"anna", "ben"}, "cli": {"ben"}, "kodi:" + filepath.Join(root, "userdata"): {"ben", "anna"}}
	if diff := cmp.Diff(want, c.SourceRoutes()); diff != "" {
		t.Error(diff)
	}
	one, err := Load(write(t, "[accounts.anna]\n"), true, env(), Overrides{})
	if diff := cmp.Diff(map[string][]string{"": {"anna"}}, one.SourceRoutes()); err != nil || diff != "" {
		t.Error(err, diff)
	}
	_, err = Load(write(t, `
[accounts.anna]
[accounts.ben]
[routes]
browser = ["anna", "anna"]
kodi = []
program = 7
cli = ["anna", "bert"]
"kodi:/k" = ["anna", 7]
[[kodi.libraries]]
userdata = "/k"
account = ["bert"]
`), true, env(), Overrides{})
	const no = ": is not the name of an account, nor a list of different ones"
	for _, want := range []string{
		"routes.browser" + no + " (line 5)", "routes.kodi" + no + " (line 6)", "routes.program" + no + " (line 7)", `routes.cli: there is no account "bert" (line 8)`,
		"routes.kodi:/k" + no + " (line 9)", `kodi.libraries[0].account: there is no account "bert" (line 12)`,
	} {
		if err == nil || !strings.Contains(told(err), want) {
			t.Errorf("%q is not named in: %v", want, err)
		}
	}
}
