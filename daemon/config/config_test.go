package config

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errorText returns an error as the user reads it.
func errorText(err error) string { return locale.In("").Error(err) }

// env returns an environment of names and values.
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

// source returns a Source with this config.toml.
func source(t *testing.T, text string) Source {
	t.Helper()
	dir := t.TempDir()
	s := Source{Paths: Paths{State: dir, File: filepath.Join(dir, "config.toml")}, Getenv: env()}
	must(t, os.WriteFile(s.Paths.File, []byte(text), 0o600))
	return s
}

// load loads this config.toml.
func load(t *testing.T, text string) (Config, error) {
	t.Helper()
	return source(t, text).Load()
}

func TestPrecedenceOfSources(t *testing.T) {
	s := source(t, "log_level = 'warn'\n\n[kodi.classes]\nlive = 'hold'\n[replay]\ngrace = '5m'\n")
	settings := opening + "log_level = 'error'\nburst = 7\n[replay]\ngrace = '1m'\nrate = 2.0\n"
	must(t, os.WriteFile(s.Paths.Settings(), []byte(settings), 0o600))
	file := s.Paths.File
	check := func(key string, value any, o Origin) {
		t.Helper()
		got := settingOf(t, s, key)
		if diff := cmp.Diff([]any{value, o}, []any{got.Value, Origin{got.From, got.Line, got.Fixed}}); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	check("hold", "none", Origin{From: "default"})
	check("burst", 7, Origin{From: s.Paths.Settings()})
	check("replay.rate", 2.0, Origin{From: s.Paths.Settings()})
	check("replay.grace", Duration{5 * time.Minute}, Origin{file, 6, true})
	check("kodi.classes.live", "hold", Origin{file, 4, true})
	check("kodi.classes.bulk", "hold", Origin{From: "default"})
	check("log_level", "warn", Origin{file, 1, true})
	s.Getenv = env("FILMSPOOL_LOG_LEVEL", "debug")
	check("log_level", "debug", Origin{"FILMSPOOL_LOG_LEVEL", 0, true})
	s.Flags.LogLevel = "info"
	check("log_level", "info", Origin{"--log-level", 0, true})

	c, err := s.Load()
	must(t, err)
	text, err := c.Annotated()
	for _, want := range []string{"# kodi.classes.live: " + file + ":4\n", "# log_level: --log-level\n", "\nburst = 7\n"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%q is not shown: %v\n%s", want, err, text)
		}
	}
	again, err := load(t, string(text))
	if err != nil || again.Kodi.Classes != c.Kodi.Classes || again.Replay != c.Replay {
		t.Errorf("what is shown cannot be read again: %v\n%s", err, text)
	}
}

