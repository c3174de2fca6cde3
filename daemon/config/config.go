package config

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/resolve/wikidata"
	"github.com/filmspool/filmspool/queue/viewing"
)

// ErrInvalid is wrapped by every error in a configuration. The program exits with 78 for it.
var ErrInvalid = errors.New("bad configuration")

// Config contains all settings. Its zero value is not usable: start from [Default].
type Config struct {
	// Listen is the address to listen on, which must be a loopback address.
	Listen string `toml:"listen" json:"listen"`
	// LogLevel is debug, info, warn or error. Titles appear at debug only.
	LogLevel string `toml:"log_level" json:"logLevel"`
	// InDoubt decides about a request that may have arrived if the service's records do not show
	// it: hold (the user decides), resend (it may be recorded twice) or delivered (it may be
	// missing).
	InDoubt string `toml:"in_doubt" json:"inDoubt"`
	// Hold says which viewings wait for the user's approval: none or all.
	Hold string `toml:"hold" json:"hold"`
	// Burst is how many different items of one source may end within a minute, at most 1,000; more
	// are held. 0 means no limit.
	Burst int `toml:"burst" json:"burst"`
	// Replay says when and how fast entries are sent.
	Replay Replay `toml:"replay" json:"replay"`
	// Accounts are the accounts by name. If empty, one named default is assumed.
	Accounts map[string]Account `toml:"accounts" json:"accounts"`
	// Routes says which accounts a source feeds, by "kind:name" or kind.
	Routes map[string]Names `toml:"routes" json:"routes,omitempty"`
	// Filters say which viewings are sent, held or ignored. The first match applies.
	Filters []Filter `toml:"filters,omitempty" json:"filters,omitempty"`
	// IgnoreUntitled are the sites whose videos without a title are ignored.
	IgnoreUntitled []string `toml:"ignore_untitled,omitempty" json:"ignoreUntitled,omitempty"`
	// Kodi lists the libraries to watch.
	Kodi Kodi `toml:"kodi" json:"kodi"`
	// Resolve says which providers besides the service may identify items.
	Resolve Resolve `toml:"resolve" json:"resolve"`
	// Metrics says whether programs on this machine may read metrics.
	Metrics Metrics `toml:"metrics" json:"metrics"`
	// Notices says how the user is notified of problems.
	Notices Notices `toml:"notices" json:"notices"`

	origins       map[string]Origin // setting → source of its value; none for a default
	lines         map[string]int    // table or setting → its line in config.toml
	userLibraries int               // number of libraries in config.toml, which come first
}

// Origin is the source of a setting's value.
type Origin struct {
	From  string // a file, an environment variable or a flag
	Line  int    // in config.toml; else 0
	Fixed bool   // it overrides settings.toml
}

// String returns the position as editors and compilers write it, such as "config.toml:7".
func (o Origin) String() string {
	if o.Line == 0 {
		return o.From
	}
	return o.From + ":" + strconv.Itoa(o.Line)
}

// Names are account names. In TOML they are one name or a list.
type Names []string

// UnmarshalText implements [encoding.TextUnmarshaler] for one name.
func (n *Names) UnmarshalText(text []byte) error {
	*n = nil
	if len(text) > 0 {
		*n = Names{string(text)}
	}
	return nil
}

// Account is one account at a tracking service.
type Account struct {
	// BaseURL ends in /api/v1. If empty, the address given to "filmspool login" is used.
	BaseURL string `toml:"base_url" json:"baseUrl"`
	// KeyHeader is the header that carries the key: x-api-key or bearer.
	KeyHeader string `toml:"key_header" json:"keyHeader"`
	// Idempotency says that the service records requests with the same Idempotency-Key once.
	// Requests in doubt are then sent again, for 12 hours.
	Idempotency bool `toml:"idempotency" json:"idempotency"`
}

// Kodi lists the libraries to watch.
type Kodi struct {
	Libraries []Library `toml:"libraries" json:"libraries"`
	// Announcements says whether to listen to what a Kodi on this machine announces as playing.
	Announcements bool `toml:"announcements" json:"announcements"`
	// Lists maps a tag to the list for films and series with this tag.
	Lists map[string]string `toml:"lists" json:"lists,omitempty"`
	// Classes say what happens to the viewings of each class.
	Classes Classes `toml:"classes" json:"classes"`
}

