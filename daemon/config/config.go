package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/resolve/wikidata"
	"github.com/filmspool/filmspool/queue/viewing"
)

// ErrInvalid is wrapped by every fault of a configuration; the program exits
// with 78 for it.
var ErrInvalid = errors.New("bad configuration")

// Config is everything a user may set. Its zero values are not usable: start
// from [Default].
type Config struct {
	// Listen is the one address that is listened on: loopback only.
	Listen string `toml:"listen" json:"listen"`
	// LogLevel is debug, info, warn or error. Titles appear at debug only.
	LogLevel string `toml:"log_level" json:"logLevel"`
	// InDoubt says what happens to a request that may have arrived when the
	// service's records cannot tell: hold (it waits for the user), resend (it
	// may be recorded twice) or delivered (it may be missing).
	InDoubt string `toml:"in_doubt" json:"inDoubt"`
	// Hold says which viewings wait until a person approves them: none or all.
	Hold string `toml:"hold" json:"hold"`
	// Wave is how many different items of one source may end within a minute, to
	// 1,000; more are held. 0 is no bound.
	Wave int `toml:"wave" json:"wave"`
	// Replay is when, and how fast, entries leave.
	Replay Replay `toml:"replay" json:"replay"`
	// Accounts by name. Without any, one named default is assumed.
	Accounts map[string]Account `toml:"accounts" json:"accounts"`
	// Routes says which accounts a source feeds, by "kind:name" or kind: a name, or
	// a list of names.
	Routes map[string]any `toml:"routes" json:"routes,omitempty"`
	// Connector bounds what browsers may send.
	Connector Connector `toml:"connector" json:"connector"`
	// Filters say which viewings are sent, held or ignored; the first that fits
	// has its say.
	Filters []Filter `toml:"filters,omitempty" json:"filters,omitempty"`
	// Kodi lists the libraries to watch.
	Kodi Kodi `toml:"kodi" json:"kodi"`
	// Resolve says who beside the service may be asked what things are.
	Resolve Resolve `toml:"resolve" json:"resolve"`
	// Metrics says whether programs on this machine may read figures.
	Metrics Metrics `toml:"metrics" json:"metrics"`
	// Notices says how a person is told of problems.
	Notices Notices `toml:"notices" json:"notices"`

	origins map[string]string // field → where its value came from
	lines   map[string]int    // setting → where it stands in the file
	given   map[string]any    // what the file says
}

// Account is one account at a tracking service.
type Account struct {
	// BaseURL ends in /api/v1. Empty: as given to "filmspool login".
	BaseURL string `toml:"base_url" json:"baseUrl"`
	// KeyHeader is how the key is shown: x-api-key or bearer.
	KeyHeader string `toml:"key_header" json:"keyHeader"`
	// Idempotency says that the service records requests of one Idempotency-Key
	// once: what is in doubt is then sent again, for 12 hours.
	Idempotency bool `toml:"idempotency" json:"idempotency"`
}

// Connector bounds what browsers may send. Zero means the built-in limit.
type Connector struct {
	MessagesPerSecond int `toml:"messages_per_second" json:"messagesPerSecond,omitempty"` // per browser; 500
	Burst             int `toml:"burst" json:"burst,omitempty"`                           // messages; 1,000
	Sockets           int `toml:"sockets" json:"sockets,omitempty"`                       // at once; 32
	SocketsPerOrigin  int `toml:"sockets_per_origin" json:"socketsPerOrigin,omitempty"`   // at once; 8
	HellosPerMinute   int `toml:"hellos_per_minute" json:"hellosPerMinute,omitempty"`     // of unpaired clients; 30
}

// Kodi lists the libraries to watch.
type Kodi struct {
	Libraries []Library `toml:"libraries" json:"libraries"`
	// Announcements has a Kodi on this machine heard announce what it plays.
	Announcements bool `toml:"announcements" json:"announcements"`
	// Classes say what becomes of what is found.
	Classes Classes `toml:"classes" json:"classes"`
}

// Folders are the userdata folders of the libraries, as clean paths.
func (c Config) Folders() (all []string) {
	for _, l := range c.Kodi.Libraries {
		all = append(all, filepath.Clean(l.Userdata))
	}
	return all
}

// Resolve says who beside the service may be asked what things are.
type Resolve struct {
	Wikidata Wikidata `toml:"wikidata" json:"wikidata"`
	TMDB     TMDB     `toml:"tmdb" json:"tmdb"`
}

// Wikidata is the query service of wikidata.org. It learns the numbers of IMDb,
// of TVDB and of streaming sites of what has no identifier, and the address of who
// asks; never a title.
type Wikidata struct {
	Enabled bool `toml:"enabled" json:"enabled"`
	// Endpoint is where it answers SPARQL.
	Endpoint string `toml:"endpoint" json:"endpoint"`
}

// TMDB is themoviedb.org. It learns titles and numbers of what has no
// identifier, and whose token asks.
type TMDB struct {
	Enabled bool `toml:"enabled" json:"enabled"`
	// BaseURL is where its API is.
	BaseURL string `toml:"base_url" json:"baseUrl"`
}

// Metrics are figures for Prometheus. They are off because every program and every
// person on this machine may then read how much is watched, and when.
type Metrics struct {
	Enabled bool `toml:"enabled" json:"enabled"`
}

