package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// The types of a [Setting].
const (
	Word     = "word"     // one of Allowed
	Number   = "number"   // whole, from 0 to Max
	Decimal  = "decimal"  // from 0 to Max
	Switch   = "switch"   // true or false
	Text     = "text"     // any, or empty for none
	TimeSpan = "duration" // a text such as 90s, 10m or 1h30m, up to Max seconds
)

// Setting is a setting that can be changed while the program runs. Its name and description are
// the texts "settings.key.KEY" and "settings.about.KEY".
type Setting struct {
	Key     string   `json:"key"` // as in "replay.grace"
	Type    string   `json:"type"`
	Allowed []string `json:"allowed,omitempty"`
	Max     float64  `json:"max,omitzero"`
	Value   any      `json:"value"`   // the current value: text, number or boolean
	Default any      `json:"default"` // the value if nothing is set
	From    string   `json:"from"`    // "default", a file, an environment variable or a flag
	Line    int      `json:"line,omitempty"`
	Fixed   bool     `json:"fixed"` // set by config.toml, the environment or a flag: it cannot be changed here

	field func(*Config) any
}

var actions = []string{"send", "hold", "ignore"}

// table contains every [Setting]. The page, the commands, settings.toml and the validation are
// derived from it.
var table = []Setting{
	{Key: "hold", Type: Word, Allowed: []string{"none", "all"}, field: func(c *Config) any { return &c.Hold }},
	{Key: "burst", Type: Number, Max: 1000, field: func(c *Config) any { return &c.Burst }},
	{Key: "in_doubt", Type: Word, Allowed: []string{"hold", "resend", "delivered"}, field: func(c *Config) any { return &c.InDoubt }},
	{Key: "log_level", Type: Word, Allowed: []string{"debug", "info", "warn", "error"}, field: func(c *Config) any { return &c.LogLevel }},
	{Key: "metrics.enabled", Type: Switch, field: func(c *Config) any { return &c.Metrics.Enabled }},
	{Key: "notices.desktop", Type: Switch, field: func(c *Config) any { return &c.Notices.Desktop }},
	{Key: "notices.webhook.url", Type: Text, field: func(c *Config) any { return &c.Notices.Webhook.URL }},
	{Key: "replay.grace", Type: TimeSpan, Max: 24 * 60 * 60, field: func(c *Config) any { return &c.Replay.Grace }},
	{Key: "replay.rate", Type: Decimal, Max: 1000, field: func(c *Config) any { return &c.Replay.Rate }},
	{Key: "replay.backfill_rate", Type: Decimal, Max: 1000, field: func(c *Config) any { return &c.Replay.BackfillRate }},
	{Key: "kodi.announcements", Type: Switch, field: func(c *Config) any { return &c.Kodi.Announcements }},
	{Key: "kodi.classes.live", Type: Word, Allowed: actions, field: func(c *Config) any { return &c.Kodi.Classes.Live }},
	{Key: "kodi.classes.marked", Type: Word, Allowed: actions, field: func(c *Config) any { return &c.Kodi.Classes.Marked }},
	{Key: "kodi.classes.catch-up", Type: Word, Allowed: actions, field: func(c *Config) any { return &c.Kodi.Classes.CatchUp }},
	{Key: "kodi.classes.bulk", Type: Word, Allowed: actions, field: func(c *Config) any { return &c.Kodi.Classes.Bulk }},
	{Key: "kodi.classes.backdated", Type: Word, Allowed: actions, field: func(c *Config) any { return &c.Kodi.Classes.Backdated }},
	{Key: "kodi.classes.review", Type: Word, Allowed: actions, field: func(c *Config) any { return &c.Kodi.Classes.Review }},
	{Key: "resolve.wikidata.enabled", Type: Switch, field: func(c *Config) any { return &c.Resolve.Wikidata.Enabled }},
	{Key: "resolve.tmdb.enabled", Type: Switch, field: func(c *Config) any { return &c.Resolve.TMDB.Enabled }},
}

// keys returns the names of the settings in the table.
func keys() (all []string) {
	for _, s := range table {
		all = append(all, s.Key)
	}
	return all
}

// Settings returns the settings of the table with their current values.
func (c Config) Settings() []Setting {
	all, defaults := slices.Clone(table), Default()
	for i := range all {
		s := &all[i]
		s.Value, s.Default, s.From = s.valueIn(&c), s.valueIn(&defaults), "default"
		if o, found := c.origins[s.Key]; found {
			s.From, s.Line, s.Fixed = o.From, o.Line, o.Fixed
		}
	}
	return all
}

// valueIn returns the value of the setting in a configuration.
func (s Setting) valueIn(c *Config) any { return reflect.ValueOf(s.field(c)).Elem().Interface() }