// Folders returns the userdata folders of the libraries, as clean paths.
func (c Config) Folders() (all []string) {
	for _, l := range c.Kodi.Libraries {
		all = append(all, filepath.Clean(l.Userdata))
	}
	return all
}

// LibraryName returns the name of a library, or "".
func (c Config) LibraryName(userdata string) string {
	if i := slices.Index(c.Folders(), filepath.Clean(userdata)); i >= 0 {
		return c.Kodi.Libraries[i].Name
	}
	return ""
}

// Resolve configures the providers that may identify items.
type Resolve struct {
	Wikidata Wikidata `toml:"wikidata" json:"wikidata"`
	TMDB     TMDB     `toml:"tmdb" json:"tmdb"`
}

// Wikidata is the query service of wikidata.org. It receives numbers of IMDb, TVDB and streaming
// sites for items without an identifier, and our IP address, but never a title.
type Wikidata struct {
	Enabled bool `toml:"enabled" json:"enabled"`
	// Endpoint is the address of its SPARQL service.
	Endpoint string `toml:"endpoint" json:"endpoint"`
}

// TMDB is themoviedb.org. It receives titles and numbers of items without an identifier, and the
// user's token.
type TMDB struct {
	Enabled bool `toml:"enabled" json:"enabled"`
	// BaseURL is the address of its API.
	BaseURL string `toml:"base_url" json:"baseUrl"`
	// ImageURL is the base address of its pictures.
	ImageURL string `toml:"image_url" json:"imageUrl"`
}

// Metrics configures the figures for Prometheus. They are off by default because every program
// and user on this machine may then read how much is watched, and when.
type Metrics struct {
	Enabled bool `toml:"enabled" json:"enabled"`
}

// Notices configures how the user is notified of problems.
type Notices struct {
	// Desktop shows the two most severe problems on the desktop: the service refuses the key, and
	// nothing was delivered for a week while entries wait.
	Desktop bool `toml:"desktop" json:"desktop"`
	// Webhook receives every problem that needs the user.
	Webhook Webhook `toml:"webhook" json:"webhook"`
}

// Webhook is the receiver of notices.
type Webhook struct {
	// URL is an address with the API of ntfy; empty for none. The secret [WebhookToken] is its
	// token.
	URL string `toml:"url" json:"url"`
}

// Replay says when and how fast entries are sent.
type Replay struct {
	// Rate is the maximum number of entries per second and account, at most 1,000; 0 means no
	// limit. Requests that record nothing are not counted.
	Rate float64 `toml:"rate" json:"rate"`
	// BackfillRate is how many of them may come from imports. Those are sent only if no live entry
	// is due.
	BackfillRate float64 `toml:"backfill_rate" json:"backfillRate"`
	// Grace is how long an entry waits before it is sent, so that the user can drop it; from 0 to
	// 24 hours.
	Grace Duration `toml:"grace" json:"grace"`
}

// Duration is a time span, written as "90s", "10m", "1h30m" or "10 minutes".
type Duration struct{ time.Duration }