// Library is one Kodi library.
type Library struct {
	// Userdata is Kodi's userdata folder, absolute.
	Userdata string `toml:"userdata" json:"userdata"`
	// Account is whose history its viewings belong to: a name, or a list of names.
	Account any `toml:"account,omitempty" json:"account,omitempty"`
	// TimeZone is an IANA name, only when Kodi's clock is not this machine's.
	TimeZone string `toml:"time_zone" json:"timeZone,omitempty"`
	// MySQLUser reads a library on a server in the place of the user that
	// advancedsettings.xml names. Its password is found by [Keys.Password].
	MySQLUser string `toml:"mysql_user" json:"mysqlUser,omitempty"`
	// WatchlistTag is the tag of films and series that go to the watchlist.
	WatchlistTag string `toml:"watchlist_tag" json:"watchlistTag,omitempty"`
}

// Default is the configuration of somebody who sets nothing.
func Default() Config {
	return Config{
		Listen:   "127.0.0.1:43456",
		LogLevel: "info",
		InDoubt:  "hold",
		Hold:     "none",
		Wave:     5,
		Replay:   Replay{BackfillRate: 5},
		Kodi:     Kodi{Classes: defaultClasses(), Announcements: true},
		Resolve:  Resolve{Wikidata: Wikidata{Endpoint: wikidata.DefaultEndpoint}, TMDB: TMDB{BaseURL: tmdb.DefaultBase}},
		Notices:  Notices{Desktop: true},
		origins:  map[string]string{},
	}
}

// Overrides are settings from flags; empty ones are not set.
type Overrides struct {
	Listen   string
	LogLevel string
}

// Load reads the file, if there is one, then the environment, then flags, and
// validates the whole. Explicit says that the user named the file: then it
// must exist. Every error wraps [ErrInvalid].
func Load(file string, explicit bool, getenv func(string) string, flags Overrides) (Config, error) {
	text, err := os.ReadFile(file)
	if err != nil && (explicit || !errors.Is(err, fs.ErrNotExist)) {
		return Default(), unread(file, err)
	}
	return parse(file, text, getenv, flags)
}

// parse is [Load] of a file that says text.
func parse(file string, text []byte, getenv func(string) string, flags Overrides) (Config, error) {
	c := Default()
	wrong := c.decode(file, text)
	if wrong != nil && c.lines == nil { // it is not TOML
		return c, wrong
	}
	c.override("FILMSPOOL_LISTEN", getenv("FILMSPOOL_LISTEN"), "listen", &c.Listen)
	c.override("FILMSPOOL_LOG_LEVEL", getenv("FILMSPOOL_LOG_LEVEL"), "log_level", &c.LogLevel)
	c.override("--listen", flags.Listen, "listen", &c.Listen)
	c.override("--log-level", flags.LogLevel, "log_level", &c.LogLevel)
	c.complete()
	return c, c.refusals(wrong, c.Validate())
}

// unread says why the file cannot be read.
func unread(file string, err error) error {
	info, statErr := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &refused{errors.Join(ErrInvalid, fs.ErrNotExist), viewing.Say("fault.fileGone", "file", file), viewing.Say("hint.nameFile")}
	case statErr == nil && info.IsDir():
		return &refusal{problem: viewing.Say("fault.fileIsFolder", "file", file)}
	default:
		return &refusal{problem: viewing.Say("fault.unreadFile", "file", file).Because(viewing.Said(err.Error()))}
	}
}

// override sets one field from a stronger source and remembers which.
func (c *Config) override(source, value, name string, field *string) {
	if value != "" {
		*field, c.origins[name] = value, source
		delete(c.lines, name)
		delete(c.given, name)
	}
}

// complete fills what follows from the rest.
func (c *Config) complete() {
	if len(c.Accounts) == 0 {
		c.Accounts = map[string]Account{viewing.DefaultAccount: {}}
	}
	for name, a := range c.Accounts {
		a.BaseURL = strings.TrimSuffix(a.BaseURL, "/")
		if a.KeyHeader == "" {
			a.KeyHeader = "x-api-key"
		}
		c.Accounts[name] = a
	}
}

// Origin tells where the value of a top-level setting came from: "default",
// a file, an environment variable or a flag.
func (c Config) Origin(name string) string {
	if o := c.origins[name]; o != "" {
		return o
	}
	return "default"
}

// Annotated is the whole configuration as TOML, with where each setting came
// from. Keys are not part of it.
func (c Config) Annotated() ([]byte, error) {
	var out bytes.Buffer
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if name, _, _ := strings.Cut(field.Tag.Get("toml"), ","); name != "" {
			fmt.Fprintf(&out, "# %s: from %s\n", name, c.Origin(name))
		}
	}
	text, err := toml.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("show the configuration: %w", err)
	}
	out.WriteByte('\n')
	out.Write(text)
	return out.Bytes(), nil
}

// SourceRoutes is [Config.Routes] with the accounts that libraries name. Where
// there is one account alone, no route is needed.
func (c Config) SourceRoutes() map[string][]string {
	routes := map[string][]string{}
	if _, found := c.Accounts[viewing.DefaultAccount]; !found && len(c.Accounts) == 1 {
		routes[""] = slices.Collect(maps.Keys(c.Accounts))
	}
	lead := func(source string, accounts any) {
		if names, _ := accountNames(accounts); accounts != "" && len(names) > 0 {
			routes[source] = names
		}
	}
	for source, accounts := range c.Routes {
		lead(source, accounts)
	}
	for _, l := range c.Kodi.Libraries {
		lead("kodi:"+filepath.Clean(l.Userdata), l.Account)
	}
	return routes
}

// accountNames reads a name, or a list of names; nothing is no name.
func accountNames(setting any) (names []string, ok bool) {
	switch setting := setting.(type) {
	case nil:
		return nil, true
	case string:
		return []string{setting}, true
	case []any:
		for _, one := range setting {
			name, ok := one.(string)
			if !ok || slices.Contains(names, name) {
				return nil, false
			}
			names = append(names, name)
		}
	}
	return names, len(names) > 0
}
