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
	// Routes says which accounts a source feeds, by "kind:name" or kind.
	Routes map[string]Names `toml:"routes" json:"routes,omitempty"`
	// Filters say which viewings are sent, held or ignored; the first that fits
	// has its say.
	Filters []Filter `toml:"filters,omitempty" json:"filters,omitempty"`
	// IgnoreUntitled are the sites whose videos without a title are ignored.
	IgnoreUntitled []string `toml:"ignore_untitled,omitempty" json:"ignoreUntitled,omitempty"`
	// Kodi lists the libraries to watch.
	Kodi Kodi `toml:"kodi" json:"kodi"`
	// Resolve says who beside the service may be asked what things are.
	Resolve Resolve `toml:"resolve" json:"resolve"`
	// Metrics says whether programs on this machine may read figures.
	Metrics Metrics `toml:"metrics" json:"metrics"`
	// Notices says how a person is told of problems.
	Notices Notices `toml:"notices" json:"notices"`

	origins  map[string]Origin // setting → where its value comes from; the default has none
	lines    map[string]int    // table or setting → its line in config.toml
	personal int               // libraries of config.toml, which come first
}

// Origin is where the value of a setting comes from.
type Origin struct {
	From  string // a file, an environment variable or a flag
	Line  int    // in config.toml; else 0
	Fixed bool   // it wins over settings.toml
}

// String is the place as editors and compilers write it, such as "config.toml:7".
func (o Origin) String() string {
	if o.Line == 0 {
		return o.From
	}
	return o.From + ":" + strconv.Itoa(o.Line)
}

// Names are accounts. In TOML they are one name or a list.
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
	// BaseURL ends in /api/v1. Empty: as given to "filmspool login".
	BaseURL string `toml:"base_url" json:"baseUrl"`
	// KeyHeader is how the key is shown: x-api-key or bearer.
	KeyHeader string `toml:"key_header" json:"keyHeader"`
	// Idempotency says that the service records requests of one Idempotency-Key
	// once: what is in doubt is then sent again, for 12 hours.
	Idempotency bool `toml:"idempotency" json:"idempotency"`
}

// Kodi lists the libraries to watch.
type Kodi struct {
	Libraries []Library `toml:"libraries" json:"libraries"`
	// Announcements has a Kodi on this machine heard announce what it plays.
	Announcements bool `toml:"announcements" json:"announcements"`
	// Lists are names of lists by the tag that puts films and series on them.
	Lists map[string]string `toml:"lists" json:"lists,omitempty"`
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

// Named returns the name of a library; "" for none.
func (c Config) Named(userdata string) string {
	if i := slices.Index(c.Folders(), filepath.Clean(userdata)); i >= 0 {
		return c.Kodi.Libraries[i].Name
	}
	return ""
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
	// ImageURL is where its pictures are.
	ImageURL string `toml:"image_url" json:"imageUrl"`
}

// Metrics are figures for Prometheus. They are off because every program and every
// person on this machine may then read how much is watched, and when.
type Metrics struct {
	Enabled bool `toml:"enabled" json:"enabled"`
}

// Notices says how a person is told of problems.
type Notices struct {
	// Desktop has the desktop show the two worst: that the service refuses the key, and
	// that nothing was delivered for a week while something waits.
	Desktop bool `toml:"desktop" json:"desktop"`
	// Webhook is sent every problem that needs the person.
	Webhook Webhook `toml:"webhook" json:"webhook"`
}

// Webhook is where notices are posted to.
type Webhook struct {
	// URL takes what ntfy takes. Empty is none. The secret [WebhookToken] is its token.
	URL string `toml:"url" json:"url"`
}

// Replay is when, and how fast, entries leave.
type Replay struct {
	// Rate is how many entries a second may leave for one account, to 1,000; 0
	// is no limit. Questions that record nothing come besides.
	Rate float64 `toml:"rate" json:"rate"`
	// BackfillRate is how many of those may be of imports. They leave only
	// when nothing live is due.
	BackfillRate float64 `toml:"backfill_rate" json:"backfillRate"`
	// Grace is how long an entry stays before it may leave, so that it can be
	// dropped first; from 0 to 24 hours.
	Grace Duration `toml:"grace" json:"grace"`
}

// Duration is a span of time, written as "90s", "10m", "1h30m" or "10 minutes".
type Duration struct{ time.Duration }

// units are the words of a span in English and German.
var units = strings.NewReplacer(" ", "", "hours", "h", "hour", "h", "stunden", "h", "stunde", "h", "minuten", "m", "minutes", "m", "minute", "m", "min", "m",
	"sekunden", "s", "sekunde", "s", "seconds", "s", "second", "s", "sec", "s")

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(units.Replace(strings.ToLower(string(text))))
	return err
}

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String writes a span without the parts that are zero.
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
	// Name is what the person calls this Kodi: "living room".
	Name string `toml:"name,omitempty" json:"name,omitempty"`
	// Account is whose history its viewings belong to.
	Account Names `toml:"account,omitempty" json:"account,omitempty"`
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
		Kodi: Kodi{
			// What was played is sent, the rest held.
			Classes:       Classes{Live: "send", CatchUp: "send", Bulk: "hold", Backdated: "hold", Review: "hold", Marked: "send"},
			Announcements: true,
		},
		Resolve: Resolve{Wikidata: Wikidata{Endpoint: wikidata.DefaultEndpoint}, TMDB: TMDB{BaseURL: tmdb.DefaultBase, ImageURL: tmdb.DefaultImages}},
		Notices: Notices{Desktop: true},
		origins: map[string]Origin{},
	}
}

