package config

import (
	"encoding"
	"reflect"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/daemon/setting"
)

// safe are the settings that are safe to change while the program runs, each with
// what it may be. They are what [Config.Settings] tells, and Validate holds words
// and bounds to them.
func safe() []setting.Setting {
	action := []string{Send, Hold, Ignore}
	return []setting.Setting{
		{
			Key: "hold", Type: setting.Word, Allowed: []string{"none", "all"},
			About: "Whether viewings wait until you approve them: none, or all.",
		},
		{
			Key: "wave", Type: setting.Number, Max: maxWave,
			About: "If more different items of one source than this end within a minute, they are held; 0 is no bound.",
		},
		{
			Key: "in_doubt", Type: setting.Word, Allowed: []string{"hold", "resend", "delivered"},
			About: "What happens when nobody can tell whether a viewing arrived: it waits for you, is sent again, or counts as delivered.",
		},
		{
			Key: "log_level", Type: setting.Word, Allowed: []string{"debug", "info", "warn", "error"},
			About: "How much the log tells; titles stand in it at debug alone.",
		},
		{Key: "metrics.enabled", Type: setting.Switch, About: "Whether programs on this machine may read figures: how much waits and was sent, never titles."},
		{Key: "notices.desktop", Type: setting.Switch, About: "Whether the desktop tells of a refused key, and of a week in which nothing could be delivered."},
		{Key: "notices.webhook.url", Type: setting.Text, About: "Where the text of a notice is posted to, such as https://ntfy.sh/your-topic. It says what is wrong, and names no film."},
		{Key: "replay.grace", Type: setting.Duration, Max: maxGrace.Seconds(), About: "How long each viewing stays here before it leaves, so that you can drop it first."},
		{Key: "replay.rate", Type: setting.Decimal, Max: maxRate, About: "How many entries a second may leave for one account; 0 is no limit."},
		{Key: "replay.backfill_rate", Type: setting.Decimal, Max: maxRate, About: "How many of these may be imports; what is seen live goes first."},
		{Key: "kodi.announcements", Type: setting.Switch, About: "Whether a Kodi on this machine is heard when it says what it plays."},
		{Key: "kodi.classes.live", Type: setting.Word, Allowed: action, About: "What becomes of what Kodi played while Filmspool was looking."},
		{
			Key: "kodi.classes.marked", Type: setting.Word, Allowed: action,
			About: "What becomes of what was marked as watched in Kodi. Where an add-on syncs, a mark counts as review.",
		},
		{Key: "kodi.classes.catch-up", Type: setting.Word, Allowed: action, About: "What becomes of what Kodi played while Filmspool was not looking."},
		{Key: "kodi.classes.bulk", Type: setting.Word, Allowed: action, About: "What becomes of several items that were marked as watched in one act."},
		{Key: "kodi.classes.backdated", Type: setting.Word, Allowed: action, About: "What becomes of what an import brings, or a date alone."},
		{Key: "kodi.classes.review", Type: setting.Word, Allowed: action, About: "What becomes of changes that do not prove that, or when, something was watched."},
		{
			Key: "resolve.wikidata.enabled", Type: setting.Switch,
			About: "Whether Wikidata is asked what has no identifier; it learns numbers of IMDb, TVDB and sites, never titles.",
		},
		{Key: "resolve.tmdb.enabled", Type: setting.Switch, About: "Whether themoviedb.org is asked what has no identifier; it learns titles, and that it is you."},
	}
}

// words are what a setting may be.
func words(key string) []string {
	all := safe()
	return all[slices.IndexFunc(all, func(s setting.Setting) bool { return s.Key == key })].Allowed
}

// Settings are the settings that are safe to change while the program runs, with
// what they are now and where that comes from.
func (c Config) Settings() []setting.Setting {
	all := safe()
	for i := range all {
		s := &all[i]
		s.Value, s.Default = valueOf(c, s.Key), valueOf(Default(), s.Key)
		top, _, nested := strings.Cut(s.Key, ".")
		switch {
		case c.stands(s.Key):
			s.From, s.Line = c.Origin(top), c.lineOf(s.Key)
		case nested:
			s.From = "default"
		default:
			s.From = c.Origin(top)
			s.Fixed = s.From != "default"
		}
	}
	return all
}

// stands reports whether a setting stands in the file, and counts.
func (c Config) stands(key string) bool {
	var at any = c.given
	for name := range strings.SplitSeq(key, ".") {
		table, _ := at.(map[string]any)
		at = table[name]
	}
	return at != nil
}

// valueOf is the value of a setting, as JSON has it.
func valueOf(c Config, key string) any {
	v := reflect.ValueOf(c)
	for name := range strings.SplitSeq(key, ".") {
		v = v.FieldByIndex(fieldNamed(v.Type(), name).Index)
	}
	if text, ok := v.Interface().(encoding.TextMarshaler); ok {
		written, _ := text.MarshalText() // it does not fail for what was read
		return string(written)
	}
	return v.Interface()
}

// fieldNamed is the field that TOML knows by a name. Every name of [safe] has one.
func fieldNamed(t reflect.Type, name string) (found reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("toml"), ","); tag == name {
			found = f
		}
	}
	return found
}
