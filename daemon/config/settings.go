package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
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

// Setting is one setting that can be changed while the program runs. Its name and what it
// does are the texts "settings.key.KEY" and "settings.about.KEY".
type Setting struct {
	Key     string   `json:"key"` // as in "replay.grace"
	Type    string   `json:"type"`
	Allowed []string `json:"allowed,omitempty"`
	Max     float64  `json:"max,omitzero"`
	Value   any      `json:"value"`   // in use: text, a number, or true or false
	Default any      `json:"default"` // in use where nothing is set
	From    string   `json:"from"`    // "default", a file, an environment variable or a flag
	Line    int      `json:"line,omitempty"`
	Fixed   bool     `json:"fixed"` // config.toml, the environment or a flag sets it: it cannot be changed here

	field func(*Config) any
}

var actions = []string{"send", "hold", "ignore"}

// table has every [Setting]. Page, commands, settings.toml and validation are made from it.
var table = []Setting{
	{Key: "hold", Type: Word, Allowed: []string{"none", "all"}, field: func(c *Config) any { return &c.Hold }},
	{Key: "wave", Type: Number, Max: 1000, field: func(c *Config) any { return &c.Wave }},
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

// keys are the names of the settings of the table.
func keys() (all []string) {
	for _, s := range table {
		all = append(all, s.Key)
	}
	return all
}

// Settings are the settings of the table with what they are now.
func (c Config) Settings() []Setting {
	all, usual := slices.Clone(table), Default()
	for i := range all {
		s := &all[i]
		s.Value, s.Default, s.From = s.valueIn(&c), s.valueIn(&usual), "default"
		if o, found := c.origins[s.Key]; found {
			s.From, s.Line, s.Fixed = o.From, o.Line, o.Fixed
		}
	}
	return all
}

// valueIn is the value of the setting in a configuration.
func (s Setting) valueIn(c *Config) any { return reflect.ValueOf(s.field(c)).Elem().Interface() }

// set gives the setting a value that JSON has, or a text that stands for it. It returns why
// not; check knows the bounds.
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

// check says what is wrong with the value in a configuration; no code is nothing.
func (s Setting) check(c *Config) (fault viewing.Message) {
	switch field := s.field(c).(type) {
	case *string:
		if s.Allowed != nil && !slices.Contains(s.Allowed, *field) {
			return noneOf(*field, s.Allowed)
		}
	case *int:
		return s.inRange(float64(*field), *field, s.Max)
	case *float64:
		return s.inRange(*field, *field, s.Max)
	case *Duration:
		return s.inRange(field.Seconds(), field, time.Duration(s.Max)*time.Second)
	}
	return fault
}

// inRange refuses a number that is not from 0 to Max, in the words of the setting.
func (s Setting) inRange(number float64, value, most any) (fault viewing.Message) {
	if number >= 0 && number <= s.Max { // NaN is neither
		return fault
	}
	return viewing.Say("fault.range", "value", fmt.Sprint(value), "most", fmt.Sprint(most))
}

// noneOf refuses a word that is not among those allowed.
func noneOf(word string, allowed []string) viewing.Message {
	return viewing.Say("fault.noneOf", "value", strconv.Quote(word), "words", strings.Join(allowed, ", "))
}