// units replaces the words of a time span in English and German.
var units = strings.NewReplacer(" ", "", "hours", "h", "hour", "h", "stunden", "h", "stunde", "h", "minuten", "m", "minutes", "m", "minute", "m", "min", "m",
	"sekunden", "s", "sekunde", "s", "seconds", "s", "second", "s", "sec", "s")

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(units.Replace(strings.ToLower(string(text))))
	return err
}

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String formats a time span without parts that are zero.
func (d Duration) String() string {
	text := d.Duration.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Library is one Kodi library.
type Library struct {
	// Userdata is Kodi's userdata folder, absolute.
	Userdata string `toml:"userdata" json:"userdata"`
	// Name is the user's name for this Kodi, such as "living room".
	Name string `toml:"name,omitempty" json:"name,omitempty"`
	// Account names the accounts that receive its viewings.
	Account Names `toml:"account,omitempty" json:"account,omitempty"`
	// TimeZone is an IANA name. It is needed only if Kodi's clock has another zone than this
	// machine.
	TimeZone string `toml:"time_zone" json:"timeZone,omitempty"`
	// MySQLUser is the database user for a library on a server, in place of the user in
	// advancedsettings.xml. [Keys.Password] returns its password.
	MySQLUser string `toml:"mysql_user" json:"mysqlUser,omitempty"`
	// WatchlistTag is the tag of films and series to put on the watchlist.
	WatchlistTag string `toml:"watchlist_tag" json:"watchlistTag,omitempty"`
}

// Default returns the configuration without any settings of the user.
func Default() Config {
	return Config{
		Listen:   "127.0.0.1:43456",
		LogLevel: "info",
		InDoubt:  "hold",
		Hold:     "none",
		Burst:    5,
		Replay:   Replay{BackfillRate: 5},
		Kodi: Kodi{
			// Played items are sent, others held.
			Classes:       Classes{Live: "send", CatchUp: "send", Bulk: "hold", Backdated: "hold", Review: "hold", Marked: "send"},
			Announcements: true,
		},
		Resolve: Resolve{Wikidata: Wikidata{Endpoint: wikidata.DefaultEndpoint}, TMDB: TMDB{BaseURL: tmdb.DefaultBase, ImageURL: tmdb.DefaultImages}},
		Notices: Notices{Desktop: true},
		origins: map[string]Origin{},
	}
}

// Overrides are settings from flags. Empty fields are not set.
type Overrides struct {
	Listen   string
	LogLevel string
}

//go:embed example.toml
var example []byte

// Example returns a config.toml that explains every setting in comments and sets none.
func Example() []byte { return bytes.Clone(example) }

// Source loads and changes a configuration.
type Source struct {
	Paths  Paths
	Getenv func(string) string
	Flags  Overrides
}

// Load reads settings.toml, config.toml, the environment and flags, each overriding the previous
// one, and validates the result. Every error wraps [ErrInvalid].
func (s Source) Load() (Config, error) {
	settings, err := s.readSettings()
	if err != nil {
		return Default(), err
	}
	return s.load(settings)
}

// readSettings reads settings.toml. A user may be unable to read the one of the machine-wide
// instance.
func (s Source) readSettings() ([]byte, error) {
	text, err := os.ReadFile(s.Paths.Settings())
	if errors.Is(err, fs.ErrNotExist) || s.Paths.System && errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	return text, readError(s.Paths.Settings(), err)
}

// load is [Source.Load] with this content of settings.toml.
func (s Source) load(settings []byte) (Config, error) {
	c := Default()
	if err := c.decode(s.Paths.Settings(), settings, false); err != nil {
		return c, err
	}
	added := c.Kodi.Libraries
	c.Kodi.Libraries = nil
	text, err := os.ReadFile(s.Paths.File)
	if errors.Is(err, fs.ErrNotExist) && !s.Paths.Explicit {
		err = nil
	}
	if err != nil {
		return c, readError(s.Paths.File, err)
	}
	if err := c.decode(s.Paths.File, text, true); err != nil {
		return c, err
	}
	c.userLibraries = len(c.Kodi.Libraries)
	for _, l := range added {
		if !slices.Contains(c.Folders(), filepath.Clean(l.Userdata)) {
			c.Kodi.Libraries = append(c.Kodi.Libraries, l)
		}
	}
	c.override("FILMSPOOL_LISTEN", s.Getenv("FILMSPOOL_LISTEN"), "listen", &c.Listen)
	c.override("FILMSPOOL_LOG_LEVEL", s.Getenv("FILMSPOOL_LOG_LEVEL"), "log_level", &c.LogLevel)
	c.override("--listen", s.Flags.Listen, "listen", &c.Listen)
	c.override("--log-level", s.Flags.LogLevel, "log_level", &c.LogLevel)
	c.complete()
	return c, c.Validate()
}

// decode applies one of the two files to c. Unknown names are an error in the user's file.
func (c *Config) decode(file string, text []byte, person bool) error {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // some editors write a byte order mark
	decoder := toml.NewDecoder(bytes.NewReader(text))
	if person {
		decoder.DisallowUnknownFields()
	}
	var tree map[string]any
	if err := errors.Join(decoder.Decode(c), toml.Unmarshal(text, &tree)); err != nil {
		return inFile(file, err)
	}
	if person {
		c.lines = linesOf(text)
	}
	for _, key := range append(keys(), "listen", untitled) {
		if lookup(tree, key) != nil {
			c.origins[key] = Origin{From: file, Line: c.lineOf(key), Fixed: person}
		}
	}
	return nil
}

// inFile converts an error of the decoder, with line and column.
func inFile(file string, err error) error {
	detail := err.Error()
	if shown := fmt.Stringer(nil); errors.As(err, &shown) {
		detail = shown.String()
	}
	return &viewing.Refusal{Kind: ErrInvalid, Message: hideMessageKeys(viewing.Say("fault.inFile", "file", file, "detail", detail))}
}

// readError returns the error for a file that cannot be read.
func readError(file string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.fileGone", "file", file), Hint: viewing.Say("hint.nameFile")}
	default:
		return &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.unreadFile", "file", file).Because(viewing.Verbatim(err.Error()))}
	}
}