// All errors are reported together, with their lines in config.toml.
func TestAllErrorsAreReported(t *testing.T) {
	_, err := load(t, `
listen = "0.0.0.0:43456"
log_level = "loud"
burst = 1001
[replay]
rate = nan
grace = "24h0m1s"
[accounts.Main]
base_url = "https://tracker.example"
key_header = "cookie"
[accounts.anna]
[routes]
browser = ["anna", "anna"]
kodi = []
cli = ["anna", "bert"]
phone = "anna"
[notices.webhook]
url = "http://ntfy.example/topic"
[resolve.tmdb]
base_url = "http://tmdb.example"
[kodi.classes]
bulk = "drop"
[[kodi.libraries]]
userdata = "kodi"
account = "nobody"
time_zone = "Mars/Base"
mysql_user = "../reader"
[[kodi.libraries]]
userdata = "/k"
[[kodi.libraries]]
userdata = "/k/"
`)
	if !errors.Is(err, ErrInvalid) {
		t.Fatalf("%v does not wrap ErrInvalid", err)
	}
	got := strings.Split(errorText(err), "\n")
	for i, line := range got {
		got[i] = strings.TrimPrefix(line, "bad configuration: ")
	}
	slices.Sort(got)
	const no = "is not the name of an account, nor a list of different ones"
	want := []string{
		`accounts.Main.base_url: this is not the address of a service: it must end in /api/v1 (line 9)`,
		`accounts.Main.key_header: "cookie" is not one of x-api-key, bearer (line 10)`,
		`accounts.Main: account name "Main" is not 1 to 32 lower-case letters, digits, - or _ (line 8)`,
		`burst: 1001 is not from 0 to 1000 (line 4)`,
		`kodi.classes.bulk: "drop" is not one of send, hold, ignore (line 22)`,
		`kodi.libraries[0].account: there is no account "nobody" (line 25)`,
		`kodi.libraries[0].mysql_user: "../reader" is not 1 to 80 letters, digits, - or _ (line 27)`,
		`kodi.libraries[0].time_zone: "Mars/Base" is not a zone such as Europe/Lisbon (line 26)`,
		`kodi.libraries[0].userdata: "kodi" is not an absolute folder (line 24)`,
		`kodi.libraries[2].userdata: "/k" is named twice (line 31)`,
		`listen: "0.0.0.0:43456" can be reached from other computers; use 127.0.0.1 or [::1] (line 2)`,
		`log_level: "loud" is not one of debug, info, warn, error (line 3)`,
		`notices.webhook.url: "http://ntfy.example/topic" does not begin with https:// (line 18)`,
		`replay.grace: 24h0m1s is not from 0 to 24h0m0s (line 7)`,
		`replay.rate: NaN is not from 0 to 1000 (line 6)`,
		`resolve.tmdb.base_url: "http://tmdb.example" does not begin with https:// (line 20)`,
		`routes.browser: ` + no + ` (line 13)`,
		`routes.cli: there is no account "bert" (line 15)`,
		`routes.kodi: ` + no + ` (line 14)`,
		`routes.phone: "phone" is not browser, program, kodi or cli, nor one of these with a name, such as kodi:/home/me/.kodi/userdata (line 16)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A syntax error is reported with its line and the message of the decoder.
func TestSyntaxErrorsHaveALine(t *testing.T) {
	for text, want := range map[string]string{
		"listen = \"127.0.0.1:1\"\nbase_ulr = \"x\"": "2| base_ulr",
		"[kodi.classes]\ncatch_up = 'hold'":          "2| catch_up",
		"burst = 1\nlisten = 7":                      "2| listen = 7",
		"listen = \"127.0.0":                         "1| listen",
		"[replay]\ngrace = 'soon'":                   "2| grace = 'soon'",
		"[replay]\ngrace = 10":                       "missing unit",
	} {
		s := source(t, text)
		_, err := s.Load()
		if !errors.Is(err, ErrInvalid) || !strings.Contains(errorText(err), want) || !strings.Contains(errorText(err), s.Paths.File) {
			t.Errorf("%q: %v does not show %q", text, errorText(err), want)
		}
	}
}

// A key in a wrong place of the configuration is not part of an error.
func TestKeysAreHiddenInErrors(t *testing.T) {
	for _, text := range []string{
		"[accounts.default]\nkey = 'sk_hidden'", "[accounts.default]\nkey_header = 'pk_hidden-1'",
		"[resolve.tmdb]\ntoken = 'eyJhbGciOi.hidden.x'", "log_level = 'sk_hidden", "[routes]\nsk_hidden = 'anna'",
	} {
		_, err := load(t, text)
		if !errors.Is(err, ErrInvalid) || strings.Contains(fmt.Sprint(viewing.MessagesOf(err), errorText(err)), "hidden") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestMissingFileMattersOnlyWhenNamed(t *testing.T) {
	s := Source{Paths: Paths{State: t.TempDir(), File: filepath.Join(t.TempDir(), "none.toml")}, Getenv: env()}
	if c, err := s.Load(); err != nil || c.Burst != Default().Burst {
		t.Errorf("without a file: %v", err)
	}
	s.Paths.Explicit = true
	if _, err := s.Load(); !errors.Is(err, ErrInvalid) {
		t.Errorf("a file named but missing: %v", err)
	}
}

// Paths come from flags, the environment, systemd or defaults. A state folder is Named only if a
// flag sets it to another than the default.
func TestPathsFollowFlagEnvironmentAndSystemd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the places named here are Linux's")
	}
	t.Setenv("XDG_CONFIG_HOME", "/home/kim/.config")
	const usual, file = "/home/kim/.local/state/filmspool", "/home/kim/.config/filmspool/config.toml"
	kim := []string{"HOME", "/home/kim"}
	for _, c := range []struct {
		choice               Choice
		env                  []string
		state, file, control string
		named                bool
	}{
		{Choice{}, kim, usual, file, usual + "/control.sock", false},
		{Choice{StateDir: usual + "/"}, kim, usual, file, usual + "/control.sock", false},
		{Choice{StateDir: "/a"}, kim, "/a", file, "/a/control.sock", true},
		{Choice{StateDir: "/a"}, nil, "/a", file, "/a/control.sock", true},
		{Choice{}, append(kim, "FILMSPOOL_STATE_DIR", "/a"), "/a", file, "/a/control.sock", false}, // as in a container image or an add-on
		{Choice{}, append(kim, "XDG_STATE_HOME", "/state"), "/state/filmspool", file, "/state/filmspool/control.sock", false},
		{Choice{System: true}, nil, "/var/lib/filmspool", "/etc/filmspool/config.toml", "/run/filmspool/control.sock", false},
		{
			Choice{},
			[]string{"STATE_DIRECTORY", "/var/lib/private/filmspool:/x", "RUNTIME_DIRECTORY", "/run/filmspool", "CONFIGURATION_DIRECTORY", "/etc/filmspool"},
			"/var/lib/private/filmspool", "/etc/filmspool/config.toml", "/run/filmspool/control.sock", false,
		},
		{Choice{StateDir: "/a", Config: "/b.toml"}, []string{"FILMSPOOL_STATE_DIR", "/c"}, "/a", "/b.toml", "/a/control.sock", true},
	} {
		p, err := FindPaths(c.choice, env(c.env...))
		if err != nil || p.State != c.state || p.File != c.file || p.Control != c.control || p.Named != c.named {
			t.Errorf("%+v %v: %+v, %v", c.choice, c.env, p, err)
		}
	}
	if _, err := FindPaths(Choice{}, env("HOME", "/home/kim", "XDG_STATE_HOME", "state")); err == nil || !strings.Contains(errorText(err), "XDG_STATE_HOME") {
		t.Errorf("a relative folder: %v", err)
	}
}

func TestPrecedenceOfKeySources(t *testing.T) {
	dir, credentials := t.TempDir(), t.TempDir()
	k := Keys{Dir: dir, Getenv: env("FILMSPOOL_KEY", "sk_env")}
	find := func() Credential {
		t.Helper()
		c, err := k.Find(viewing.DefaultAccount, Account{}, "config.toml")
		must(t, err)
		return c
	}
	if c := find(); c.Key.Reveal() != "sk_env" || c.KeySource != "FILMSPOOL_KEY" {
		t.Errorf("environment: %q from %q", c.Key.Reveal(), c.KeySource)
	}
	saved := Credential{Account: viewing.DefaultAccount, BaseURL: "https://tracker.example/api/v1", Key: NewSecret("sk_file\n"), ProvenFor: "https://tracker.example:443"}
	must(t, k.Save(saved))
	if c := find(); c.Key.Reveal() != "sk_file" || c.KeySource != "key file" || c.URLSource != "login" {
		t.Errorf("key file: %q from %q, address from %q", c.Key.Reveal(), c.KeySource, c.URLSource)
	}
	must(t, os.WriteFile(filepath.Join(credentials, "api-key"), []byte("sk_cred\n"), 0o600))
	k.Getenv = env("CREDENTIALS_DIRECTORY", credentials)
	if c := find(); c.Key.Reveal() != "sk_cred" || c.KeySource != "systemd credential" {
		t.Errorf("credential: %q from %q", c.Key.Reveal(), c.KeySource)
	}
}

func TestKeyIsBoundToItsAddress(t *testing.T) {
	k := Keys{Dir: t.TempDir(), Getenv: env()}
	saved := Credential{Account: "a", BaseURL: "https://tracker.example/api/v1", Key: NewSecret("sk_1"), ProvenFor: OriginOf("https://tracker.example/api/v1")}
	must(t, k.Save(saved))
	c, err := k.Find("a", Account{BaseURL: "https://other.example/api/v1"}, "config.toml")
	if err != nil || !c.Key.IsZero() || c.KeyProblem.Args["to"] != "https://other.example:443" {
		t.Errorf("another address got the key: %+v, %v", c, err)
	}
	if c, _ := k.Find("a", Account{BaseURL: "https://TRACKER.example:443/api/v1"}, ""); c.Key.IsZero() {
		t.Errorf("the same address, written otherwise, did not get the key: %s", c.KeyProblem)
	}
}

func TestReadableKeyFileIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps others out by access lists")
	}
	k := Keys{Dir: t.TempDir(), Getenv: env()}
	must(t, k.Save(Credential{Account: "a", Key: NewSecret("sk_1")}))
	must(t, os.Chmod(filepath.Join(k.Dir, "keys", "a.json"), 0o640))
	if _, err := k.Find("a", Account{}, ""); !errors.Is(err, ErrInvalid) || !strings.Contains(errorText(err), "chmod 600") {
		t.Errorf("got %v", err)
	}
}

// Other secrets come from systemd, else from a file that only its owner can read.
func TestOtherSecrets(t *testing.T) {
	state, handed := t.TempDir(), t.TempDir()
	must(t, os.Mkdir(filepath.Join(state, "keys"), 0o700))
	must(t, os.WriteFile(filepath.Join(state, "keys", "kodi-mysql-ann"), []byte("from the file\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(state, "keys", "kodi-mysql-Bob"), []byte("x"), 0o600))
	must(t, os.WriteFile(filepath.Join(state, "other"), []byte("no password"), 0o600))
	must(t, os.WriteFile(filepath.Join(handed, "kodi-mysql-Bob"), []byte("handed"), 0o600))
	k := Keys{Dir: state, Getenv: env("CREDENTIALS_DIRECTORY", handed)}
	for user, want := range map[string]string{"ann": "from the file", "Bob": "handed", "nobody": "", "": "", "a/../../other": ""} {
		got, err := k.Password(user)
		if err != nil || got.Reveal() != want {
			t.Errorf("%q: got %q, %v, want %q", user, got.Reveal(), err, want)
		}
	}
	must(t, k.SaveTMDB(NewSecret("tmdb")))
	if token, handed, err := k.TMDB(); err != nil || handed || token.Reveal() != "tmdb" {
		t.Errorf("the token for TMDB: %v %v", handed, err)
	}
	must(t, os.WriteFile(filepath.Join(handed, "tmdb-token"), []byte("given"), 0o600))
	if token, handed, err := k.TMDB(); err != nil || !handed || token.Reveal() != "given" {
		t.Errorf("the token of systemd: %v %v", handed, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	must(t, os.Chmod(filepath.Join(state, "keys", "kodi-mysql-ann"), 0o644))
	if _, err := k.Password("ann"); !errors.Is(err, ErrInvalid) || strings.Contains(err.Error(), "from the file") {
		t.Errorf("a file that all can read: %v", err)
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
		"listen = \"127.0.0.1:1\"\n[accounts.default]\nbase_url = \"https://x/api/v1/\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, person := range []bool{true, false} {
			c := Default()
			err := c.decode("config.toml", []byte(text), person)
			if err == nil {
				c.complete()
				err = c.Validate()
			}
			if err != nil && !errors.Is(err, ErrInvalid) {
				t.Errorf("%v does not wrap ErrInvalid", err)
			}
		}
	})
}

// A route names one or several accounts. A single account needs no route.
func TestRoutes(t *testing.T) {
	root := t.TempDir()
	c, err := load(t, fmt.Sprintf(`
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
`, filepath.Join(root, "userdata"), filepath.Join(root, "other")))
	must(t, err)
	want := map[string][]string{"browser:3f2a": {"anna", "ben"}, "cli": {"ben"}, "kodi:" + filepath.Join(root, "userdata"): {"ben", "anna"}}
	if diff := cmp.Diff(want, c.SourceRoutes()); diff != "" {
		t.Error(diff)
	}
	one, err := load(t, "[accounts.anna]\nbase_url = 'https://tracker.example/api/v1/'\n")
	if diff := cmp.Diff(map[string][]string{"": {"anna"}}, one.SourceRoutes()); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if a := one.Accounts["anna"]; a.BaseURL != "https://tracker.example/api/v1" || a.KeyHeader != "x-api-key" {
		t.Errorf("the account is %+v", a)
	}
}

// The example sets nothing, and without its comment signs it sets every setting of the table to
// its default.
func TestExampleIsValid(t *testing.T) {
	c, err := load(t, string(Example()))
	if err != nil || len(c.lines) != 0 {
		t.Errorf("as it stands: %v, it sets %v", err, c.lines)
	}
	on := regexp.MustCompile(`(?m)^# (\[|["a-z_: -]+ = )`).ReplaceAll(Example(), []byte("$1"))
	if c, err = load(t, string(on)); err != nil || len(c.Filters) != 1 || len(c.Kodi.Libraries) != 1 || c.Listen != Default().Listen {
		t.Fatalf("turned on: %v\n%s", err, on)
	}
	for _, s := range c.Settings() {
		if s.Line == 0 || s.Value != s.Default {
			t.Errorf("%s is %v in line %d, and %v by default", s.Key, s.Value, s.Line, s.Default)
		}
	}
}

// The reference in README.md contains every setting of the table.
func TestTheReferenceIsMadeFromTheTable(t *testing.T) {
	want := "| setting | values | default | what it does |\n|---|---|---|---|\n"
	for _, s := range Default().Settings() {
		values := map[string]string{Switch: "true, false", Text: "an address", TimeSpan: "0s to 24h", Word: strings.Join(s.Allowed, ", ")}[s.Type]
		if values == "" {
			values = fmt.Sprintf("0 to %v", s.Max)
		}
		want += fmt.Sprintf("| `%s` | %s | %v | %s |\n", s.Key, values, s.Default, locale.In("en").Say("settings.about."+s.Key))
	}
	page, err := os.ReadFile("README.md")
	if err != nil || !strings.Contains(string(page), "\n\n"+want+"\n") {
		t.Errorf("README.md does not have (%v)\n%s", err, want)
	}
}

func TestFilters(t *testing.T) {
	c, err := load(t, `
[[filters]]
path = "/srv/*/kids"
folder = 'C:\Films'
source = "kodi:/home/me/.kodi/userdata"
site = "films.example"
kind = "movie"
genre = "Family"
tag = "kids"
shorter_than = "5m"
action = "ignore"
[[filters]]
path = "**/Trailers"
action = "send"
[[filters]]
action = "hold"
[kodi.classes]
catch-up = "hold"
bulk = "send"
`)
	must(t, err)
	want := []Filter{
		{
			Match: rules.Match{
				Path: "/srv/*/kids", Folder: `C:\Films`, Source: "kodi:/home/me/.kodi/userdata", Site: "films.example", Kind: "movie",
				Genre: "Family", Tag: "kids",
			},
			ShorterThan: &Duration{Duration: 5 * time.Minute}, Action: "ignore",
		},
		{Match: rules.Match{Path: "**/Trailers"}, Action: "send"},
		{Action: "hold"},
	}
	if !reflect.DeepEqual(c.Filters, want) {
		t.Errorf("filters %+v", c.Filters)
	}
	classes := Classes{Live: "send", CatchUp: "hold", Bulk: "send", Backdated: "hold", Review: "hold", Marked: "send"}
	if c.Kodi.Classes != classes {
		t.Errorf("classes %+v", c.Kodi.Classes)
	}
}

func TestFilterPaths(t *testing.T) {
	for _, good := range []string{
		"/", "/srv/kids", "//nas/films", `\\nas\films`, `C:\`, "c:/films", "smb://nas/films", "smb://", "plugin://", "**", "**/a*b?.mkv", "/srv/**/x/*", "*://nas",
		"/srv/Show [2019]", "/srv/{a}", "/srv/ä b",
	} {
		text := "[[filters]]\naction = 'hold'\npath = '" + good + "'"
		if _, err := load(t, text); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

func TestFilterFaults(t *testing.T) {
	for text, want := range map[string]string{
		`path = "/a"`:                                                  `filters[0].action: "" is not one of send, hold, ignore`,
		"action = 'hold'\nkind = 'tv'":                                 `filters[0].kind: "tv" is not one of movie, episode`,
		"action = 'hold'\nshorter_than = '0s'":                         "filters[0].shorter_than:",
		"action = 'hold'\npath = 'films'":                              "**/films",
		"action = 'hold'\npath = \"C:\\tv\"":                           "two backslashes in double quotes",
		"action = 'hold'\nsource = '/srv/films'":                       "is not browser",
		"action = 'hold'\nsite = 'https://a.b/'":                       "filters[0].site:",
		"action = 'ignore'":                                            "everything would be ignored",
		"action = 'hold'\n[[filters]]\ntag = 'a'\naction = 'send'":     "filters[0]: it has no conditions",
		"action = 'ignore'\ntag = 'a'\n[[filters]]\naction = 'ignore'": "filters[1]: it has no conditions, so everything would be ignored",
	} {
		_, err := load(t, "[[filters]]\n"+text)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(errorText(err), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