// set parses a JSON value, or a text, and stores it in c. It returns a message if the type is
// wrong; check tests the range.
func (s Setting) set(c *Config, value any) (fault viewing.Message) {
	text := strings.TrimSpace(fmt.Sprint(value))
	var err error
	code := ""
	switch field := s.field(c).(type) {
	case *string:
		*field = text
	case *int:
		code = "fault.noWhole"
		*field, err = strconv.Atoi(text)
	case *float64:
		code = "fault.noNumber"
		*field, err = strconv.ParseFloat(text, 64)
	case *bool:
		code = "fault.noSwitch"
		*field, err = strconv.ParseBool(text)
	case *Duration:
		code = "fault.noDuration"
		err = field.UnmarshalText([]byte(text))
	}
	if err != nil {
		return viewing.Say(code, "value", strconv.Quote(text))
	}
	return fault
}

// check returns a message if the value in a configuration is not allowed.
func (s Setting) check(c *Config) (fault viewing.Message) {
	switch field := s.field(c).(type) {
	case *string:
		if s.Allowed != nil && !slices.Contains(s.Allowed, *field) {
			return notAllowed(*field, s.Allowed)
		}
	case *int:
		return s.checkRange(float64(*field), *field, s.Max)
	case *float64:
		return s.checkRange(*field, *field, s.Max)
	case *Duration:
		return s.checkRange(field.Seconds(), field, time.Duration(s.Max)*time.Second)
	}
	return fault
}

// checkRange returns a message if a number is not from 0 to Max. value and most are the texts for
// it.
func (s Setting) checkRange(number float64, value, most any) (fault viewing.Message) {
	if number >= 0 && number <= s.Max { // false for NaN
		return fault
	}
	return viewing.Say("fault.range", "value", fmt.Sprint(value), "most", fmt.Sprint(most))
}

// notAllowed returns the message about a word that is not allowed.
func notAllowed(word string, allowed []string) viewing.Message {
	return viewing.Say("fault.noneOf", "value", strconv.Quote(word), "words", strings.Join(allowed, ", "))
}

// Errors of a settings change. An invalid value is an [ErrInvalid].
var (
	// ErrUnknown means that no setting with this name can be changed while the program runs.
	ErrUnknown = errors.New("that setting cannot be changed here")
	// ErrFixed means that config.toml, the environment or a flag sets the value.
	ErrFixed = errors.New("that setting is set elsewhere")
)

// Change is a validated change of settings.toml that is not written yet.
type Change struct {
	Before, After Config
	Changed       bool // the content of the file changes
	file          string
	text          []byte
}

// opening is the first line of settings.toml.
const opening = "# Filmspool writes this file: use the page Settings or \"filmspool config set\". What config.toml sets wins.\n"

// Write replaces settings.toml.
func (ch Change) Write() error {
	return WriteFile(ch.file, append([]byte(opening), ch.text...))
}

// Set returns the change of one setting of [Config.Settings]; nil restores the default. The
// errors are [ErrUnknown], [ErrFixed], [ErrInvalid] and read errors.
func (s Source) Set(key string, value any) (Change, error) {
	return s.change(func(before Config, tree map[string]any) error {
		i := slices.Index(keys(), key)
		if i < 0 {
			return &viewing.Refusal{Kind: ErrUnknown, Message: viewing.Say("fault.unknownSetting", "setting", key), Hint: s.suggest(key)}
		}
		if o := before.origins[key]; o.Fixed {
			return fixed(key, o)
		}
		if value == nil {
			put(tree, key, nil)
			return nil
		}
		var c Config
		if wrong := table[i].set(&c, value); wrong.Code != "" {
			return invalid(key, 0, wrong)
		}
		put(tree, key, table[i].valueIn(&c))
		return nil
	})
}

// fixed returns the error for a setting that is set elsewhere.
func fixed(key string, o Origin) error {
	return &viewing.Refusal{Kind: ErrFixed, Message: viewing.Say("fault.fixedSetting", "setting", key, "where", o.String()), Hint: viewing.Say("hint.changeThere")}
}

// suggest returns the hint for an unknown setting.
func (s Source) suggest(key string) viewing.Message {
	near := typed.Nearest(key, keys())
	if i := slices.IndexFunc(table, func(one Setting) bool { return strings.HasSuffix(one.Key, "."+key) }); i >= 0 {
		near = table[i].Key
	}
	if near != "" {
		return viewing.Say("hint.didYouMean", "name", near)
	}
	return viewing.Say("hint.canChange", "file", s.Paths.File, "names", strings.Join(keys(), ", "))
}