// linesOf returns the lines of tables and settings in a TOML text, by names such as
// "kodi.libraries[0].userdata".
func linesOf(text []byte) map[string]int {
	lines := map[string]int{}
	counts := map[string]int{}
	table := ""
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		var names []string
		line := 0
		for key := e.Key(); key.Next(); {
			names = append(names, string(key.Node().Data))
			line = p.Shape(key.Node().Raw).Start.Line
		}
		name := strings.Join(names, ".")
		switch e.Kind {
		case unstable.KeyValue:
			name = strings.TrimPrefix(table+"."+name, ".")
		case unstable.ArrayTable:
			counts[name]++
			name += fmt.Sprintf("[%d]", counts[name]-1)
			table = name
		default:
			table = name
		}
		lines[name] = line
	}
	return lines
}

// lineOf returns the line of a setting in config.toml, or of the table that contains it; 0 if
// neither exists.
func (c *Config) lineOf(setting string) (line int) {
	for setting != "" && line == 0 {
		line = c.lines[setting]
		setting = setting[:max(strings.LastIndexByte(setting, '.'), 0)]
	}
	return line
}

// override sets a field from a source with precedence.
func (c *Config) override(source, value, key string, field *string) {
	if value != "" {
		*field, c.origins[key] = value, Origin{From: source, Fixed: true}
	}
}

// complete sets defaults that depend on other settings.
func (c *Config) complete() {
	if len(c.Accounts) == 0 {
		c.Accounts = map[string]Account{viewing.DefaultAccount: {}}
	}
	for name, a := range c.Accounts {
		a.BaseURL = strings.TrimSuffix(a.BaseURL, "/")
		a.KeyHeader = cmp.Or(a.KeyHeader, "x-api-key")
		c.Accounts[name] = a
	}
}

// Annotated returns the configuration as TOML, with comments about the source of each value that
// is not a default.
func (c Config) Annotated() ([]byte, error) {
	var out bytes.Buffer
	for _, key := range slices.Sorted(maps.Keys(c.origins)) {
		fmt.Fprintf(&out, "# %s: %s\n", key, c.origins[key])
	}
	text, err := toml.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("show the configuration: %w", err)
	}
	out.Write(text)
	return out.Bytes(), nil
}

// IsSet reports whether a setting was set by the user, even to its default.
func (c Config) IsSet(key string) bool { _, set := c.origins[key]; return set }

// SourceRoutes returns [Config.Routes] with those of the libraries. A single account receives
// everything.
func (c Config) SourceRoutes() map[string][]string {
	routes := map[string][]string{}
	if _, found := c.Accounts[viewing.DefaultAccount]; !found && len(c.Accounts) == 1 {
		routes[""] = slices.Collect(maps.Keys(c.Accounts))
	}
	for source, names := range c.Routes {
		routes[source] = names
	}
	for _, l := range c.Kodi.Libraries {
		if len(l.Account) > 0 {
			routes["kodi:"+filepath.Clean(l.Userdata)] = l.Account
		}
	}
	return routes
}