// Overrides are settings from flags; empty ones are not set.
type Overrides struct {
	Listen   string
	LogLevel string
}

//go:embed example.toml
var example []byte

// Example is a config.toml with every setting that a person may want, each explained and
// each a comment: as it stands it sets nothing.
func Example() []byte { return bytes.Clone(example) }

// Source is where a configuration comes from, so that it can be read again and changed.
type Source struct {
	Paths  Paths
	Getenv func(string) string
	Flags  Overrides
}

// Load reads settings.toml, config.toml, the environment and flags, each stronger than the
// one before, and validates the whole. Every error wraps [ErrInvalid].
func (s Source) Load() (Config, error) {
	settings, err := s.readSettings()
	if err != nil {
		return Default(), err
	}
	return s.load(settings)
}

// readSettings reads settings.toml. Of another user's instance it may be unreadable.
func (s Source) readSettings() ([]byte, error) {
	text, err := os.ReadFile(s.Paths.Settings())
	if errors.Is(err, fs.ErrNotExist) || s.Paths.System && errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	return text, unread(s.Paths.Settings(), err)
}

// load is [Source.Load] where settings.toml holds settings.
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
		return c, unread(s.Paths.File, err)
	}
	if err := c.decode(s.Paths.File, text, true); err != nil {
		return c, err
	}
	c.personal = len(c.Kodi.Libraries)
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

// decode reads one of the two files over what c is. A name that does not exist is refused
// in the file of the person.
func (c *Config) decode(file string, text []byte, person bool) error {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // some editors write it
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

// inFile is what the decoder says of a file, with line and column.
func inFile(file string, err error) error {
	detail := err.Error()
	if shown := fmt.Stringer(nil); errors.As(err, &shown) {
		detail = shown.String()
	}
	return &viewing.Refusal{Kind: ErrInvalid, Message: withoutKeys(viewing.Say("fault.inFile", "file", file, "detail", detail))}
}

// unread says why a file cannot be read.
func unread(file string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.fileGone", "file", file), Hint: viewing.Say("hint.nameFile")}
	default:
		return &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.unreadFile", "file", file).Because(viewing.Verbatim(err.Error()))}
	}
}

// linesOf are the lines of tables and settings in a TOML text, by names such as
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

// lineOf is the line of a setting in config.toml, or of the table that holds it; 0 where
// neither stands there.
func (c *Config) lineOf(setting string) (line int) {
	for setting != "" && line == 0 {
		line = c.lines[setting]
		setting = setting[:max(strings.LastIndexByte(setting, '.'), 0)]
	}
	return line
}

// override sets one field from a stronger source.
func (c *Config) override(source, value, key string, field *string) {
	if value != "" {
		*field, c.origins[key] = value, Origin{From: source, Fixed: true}
	}
}

// complete fills what follows from the rest.
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

// Annotated is the whole configuration as TOML, with where each value comes from that is
// not the default.
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

// IsSet reports whether a setting has another value than by default, or the same on purpose.
func (c Config) IsSet(key string) bool { _, set := c.origins[key]; return set }

// SourceRoutes is [Config.Routes] with the accounts that libraries name. Where
// there is one account alone, no route is needed.
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