// AddLibrary returns the change that adds a userdata folder of Kodi.
func (s Source) AddLibrary(userdata string) (Change, error) {
	return s.change(func(before Config, tree map[string]any) error {
		if slices.Contains(before.Folders(), filepath.Clean(userdata)) {
			return &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.watchedAlready", "path", userdata), Hint: librariesHint()}
		}
		put(tree, "kodi.libraries", append(libraries(tree), map[string]any{"userdata": userdata}))
		return nil
	})
}

// RemoveLibrary returns the change that removes it. The error is [fs.ErrNotExist] for a folder
// that is not configured.
func (s Source) RemoveLibrary(userdata string) (Change, error) {
	return s.changeLibrary(userdata, func(list []any, i int) []any { return slices.Delete(list, i, i+1) })
}

// NameLibrary returns the change that renames a library. The error is [fs.ErrNotExist] for a
// folder that is not configured.
func (s Source) NameLibrary(userdata, name string) (Change, error) {
	return s.changeLibrary(userdata, func(list []any, i int) []any {
		list[i].(map[string]any)["name"] = name
		return list
	})
}

// changeLibrary returns a change of one library in settings.toml.
func (s Source) changeLibrary(userdata string, edit func(list []any, i int) []any) (Change, error) {
	userdata = filepath.Clean(userdata)
	return s.change(func(before Config, tree map[string]any) error {
		switch i := slices.Index(before.Folders(), userdata); {
		case i < 0:
			return &viewing.Refusal{Kind: fs.ErrNotExist, Message: viewing.Say("fault.notWatched", "path", userdata), Hint: librariesHint()}
		case i < before.userLibraries:
			return fixed(userdata, Origin{From: s.Paths.File, Line: before.lineOf(fmt.Sprintf("kodi.libraries[%d].userdata", i))})
		}
		list := libraries(tree)
		i := slices.IndexFunc(list, func(one any) bool { return filepath.Clean(fmt.Sprint(lookup(one, "userdata"))) == userdata })
		put(tree, "kodi.libraries", edit(list, i))
		return nil
	})
}

// untitled is the key of the setting that [Source.IgnoreUntitled] changes.
const untitled = "ignore_untitled"

// IgnoreUntitled returns the change that makes videos without a title on a site be ignored or
// not.
func (s Source) IgnoreUntitled(site string, ignore bool) (Change, error) {
	site = strings.ToLower(strings.TrimSpace(site))
	return s.change(func(before Config, tree map[string]any) error {
		list, _ := tree[untitled].([]any)
		i := slices.Index(list, any(site))
		switch o := before.origins[untitled]; {
		case o.Fixed:
			return fixed(untitled, o)
		case ignore && site != "" && i < 0:
			list = append(list, site)
		case !ignore && i >= 0:
			list = slices.Delete(list, i, i+1)
		}
		put(tree, untitled, list)
		return nil
	})
}

func librariesHint() viewing.Message {
	return viewing.Say("hint.command", "command", "filmspool sources kodi")
}

// libraries returns the libraries in settings.toml.
func libraries(tree map[string]any) []any {
	list, _ := lookup(tree, "kodi.libraries").([]any)
	return list
}

// change edits settings.toml and loads and validates the result, without writing it.
func (s Source) change(edit func(before Config, tree map[string]any) error) (ch Change, err error) {
	ch.file = s.Paths.Settings()
	old, err := s.readSettings()
	if err != nil {
		return ch, err
	}
	if ch.Before, err = s.load(old); err != nil {
		return ch, err
	}
	tree := map[string]any{}
	if err := toml.Unmarshal(old, &tree); err != nil {
		return ch, err
	}
	if err := edit(ch.Before, tree); err != nil {
		return ch, err
	}
	if ch.text, err = toml.Marshal(tree); err != nil {
		return ch, err
	}
	ch.Changed = string(ch.text) != strings.TrimPrefix(string(old), opening)
	ch.After, err = s.load(ch.text)
	return ch, err
}

// lookup returns the value of a key in a decoded TOML document, or nil.
func lookup(tree any, key string) any {
	for name := range strings.SplitSeq(key, ".") {
		table, _ := tree.(map[string]any)
		tree = table[name]
	}
	return tree
}

// put sets the value of a key in a TOML document. nil and an empty list remove it.
func put(tree map[string]any, key string, value any) {
	name, rest, nested := strings.Cut(key, ".")
	if nested {
		below, _ := tree[name].(map[string]any)
		if below == nil {
			below = map[string]any{}
		}
		put(below, rest, value)
		value = below
	}
	tree[name] = value
	if list, ok := value.([]any); value == nil || ok && len(list) == 0 || nested && len(value.(map[string]any)) == 0 {
		delete(tree, name)
	}
}
